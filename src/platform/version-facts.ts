/** What `--version --json` prints, in the same form for `ape-shell` and `apes`. @param build an id that differs for each build */
export const versionFacts = (name: 'ape-shell' | 'apes', version: string, build: string) => ({
  name,
  version,
  build,
  node: process.versions.node,
});

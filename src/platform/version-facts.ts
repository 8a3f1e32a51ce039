/** What `--version --json` prints, in the same form for `ape-shell` and `apes`. */
export const versionFacts = (name: 'ape-shell' | 'apes', version: string, build: string) => ({
  name,
  version,
  build,
  node: process.versions.node,
});

/**
 * What `--version --json` prints. `ape-shell` and `apes` print the same members.
 * @param build an id that differs for each build
 */
export const versionFacts = (name: 'ape-shell' | 'apes', version: string, build: string) => ({
  name,
  version,
  build,
  node: process.versions.node,
});

/** What `--version --json` prints, the same for both programs. */
export const versionFacts = (name: 'ape-shell' | 'apes', version: string, build: string) => ({
  name,
  version,
  build,
  node: process.versions.node,
});

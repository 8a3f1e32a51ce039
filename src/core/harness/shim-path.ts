/**
 * The name of the directory that contains ape-shell under the name `bash`, for harnesses that run the `bash` of PATH. Before an approved command
 * runs, directories of this name are removed from PATH, so that the command finds the real bash and not the gate again.
 */
export const SHIM_DIRECTORY = 'ape-shell-shims';

/** Returns PATH without such directories. All other entries stay the same, byte for byte. */
export function pathWithoutShims(path: string): string {
  if (!path.includes(SHIM_DIRECTORY)) return path;
  return path
    .split(':')
    .filter((folder) => folder.replace(/\/+$/, '').split('/').at(-1) !== SHIM_DIRECTORY)
    .join(':');
}

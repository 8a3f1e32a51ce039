/**
 * The name of the directory with ape-shell under the name `bash`, for harnesses that run the `bash` of PATH. By this name
 * the directory is found and removed from PATH: an approved command must find the real bash, not the gate again.
 */
export const SHIM_DIRECTORY = 'ape-shell-shims';

/** The PATH for a command: without such directories, and otherwise the same text. */
export function pathWithoutShims(path: string): string {
  if (!path.includes(SHIM_DIRECTORY)) return path;
  return path
    .split(':')
    .filter((folder) => folder.replace(/\/+$/, '').split('/').at(-1) !== SHIM_DIRECTORY)
    .join(':');
}

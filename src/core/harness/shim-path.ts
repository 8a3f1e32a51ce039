/**
 * A directory of this name contains ape-shell as `bash`, for harnesses that look up `bash` in PATH. An approved command runs without such
 * directories in PATH, so the command finds the real bash.
 */
export const SHIM_DIRECTORY = 'ape-shell-shims';

/** Returns PATH without the directories of this name. All other entries stay the same, byte for byte. */
export function pathWithoutShims(path: string): string {
  if (!path.includes(SHIM_DIRECTORY)) return path;
  return path
    .split(':')
    .filter((folder) => folder.replace(/\/+$/, '').split('/').at(-1) !== SHIM_DIRECTORY)
    .join(':');
}

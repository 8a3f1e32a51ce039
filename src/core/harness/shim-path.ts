/**
 * The directory in which ape-shell lies under the name `bash`, for harnesses that run whatever `bash` PATH has. It is
 * recognised by its name, so that it can be removed from PATH: an approved command must find the real bash, not the
 * gate again.
 */
export const SHIM_DIRECTORY = 'ape-shell-shims';

/** The PATH a command gets. The same text where no part of it is ours. */
export function pathWithoutShims(path: string): string {
  if (!path.includes(SHIM_DIRECTORY)) return path;
  return path
    .split(':')
    .filter((folder) => folder.replace(/\/+$/, '').split('/').at(-1) !== SHIM_DIRECTORY)
    .join(':');
}

/** Takes paths apart and puts paths together, as text: no function looks at the disk. Paths are compared byte for byte. */

/** Whether the path is absolute, and has no empty part, no `.`, no `..`, no slash at the end and no NUL. */
export const isPlainPath = (path: string): boolean => path === '/' || (path.startsWith('/') && !NOT_PLAIN.test(path));

const NOT_PLAIN = /\/\.{0,2}(?:\/|$)|\0/;

/** Whether the path is the directory or below it. `/a/b/c` is below `/a/b`; `/a/bc` is not. False unless both paths are plain. */
export const isAtOrBelow = (path: string, directory: string): boolean =>
  beginsWithDirectory(path, directory) && isPlainPath(path) && isPlainPath(directory);

/** Like `isAtOrBelow`, for two paths that the caller knows to be plain. */
export const beginsWithDirectory = (path: string, directory: string): boolean =>
  directory === '/'
    ? path.startsWith('/')
    : path.startsWith(directory) && (path.length === directory.length || path.charCodeAt(directory.length) === 0x2f);

/** Returns the directory that contains an absolute path; `/` for `/`. */
export const parentOf = (path: string): string => path.slice(0, path.lastIndexOf('/')) || '/';

/** Returns what is behind the last slash: the whole text if it has no slash, and the empty text if it ends with a slash. */
export const baseName = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

/** @param directory absolute, without a slash at the end; or `/` */
export const pathBelow = (directory: string, name: string): string => `${directory === '/' ? '' : directory}/${name}`;

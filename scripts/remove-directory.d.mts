/** A scratch directory, also while a program of ours still writes its last file there. */
export function removeDirectory(directory: string, endPrograms?: () => void): void;

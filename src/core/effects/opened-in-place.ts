/**
 * Tools that write a file by opening it. If such a tool writes /dev/stdout or /dev/stderr, it writes to its own output. Other tools remove
 * the name first, or put a new file in its place (`mv`, `ln -f`, `cp --remove-destination`, `sed -i`): they would replace the links
 * /dev/stdout and /dev/stderr. A tool is listed only if a trace of its system calls shows that it opens the file, and neither removes
 * nor replaces it.
 */
const TOOLS: ReadonlySet<string> = new Set(['tee', 'sort', 'curl']);

export const opensInPlace = (tool: string): boolean => TOOLS.has(tool);

/** Tools that change the mode, owner or times of a file. For them, /dev/null is not harmless: they change the device itself. */
const OF_FILES_THEMSELVES: ReadonlySet<string> = new Set(['chmod', 'chown', 'chgrp', 'touch']);

export const changesFileItself = (tool: string): boolean => OF_FILES_THEMSELVES.has(tool);

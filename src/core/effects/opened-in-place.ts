/**
 * Tools that write a file by opening it, so that /dev/stdout and /dev/stderr lead them to their own outputs. Other tools
 * remove the name first, or put a new file in its place (`mv`, `ln -f`, `cp --remove-destination`, `sed -i`), and would
 * replace the links /dev/stdout and /dev/stderr. A tool is listed only if a trace of its system calls shows that it just opens.
 */
const TOOLS: ReadonlySet<string> = new Set(['tee', 'sort', 'curl']);

export const opensInPlace = (tool: string): boolean => TOOLS.has(tool);

/** Tools that change the mode, owner or times of a file: to them, /dev/null is a file like any other. */
const OF_FILES_THEMSELVES: ReadonlySet<string> = new Set(['chmod', 'chown', 'chgrp', 'touch']);

export const changesFileItself = (tool: string): boolean => OF_FILES_THEMSELVES.has(tool);

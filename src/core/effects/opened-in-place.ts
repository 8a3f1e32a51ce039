/**
 * Tools that write a file by opening it: /dev/stdout and /dev/stderr lead them to the outputs that they have anyway. Others
 * remove the name first, or put a new file in its place (`mv`, `ln -f`, `cp --remove-destination`, `sed -i`), and so would
 * replace the links that /dev/stdout and /dev/stderr are. A tool is here only if its calls were seen to open and nothing else.
 */
const TOOLS: ReadonlySet<string> = new Set(['tee', 'sort', 'curl']);

export const opensInPlace = (tool: string): boolean => TOOLS.has(tool);

/** Tools that change what a file is, not what it holds: /dev/null is a file like others to them. */
const OF_FILES_THEMSELVES: ReadonlySet<string> = new Set(['chmod', 'chown', 'chgrp']);

export const changesFileItself = (tool: string): boolean => OF_FILES_THEMSELVES.has(tool);

/**
 * Tools that open an existing file and write to it. If the file is /dev/stdout or /dev/stderr, such a tool writes to its own output.
 * /dev/stdout is a link, and other tools (`mv`, `ln -f`, `cp --remove-destination`, `sed -i`) would replace the link. Before you add a
 * tool, trace its system calls: the tool must open the file, and must neither remove nor replace the file.
 */
const TOOLS: ReadonlySet<string> = new Set(['tee', 'sort', 'curl']);

export const opensInPlace = (tool: string): boolean => TOOLS.has(tool);

/** Tools that change the mode, owner or times of a file. On /dev/null, such a tool is not harmless: it changes the device itself. */
const OF_FILES_THEMSELVES: ReadonlySet<string> = new Set(['chmod', 'chown', 'chgrp', 'touch']);

export const changesFileItself = (tool: string): boolean => OF_FILES_THEMSELVES.has(tool);

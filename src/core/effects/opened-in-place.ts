/**
 * Tools that write a file by opening it: /dev/stdout and /dev/stderr lead them to the outputs that they have anyway. Others
 * remove the name first, or put a new file in its place (`mv`, `ln -f`, `cp --remove-destination`, `sed -i`), and so would
 * replace the links that /dev/stdout and /dev/stderr are. A tool is here only if its calls were seen to open and nothing else.
 */
const TOOLS: ReadonlySet<string> = new Set(['tee', 'sort', 'curl']);

export const opensInPlace = (tool: string): boolean => TOOLS.has(tool);

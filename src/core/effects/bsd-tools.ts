/** The rule files describe the GNU tools. This file finds options that have another meaning in the tools of macOS and the BSDs. */
import type { CommandContext } from './command-context.ts';
import type { OptionUse } from './read-arguments.ts';

/**
 * The options of each tool. In the sed of the BSDs, `-i` takes the next word as the suffix of a backup, and `-l` takes no value. The BSDs
 * number some signals otherwise: there, 17 is SIGSTOP, and 10 is SIGBUS.
 */
const READ_OTHERWISE: ReadonlyMap<string, readonly string[]> = new Map([
  ['sed', ['-i', '-l']],
  ['kill', ['-10', '-12', '-17', '-18', '-19', '-20']],
  ['pkill', ['-10', '-12']],
]);

/** Returns why the command is opaque on a host that may have BSD tools. Returns null for other commands and hosts. */
export function bsdVeto(tool: string, uses: readonly OptionUse[], { hasBsdTools }: CommandContext): string | null {
  const options = hasBsdTools === true ? READ_OTHERWISE.get(tool) : undefined;
  const use = options === undefined ? undefined : uses.find(({ name }) => options.includes(name));
  return use === undefined ? null : `reads ${use.name} differently on macOS and the BSDs`;
}

/** Options that the tools of macOS and of the BSDs read otherwise than the rule files, which describe the GNU tools. */
import type { CommandContext } from './command-context.ts';
import type { OptionUse } from './read-arguments.ts';

/** By tool: the options as written. For the sed of a BSD, the word after `-i` is the suffix of a copy, and `-l` has no value. */
const READ_OTHERWISE: ReadonlyMap<string, readonly string[]> = new Map([['sed', ['-i', '-l']]]);

/** Returns why the command is opaque where the tools may be those of a BSD, or null. */
export function bsdVeto(tool: string, uses: readonly OptionUse[], { hasBsdTools }: CommandContext): string | null {
  const options = hasBsdTools === true ? READ_OTHERWISE.get(tool) : undefined;
  const use = options === undefined ? undefined : uses.find(({ name }) => options.includes(name));
  return use === undefined ? null : `takes ${use.name} otherwise on macOS and the BSDs`;
}

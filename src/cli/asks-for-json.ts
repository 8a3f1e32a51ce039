/** Finds out whether a call that commander could not parse has the option `--json`. */
import type { Command } from 'commander';
import { hasPassThroughOptions, verbNamed } from './commander.ts';

/**
 * Reads `args` in the same way as commander. A `--json` does not count if it is the value of an option, or an option of another program.
 * @param args the arguments, without the names of Node and of the script
 */
export function asksForJson(program: Command, args: readonly string[]): boolean {
  let verb = program;
  for (let index = 0; index < args.length; index++) {
    const word = args[index] ?? '';
    if (word === '--json') return true;
    if (word === '--') return false;
    const inner = verbNamed(verb, word);
    if (inner !== undefined) verb = inner;
    else if (!word.startsWith('-') && hasPassThroughOptions(verb)) return false;
    else if (verb.options.find(({ long, short }) => word === long || word === short)?.required) index++;
  }
  return false;
}

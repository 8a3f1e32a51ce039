/** Finds out whether a call that commander could not parse has the option `--json`. */
import type { Command } from 'commander';
import { handsOptionsOn, verbNamed } from './commander.ts';

/**
 * Reads `args` as commander does: a `--json` that is the value of an option, or an option of another program, does not
 * count.
 */
export function asksForJson(program: Command, args: readonly string[]): boolean {
  let verb = program;
  for (let index = 0; index < args.length; index++) {
    const word = args[index] ?? '';
    if (word === '--json') return true;
    if (word === '--') return false;
    const inner = verbNamed(verb, word);
    if (inner !== undefined) verb = inner;
    else if (!word.startsWith('-') && handsOptionsOn(verb)) return false;
    else if (verb.options.find(({ long, short }) => word === long || word === short)?.required) index++;
  }
  return false;
}

/** Does a call ask for `--json`, where its verb and options could not be read to the end? */
import type { Command } from 'commander';
import { handsOptionsOn } from './commander.ts';

/** Follows `args` as commander does: what is the value of an option, or belongs to the program of a call, is not ours. */
export function asksForJson(program: Command, args: readonly string[]): boolean {
  let verb = program;
  for (let index = 0; index < args.length; index++) {
    const word = args[index] ?? '';
    if (word === '--json') return true;
    if (word === '--') return false;
    const inner = verb.commands.find((each) => each.name() === word || each.aliases().includes(word));
    if (inner !== undefined) verb = inner;
    else if (!word.startsWith('-') && handsOptionsOn(verb)) return false;
    else if (verb.options.find(({ long, short }) => word === long || word === short)?.required) index++;
  }
  return false;
}

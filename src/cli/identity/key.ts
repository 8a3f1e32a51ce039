/** `apes key rotate`: this host replaces its key. */
import type { Command } from 'commander';
import type { CliContext, Register } from '../context.ts';

export const registerKey: Register = (program: Command, context: CliContext) => {
  const key = program.command('key').description('the key with which this host asks for grants');
  key
    .command('rotate')
    .description('make a new key for this host; the grant server takes it in place of the old one')
    .option('--json', 'one JSON object')
    .action(context.settle(async () => (await import('./key-here.ts')).rotateHere(context)));
};

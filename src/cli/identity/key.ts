/** `apes key rotate`: this host replaces its key. */
import type { Command } from 'commander';
import type { CliContext, Register } from '../context.ts';

export const registerKey: Register = (program: Command, context: CliContext) => {
  const key = program.command('key').description('the key with which this host asks for grants');
  key
    .command('rotate')
    .description('make a new key for this host; on the grant server, the new key replaces the old key')
    .option('--json', 'one JSON object')
    .action(context.settle(async () => (await import('./key-here.ts')).rotateHere(context)));
};

/** `apes server …`: copies, restores and checks the database of this installation's server. */
import type { Command } from 'commander';
import type { CliContext, Register } from '../context.ts';

export const registerServer: Register = (program: Command, context: CliContext) => {
  const server = program.command('server').description("the database of this installation's grant server");
  server
    .command('backup')
    .description('copy the database and the key of the server into a new directory, also while the server runs')
    .argument('<directory>', 'must not exist yet')
    .option('--json', 'one JSON object')
    .action(context.settle(async (directory: string) => (await import('./backup-here.ts')).backUp(context, directory)));
  server
    .command('restore')
    .description(
      'replace the database and the key by those of a backup; the server must be stopped, and every approval ends',
    )
    .argument('<directory>', 'a directory that apes server backup made')
    .option('--json', 'one JSON object')
    .action(
      context.settle(async (directory: string) => (await import('./restore-here.ts')).restore(context, directory)),
    );
  server
    .command('restored')
    .description(
      'after pg_restore or the like: end every approval and session of the database; the server must be stopped',
    )
    .option('--json', 'one JSON object')
    .action(context.settle(async () => (await import('./restored-here.ts')).endAfterRestore(context)));
  server
    .command('check')
    .description('look for damage in the database that is in use, or in a backup')
    .argument('[directory]', 'a directory that apes server backup made (default: the database that is in use)')
    .option('--json', 'one JSON object')
    .action(
      context.settle(async (directory: string | undefined) =>
        (await import('./check-here.ts')).checkDatabase(context, directory),
      ),
    );
};

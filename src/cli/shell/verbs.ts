/** Registers the commands `apes shell …`, which manage ape-shell as the login shell of a user. */
import type { Register } from '../context.ts';
import { installShell } from './install.ts';
import { showShellStatus } from './status.ts';
import { uninstallShell } from './uninstall.ts';

export const registerShell: Register = (program, context) => {
  const shell = program.command('shell').description('ape-shell as a login shell');
  shell
    .command('install')
    .description(
      'try ape-shell as the user, print the way back, add ape-shell to /etc/shells, and make it the login shell',
    )
    .option('--user <name>', 'whose login shell (default: yours; others need root)')
    .option('--json', 'one JSON object')
    .action(context.settle((options: { user?: string }) => installShell(context, options)));
  shell
    .command('uninstall')
    .description('bring the previous login shell back')
    .option('--user <name>', 'whose login shell (default: yours; others need root)')
    .option('--to <shell>', 'make this shell the login shell, instead of the previous one')
    .option('--json', 'one JSON object')
    .action(context.settle((options: { user?: string; to?: string }) => uninstallShell(context, options)));
  shell
    .command('status')
    .description(
      'whether a login would work: the login shell, /etc/shells, a trial start; and the way back to the previous shell',
    )
    .option('--user <name>', 'whose login shell (default: yours)')
    .option('--json', 'one JSON object')
    .action(context.settle((options: { user?: string }) => showShellStatus(context, options)));
};

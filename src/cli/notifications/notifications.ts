/** `apes notifications …`: the channels of this installation's server, and whether the channels work. */
import type { Command } from 'commander';
import type { CliContext, Register } from '../context.ts';

export const registerNotifications: Register = (program: Command, context: CliContext) => {
  const notifications = program
    .command('notifications')
    .description("channels on which this installation's server notifies approvers");
  notifications
    .command('list')
    .description('every channel, and how the last notification on it ended')
    .option('--json', 'one JSON object')
    .action(context.settle(async () => (await actions()).listNotificationChannels(context)));
  notifications
    .command('test')
    .argument('[channel]', 'id or name of a channel (default: every channel)')
    .description('send a test notification now, and print whether it was delivered')
    .option('--json', 'one JSON object')
    .action(
      context.settle(async (channel: string | undefined) =>
        (await actions()).testNotificationChannels(context, channel ?? null),
      ),
    );
};

const actions = () => import('./notifications-here.ts');

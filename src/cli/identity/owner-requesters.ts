/** `apes owner requesters`: who asks here, and new keys for them. */
import type { Command } from 'commander';
import type { CliContext } from '../context.ts';

const actions = () => import('./requesters-here.ts');

export function registerOwnerRequesters(owner: Command, context: CliContext): void {
  const requesters = owner.command('requesters').description('the hosts and agents that ask here');
  requesters
    .command('list')
    .description('list them, with the codes of their keys')
    .option('--json', 'one JSON object')
    .action(context.settle(async () => (await actions()).requestersList(context)));
  requesters
    .command('rotate <requester>')
    .description(
      'ask its host for a new key; requests and approvals stay, and the server does not accept the old key any more',
    )
    .option('--json', 'one JSON object')
    .action(context.settle(async (requester: string) => (await actions()).requesterRotate(context, requester)));
}

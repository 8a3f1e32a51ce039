/** `apes owner requesters`: lists, pauses, resumes and revokes requesters, and asks their hosts for new keys. */
import type { Command } from 'commander';
import type { CliContext } from '../context.ts';

const actions = () => import('./requesters-here.ts');

export function registerOwnerRequesters(owner: Command, context: CliContext): void {
  const requesters = owner.command('requesters').description('the hosts and agents that ask this server for grants');
  requesters
    .command('list')
    .description('list the requesters, with the codes of their keys')
    .option('--json', 'one JSON object')
    .action(context.settle(async () => (await actions()).requestersList(context)));
  requesters
    .command('rotate <requester>')
    .description(
      "ask the requester's host for a new key; requests and approvals stay, and the server accepts the old key until the host has sent the new one",
    )
    .option('--json', 'one JSON object')
    .action(context.settle(async (requester: string) => (await actions()).requesterRotate(context, requester)));
  for (const [verb, description] of [
    ['pause', 'until the requester is resumed, none of its lines and calls runs, not even a covered one (owner key)'],
    ['resume', 'end a pause (owner key)'],
    ['revoke', 'the server does not accept the key of the requester any more (owner key)'],
  ] as const) {
    const command = requesters
      .command(`${verb} [requester]`)
      .description(description)
      .option('--host <host>', 'all requesters of this host');
    if (verb === 'pause') command.option('--reason <text>', 'the reason, which approvers read');
    command.option('--json', 'one JSON object').action(
      context.settle(async (id: string | undefined, { host, reason }: ChangeOptions) =>
        (await import('./change-requesters.ts')).changeRequesters(context, id, host, {
          verb,
          reason: reason ?? null,
        }),
      ),
    );
  }
}

interface ChangeOptions {
  readonly host?: string;
  readonly reason?: string | undefined;
}

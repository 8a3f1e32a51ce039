/** `apes owner devices | recovery-codes | passkey-above`: what the page *Devices* does, on the server's machine. */
import type { Command } from 'commander';
import { failure } from '../../core/failure.ts';
import type { PasskeyAbove } from '../../core/wire/passkeys.ts';
import type { CliContext } from '../context.ts';
import { choiceArgument } from '../option-values.ts';

const LIMITS: readonly PasskeyAbove[] = ['none', 'low', 'medium', 'high', 'critical'];

const actions = () => import('./devices-here.ts');
const signInActions = () => import('./sign-ins-here.ts');

export function registerOwnerDevices(owner: Command, context: CliContext): void {
  const devices = owner.command('devices').description('passkeys of everybody who decides');
  devices
    .command('list')
    .description('whose they are, and when each was used last')
    .option('--json', 'one JSON object')
    .action(context.settle(async () => (await actions()).devicesList(context)));
  devices
    .command('remove <id>')
    .description('remove a lost one; its sessions end at once')
    .option('--json', 'one JSON object')
    .action(context.settle(async (id: string) => (await import('./device-remove.ts')).deviceRemove(context, id)));
  const signIns = owner.command('sign-ins').description('browsers that are signed in to decide');
  signIns
    .command('list')
    .description('whose they are, and when each was used last')
    .option('--json', 'one JSON object')
    .action(context.settle(async () => (await signInActions()).signInsList(context)));
  signIns
    .command('end <id>')
    .description('sign one out at once; with the id of a person (apes owner people list) all of theirs')
    .option('--json', 'one JSON object')
    .action(context.settle(async (id: string) => (await signInActions()).signInEnd(context, id)));
  owner
    .command('recovery-codes')
    .description('ten new codes of the owner, each signs in once; those before are worth nothing any more')
    .option('--json', 'one JSON object')
    .action(context.settle(async () => (await actions()).recoveryCodes(context)));
  owner
    .command('passkey-above')
    .addArgument(
      choiceArgument('[risk]', '', LIMITS, (text) =>
        failure('usage', `there is no risk ${text}`, `write ${LIMITS.join(', ')}`),
      ),
    )
    .description(
      'up to which risk somebody who has a passkey approves without it: none (each approval needs it), low, medium, high or critical (none does); tells it when no risk is given',
    )
    .option('--json', 'one JSON object')
    .action(
      context.settle(async (risk: PasskeyAbove | undefined) => (await actions()).passkeyLimit(context, risk ?? null)),
    );
}

/** `apes owner devices`, `sign-ins`, `recovery-codes`, `passkey-above`: the page *Devices* as verbs on the server's machine. */
import type { Command } from 'commander';
import { failure } from '../../core/failure.ts';
import type { PasskeyAbove } from '../../core/wire/passkeys.ts';
import type { CliContext } from '../context.ts';
import { choiceArgument } from '../option-values.ts';

const LIMITS: readonly PasskeyAbove[] = ['none', 'low', 'medium', 'high', 'critical'];

const actions = () => import('./devices-here.ts');
const signInActions = () => import('./sign-ins-here.ts');

export function registerOwnerDevices(owner: Command, context: CliContext): void {
  const devices = owner.command('devices').description('the passkeys of all people');
  devices
    .command('list')
    .description('list the devices, their people, and when each device was last used')
    .option('--json', 'one JSON object')
    .action(context.settle(async () => (await actions()).devicesList(context)));
  devices
    .command('remove <id>')
    .description('remove a lost device; its sessions end at once')
    .option('--json', 'one JSON object')
    .action(context.settle(async (id: string) => (await import('./device-remove.ts')).deviceRemove(context, id)));
  const signIns = owner.command('sign-ins').description('browsers that are signed in to decide');
  signIns
    .command('list')
    .description('list the sign-ins, their people, and when each sign-in was last used')
    .option('--json', 'one JSON object')
    .action(context.settle(async () => (await signInActions()).signInsList(context)));
  signIns
    .command('end <id>')
    .description('end a sign-in at once; with the id of a person (apes owner people list), all sign-ins of this person')
    .option('--json', 'one JSON object')
    .action(context.settle(async (id: string) => (await signInActions()).signInEnd(context, id)));
  owner
    .command('recovery-codes')
    .description('make ten new recovery codes of the owner, each for one sign-in; earlier codes do not work any more')
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
      'the highest risk at which a person with a passkey may approve without it: none (each approval needs the passkey), low, medium, high or critical (no approval needs it); without an argument, print the setting',
    )
    .option('--json', 'one JSON object')
    .action(
      context.settle(async (risk: PasskeyAbove | undefined) => (await actions()).passkeyLimit(context, risk ?? null)),
    );
}

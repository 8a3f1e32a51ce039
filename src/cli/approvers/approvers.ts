/** `apes approvers …`: shows the list of approvers that is pinned on this host, pins the server's list, and signs the next list. */
import type { Command } from 'commander';
import { failure } from '../../core/failure.ts';
import { publicKeyFault } from '../../platform/public-key.ts';
import { newOption, ValueFault } from '../commander.ts';
import type { CliContext, Register } from '../context.ts';

/** @property system the path of a file with a list; root pins this list for all users */
export interface PinOptions {
  readonly required?: true;
  readonly optional?: true;
  readonly replace?: true;
  readonly system?: string;
}

/** A call has to give exactly one of `key` and `device`. */
export interface AddOptions {
  readonly key?: string;
  readonly device?: string;
}

export const registerApprovers: Register = (program: Command, context: CliContext) => {
  const approvers = program
    .command('approvers')
    .description('the list of approvers whose sealed decisions this host accepts');
  approvers
    .command('list')
    .description('the approvers pinned on this host, and whether this host takes sealed approvals only')
    .option('--json', 'one JSON object')
    .action(context.settle(async () => (await actions()).listApprovers(context)));
  approvers
    .command('pin')
    .description("pin the server's list of approvers on this host; compare its digest with your human")
    .addOption(newOption('--required', 'from now on, this host refuses approvals without a seal').conflicts('optional'))
    .option('--optional', 'undo --required')
    .option('--replace', 'also pin a list that does not follow from the pinned list')
    .option('--system <file>', 'as root: pin the list in this file for all users (in /etc/ape-shell/approvers)')
    .option('--json', 'one JSON object')
    .action(context.settle(async (options: PinOptions) => (await actions()).pinApprovers(context, options)));
  approvers
    .command('add <name>')
    .description('admit a key or a passkey: sign the next list of approvers (owner key)')
    .option('--key <key>', 'the public half of the key, as apes owner key create prints it', publicKey)
    .option('--device <id>', 'the id of a passkey in apes owner devices list; only on the machine of the server')
    .option('--json', 'one JSON object')
    .action(
      context.settle(async (name: string, options: AddOptions) =>
        (await changes()).addApprover(context, name, options),
      ),
    );
  approvers
    .command('people')
    .description(
      'sign a list with the rules for people, so that hosts apply these rules to every approval (owner key); only on the machine of the server',
    )
    .option('--json', 'one JSON object')
    .action(context.settle(async () => (await changes()).sealPeople(context)));
  approvers
    .command('remove <name>')
    .description('remove a key from the list of approvers; its seals no longer count (owner key)')
    .option('--json', 'one JSON object')
    .action(context.settle(async (name: string) => (await changes()).removeApprover(context, name)));
};

function publicKey(text: string): string {
  const fault = publicKeyFault(text);
  if (fault !== null)
    throw new ValueFault(failure('usage', `--key: ${fault.message}`, 'write what apes owner key create printed'));
  return text;
}

const actions = () => import('./pinned.ts');
const changes = () => import('./change-list.ts');

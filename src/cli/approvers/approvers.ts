/** `apes approvers …`: whose seals this host takes, and who may seal from now on. */
import type { Command } from 'commander';
import { failure } from '../../core/failure.ts';
import { publicKeyFault } from '../../platform/public-key.ts';
import { newOption, ValueFault } from '../commander.ts';
import type { CliContext, Register } from '../context.ts';

/** @property system the file to take it from */
export interface PinOptions {
  readonly required?: true;
  readonly optional?: true;
  readonly replace?: true;
  readonly system?: string;
}

/** One of the two. */
export interface AddOptions {
  readonly key?: string;
  readonly device?: string;
}

export const registerApprovers: Register = (program: Command, context: CliContext) => {
  const approvers = program.command('approvers').description('whose sealed decisions this host takes');
  approvers
    .command('list')
    .description('the approvers pinned on this host, and whether it takes sealed approvals only')
    .option('--json', 'one JSON object')
    .action(context.settle(async () => (await actions()).listApprovers(context)));
  approvers
    .command('pin')
    .description("take the server's approvers for those of this host; compare the digest with your human")
    .addOption(
      newOption('--required', 'from now on nothing runs here that was approved without a seal').conflicts('optional'),
    )
    .option('--optional', 'take that back')
    .option('--replace', 'also where they do not follow from those that are pinned')
    .option('--system <file>', 'as root: pin what this file holds for all users, in /etc/ape-shell/approvers')
    .option('--json', 'one JSON object')
    .action(context.settle(async (options: PinOptions) => (await actions()).pinApprovers(context, options)));
  approvers
    .command('add <name>')
    .description('admit a key or a passkey: sign the next list of approvers (owner key)')
    .option('--key <key>', 'its public half, as apes owner key create tells it', publicKey)
    .option('--device <id>', 'a passkey, as apes owner devices list names it; on the machine of the server')
    .option('--json', 'one JSON object')
    .action(
      context.settle(async (name: string, options: AddOptions) =>
        (await changes()).addApprover(context, name, options),
      ),
    );
  approvers
    .command('people')
    .description(
      'sign the rules for people into the list, so that hosts hold every approval to them (owner key); on the machine of the server',
    )
    .option('--json', 'one JSON object')
    .action(context.settle(async () => (await changes()).sealPeople(context)));
  approvers
    .command('remove <name>')
    .description('end what a key sealed, and take it off the list of approvers (owner key)')
    .option('--json', 'one JSON object')
    .action(context.settle(async (name: string) => (await changes()).removeApprover(context, name)));
};

function publicKey(text: string): string {
  const fault = publicKeyFault(text);
  if (fault !== null)
    throw new ValueFault(failure('usage', `--key: ${fault}`, 'write what apes owner key create told'));
  return text;
}

const actions = () => import('./pinned.ts');
const changes = () => import('./change-list.ts');

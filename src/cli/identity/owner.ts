/** `apes owner …`: how the owner of this installation's server signs in and decides. */
import type { Command } from 'commander';
import { failure } from '../../core/failure.ts';
import type { CliContext, Register } from '../context.ts';
import { type Ending, failing } from '../ending.ts';
import { registerOwnerDevices } from './owner-devices.ts';
import { registerOwnerPeople } from './owner-people.ts';
import { registerOwnerRequesters } from './owner-requesters.ts';

export const registerOwner: Register = (program: Command, context: CliContext) => {
  const owner = program
    .command('owner')
    .description("the owner's sign-in link and key, devices, other people who decide, and requesters");
  owner
    .command('link')
    .description('a one-time link to sign in with a browser')
    .option('--json', 'one JSON object')
    .action(context.settle(async () => (await actions()).link(context)));
  const key = owner.command('key').description("the owner's own key, for apes grants approve, deny and revoke");
  key
    .command('create')
    .description('make an owner key in this installation; needs --here')
    .option('--here', "confirm that the key is stored beside this host's requester key")
    .option('--json', 'one JSON object')
    .action(
      context.settle(async (options: { here?: true }) =>
        options.here === true ? (await actions()).createKey(context) : notHere(),
      ),
    );
  key
    .command('remove')
    .description('revoke the owner key of this installation, and remove its file')
    .option('--json', 'one JSON object')
    .action(context.settle(async () => (await actions()).removeKey(context)));
  registerOwnerDevices(owner, context);
  registerOwnerPeople(owner, context);
  registerOwnerRequesters(owner, context);
};

const actions = () => import('./owner-here.ts');

async function notHere(): Promise<Ending> {
  return failing(
    failure(
      'usage',
      'every process of this user could approve with an owner key that is stored here, so this verb needs --here',
      'decide in the browser (apes owner link), or accept this: apes owner key create --here',
    ),
  );
}

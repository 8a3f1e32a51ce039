/** Finds the account for the verbs of `apes shell`. Each verb shows or changes the account's login shell. */
import { type Failure, failure } from '../../core/failure.ts';
import { failed, type Result } from '../../core/result.ts';
import { currentUser } from '../../platform/surroundings.ts';
import type { CliContext } from '../context.ts';
import { type Account, findAccount } from './account.ts';

/**
 * Finds the account with this name; undefined: the account of this process. Fails (64) if no account has this name. Also fails (64) if
 * there is no name and a user other than root has used sudo: that user possibly does not mean root's account.
 */
export function accountToShow(context: CliContext, named: string | undefined): Result<Account, Failure> {
  const behindSudo = context.caller.environment.get('SUDO_USER')?.toString('utf8');
  if (named === undefined && isRoot() && behindSudo !== undefined && behindSudo !== 'root')
    return failed(
      failure('usage', 'under sudo it is not clear whose shell is meant', `add --user ${behindSudo}, or --user root`),
    );
  return findAccount(named ?? currentUser());
}

/** Like `accountToShow`, for a verb that changes the account. Also fails (77) if the caller is not root and names another user. */
export function accountToChange(
  context: CliContext,
  named: string | undefined,
  verb: string,
): Result<Account, Failure> {
  const account = accountToShow(context, named);
  if (!account.ok || isRoot() || isSelf(account.value)) return account;
  return failed(
    failure(
      'refused',
      `only root may change the login shell of ${account.value.name}`,
      `sudo ${context.dist}/bin/apes shell ${verb} --user ${account.value.name}`,
    ),
  );
}

export const ownShell = (context: CliContext): string => `${context.dist}/bin/ape-shell`;
export const isRoot = (): boolean => process.getuid?.() === 0;
export const isSelf = (account: Account): boolean => account.uid === process.getuid?.();

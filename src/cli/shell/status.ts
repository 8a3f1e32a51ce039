/** `apes shell status`: reports whether a login would work, and the command that brings the previous shell back. */
import { type Failure, failure, failureText } from '../../core/failure.ts';
import { locate } from '../../platform/paths.ts';
import type { CliContext } from '../context.ts';
import { answering, answeringBut, type Ending, failing } from '../ending.ts';
import { type Account, accountsWithShell } from './account.ts';
import { wayBackCommand } from './change.ts';
import { accountToShow, isRoot, isSelf, ownShell } from './chosen-account.ts';
import { isListed } from './list.ts';
import { readLoginRecord } from './record.ts';
import { type Trial, tryShell } from './trial.ts';

/**
 * @property accounts    every account whose login shell is this ape-shell. If the package is removed, these accounts cannot log in
 * @property isInstalled whether this ape-shell is the login shell
 * @property isListed    whether /etc/shells names this ape-shell; false if the file cannot be read
 * @property starts      whether ape-shell starts as this user, with a bare environment; null: not tried, because the caller is neither root
 *                       nor this user
 * @property mayAsk      whether ape-shell can ask this user's server for grants; null: not tried, or ape-shell does not start
 * @property problem     the first problem, in one line; null if there is no problem
 * @property wayBack     the command that brings the previous shell back; without a record, the command sets /bin/bash. Null if the login
 *                       shell is neither this ape-shell nor the ape-shell in the record
 */
interface ShellStatus {
  readonly user: string;
  readonly loginShell: string;
  readonly apeShell: string;
  readonly accounts: readonly string[];
  readonly isInstalled: boolean;
  readonly isListed: boolean;
  readonly starts: boolean | null;
  readonly mayAsk: boolean | null;
  readonly problem: string | null;
  readonly wayBack: string | null;
}

/** Finds out whether a login would work. Tries to start ape-shell if the caller is root or the user of the account. */
function inspectShell(context: CliContext, account: Account, state: string): ShellStatus {
  const shell = ownShell(context);
  const record = readLoginRecord(account.name, state);
  const listed = isListed(shell);
  const trial: Trial | null = isRoot() || isSelf(account) ? tryShell(account, context.dist) : null;
  const isInstalled = account.shell === shell;
  const isApeShell = isInstalled || account.shell === record?.shell;
  const unlisted = isInstalled && listed.ok && !listed.value ? `${shell} is not in /etc/shells` : null;
  const wrong: Failure | null = (listed.ok ? null : listed.failure) ?? trial?.start ?? trial?.commands ?? null;
  return {
    user: account.name,
    loginShell: account.shell,
    apeShell: shell,
    accounts: accountsWithShell(shell),
    isInstalled,
    isListed: listed.ok && listed.value,
    starts: trial === null ? null : trial.start === null,
    mayAsk: trial === null || trial.start !== null ? null : trial.commands === null,
    problem: unlisted ?? (wrong === null ? null : failureText(wrong)),
    wayBack: isApeShell ? wayBackCommand(account.name, record?.previousShell ?? '/bin/bash') : null,
  };
}

/** Ends with 0 if there is no problem, and with 78 if there is a problem. */
export async function showShellStatus(context: CliContext, options: { readonly user?: string }): Promise<Ending> {
  const paths = locate(context.caller.environment);
  if (!paths.ok) return failing(paths.failure);
  const account = accountToShow(context, options.user);
  if (!account.ok) return failing(account.failure);
  const status = inspectShell(context, account.value, paths.value.state);
  const { problem } = status;
  return problem === null
    ? answering(status, statusText(status))
    : answeringBut(failure('configuration', problem), status, statusText(status));
}

function statusText(status: ShellStatus): string {
  const answer = (isYes: boolean | null): string => (isYes === null ? 'not tried' : isYes ? 'yes' : 'no');
  const lines: readonly (readonly [string, string | null])[] = [
    ['user', status.user],
    ['login shell', `${status.loginShell || 'not set'}${status.isInstalled ? '' : ' (not this ape-shell)'}`],
    ['ape-shell', status.apeShell],
    ['login shell of', status.accounts.length === 0 ? 'no account' : status.accounts.join(', ')],
    ['in /etc/shells', answer(status.isListed)],
    ['starts bare', answer(status.starts)],
    ['may ask', answer(status.mayAsk)],
    ['problem', status.problem],
    ['way back', status.wayBack],
  ];
  return lines.map(([name, value]) => (value === null ? '' : `${name.padEnd(16)}${value}\n`)).join('');
}

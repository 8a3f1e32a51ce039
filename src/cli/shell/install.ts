/**
 * `apes shell install`: tries ape-shell as the user, prints the command that restores the previous login shell, and changes the login
 * shell. Then copies the user's pin to a file that only root can write.
 */
import { type Failure, failure } from '../../core/failure.ts';
import { locate } from '../../platform/paths.ts';
import type { CliContext } from '../context.ts';
import { answering, answeringWithLine, type Ending, failing } from '../ending.ts';
import type { Account } from './account.ts';
import { changeLoginShell, wayBackCommand } from './change.ts';
import { accountToChange, isRoot, ownShell } from './chosen-account.ts';
import { addToList, isListed, removeFromList } from './list.ts';
import { addedLines, readLoginRecord, removeLoginRecord, writeAddedLines, writeLoginRecord } from './record.ts';
import { setUpSystemPin } from './system-pin.ts';
import { tryShell } from './trial.ts';
import type { OwnPin } from './trial-job.ts';

export async function installShell(context: CliContext, options: { readonly user?: string }): Promise<Ending> {
  const paths = locate(context.caller.environment);
  if (!paths.ok) return failing(paths.failure);
  const account = accountToChange(context, options.user, 'install');
  if (!account.ok) return failing(account.failure);
  const shell = ownShell(context);
  const wrongPlace = unfitPath(shell) ?? unfitList(context, shell, account.value);
  if (wrongPlace !== null) return failing(wrongPlace);
  const { start, commands, pin } = tryShell(account.value, context.dist);
  const unfit = start ?? commands;
  if (unfit !== null) return failing(unfit);
  if (account.value.shell === shell) {
    context.err(`apes: ${shell} is the login shell of ${account.value.name} already\n`);
    return withPin(context, account.value, pin, { user: account.value.name, loginShell: shell, isChanged: false }, '');
  }
  return change(context, account.value, { shell, pin }, paths.value.state);
}

async function change(
  context: CliContext,
  account: Account,
  { shell, pin }: { readonly shell: string; readonly pin: OwnPin },
  state: string,
): Promise<Ending> {
  const before = readLoginRecord(account.name, state);
  // If the login shell is an ape-shell of another installation, the record keeps the shell that was there before that ape-shell.
  const previousShell = before?.shell === account.shell ? before.previousShell : account.shell || '/bin/sh';
  const unwritten = writeLoginRecord(account.name, state, { shell, previousShell });
  if (unwritten !== null) return failing(unwritten);
  context.err(wayBack(context, account.name, previousShell));
  const wrong = addAndChange(account, shell);
  if (wrong !== null) {
    if (before === null) removeLoginRecord(account.name, state);
    else writeLoginRecord(account.name, state, before);
    return failing(wrong);
  }
  context.err(
    `apes: ${shell} is the login shell of ${account.name} now. Keep this terminal until you have logged in once in another terminal.\n`,
  );
  const data = { user: account.name, loginShell: shell, previousShell, isChanged: true };
  return withPin(context, account, pin, data, `${shell}\n`);
}

/** Copies the user's pin to root's pin, and reports the result in one line. If the copy fails, the login shell stays installed. */
function withPin(
  context: CliContext,
  account: Account,
  pin: OwnPin,
  data: Readonly<Record<string, unknown>>,
  text: string,
): Ending {
  const { outcome, line, problem } = setUpSystemPin(account, pin);
  const whole = { ...data, pin: outcome };
  if (problem !== undefined) return answeringWithLine(problem, whole, text);
  context.err(`apes: ${line}\n`);
  return answering(whole, text);
}

/** As root, adds `shell` to /etc/shells. Then changes the login shell. On a failure, removes the line that this call added. */
function addAndChange(account: Account, shell: string): Failure | null {
  const added = isRoot() ? addToList(shell) : null;
  if (added !== null && !added.ok) return added.failure;
  const isNew = added?.value === true;
  const unwritten = isNew ? writeAddedLines([...addedLines(), shell]) : null;
  const wrong = unwritten ?? changeLoginShell(account, shell);
  if (wrong !== null && isNew) {
    removeFromList(shell);
    writeAddedLines(addedLines().filter((line) => line !== shell));
  }
  return wrong;
}

const wayBack = (context: CliContext, user: string, previousShell: string): string =>
  [
    `apes: to restore the previous login shell of ${user}${isRoot() ? ' (as root)' : ''}:`,
    `  ${wayBackCommand(user, previousShell)}`,
    `  ${context.dist}/bin/apes shell uninstall --user ${user}`,
    ...(isRoot() ? [] : ['apes: chsh may ask for your password now']),
    '',
  ].join('\n');

/** Fails if the path cannot be a login shell: passwd(5) separates fields by colons, and shells(5) ends a path at a blank or `#`. */
function unfitPath(shell: string): Failure | null {
  return /^\/[^\s#:]+$/.test(shell)
    ? null
    : failure(
        'configuration',
        `a login shell cannot have the path ${shell}`,
        'install the package at a path without blanks, # and :',
      );
}

function unfitList(context: CliContext, shell: string, account: Account): Failure | null {
  const listed = isListed(shell);
  if (!listed.ok) return listed.failure;
  if (listed.value || isRoot()) return null;
  return failure(
    'refused',
    `${shell} is not in /etc/shells, and only root may add it`,
    `sudo ${context.dist}/bin/apes shell install --user ${account.name}`,
  );
}

/**
 * `apes shell install`: tries ape-shell as that user, prints the command that undoes it, and then changes the login
 * shell.
 */
import { type Failure, failure } from '../../core/failure.ts';
import { locate } from '../../platform/paths.ts';
import type { CliContext } from '../context.ts';
import { answering, type Ending, failing } from '../ending.ts';
import type { Account } from './account.ts';
import { changeLoginShell, wayBackCommand } from './change.ts';
import { addToList, isListed, removeFromList } from './list.ts';
import { addedLines, readLoginRecord, removeLoginRecord, writeAddedLines, writeLoginRecord } from './record.ts';
import { tryShell } from './trial.ts';
import { isRoot, ownShell, whomToChange } from './whom.ts';

export async function installShell(context: CliContext, options: { readonly user?: string }): Promise<Ending> {
  const paths = locate(context.caller.environment);
  if (!paths.ok) return failing(paths.failure);
  const account = whomToChange(context, options.user, 'install');
  if (!account.ok) return failing(account.failure);
  const shell = ownShell(context);
  const unfit = unfitPath(shell) ?? unfitList(context, shell, account.value) ?? unfitTrial(account.value, context.dist);
  if (unfit !== null) return failing(unfit);
  if (account.value.shell === shell) {
    context.err(`apes: ${shell} is the login shell of ${account.value.name} already\n`);
    return answering({ user: account.value.name, loginShell: shell, isChanged: false }, '');
  }
  return change(context, account.value, shell, paths.value.state);
}

async function change(context: CliContext, account: Account, shell: string, state: string): Promise<Ending> {
  const before = readLoginRecord(account.name, state);
  // If another installed ape-shell is the login shell now, the shell before that one stays the previous shell.
  const previousShell = before?.shell === account.shell ? before.previousShell : account.shell || '/bin/sh';
  const unwritten = writeLoginRecord(account.name, state, { shell, previousShell });
  if (unwritten !== null) return failing(unwritten);
  context.err(wayBack(context, account.name, previousShell));
  const wrong = listAndChange(account, shell);
  if (wrong !== null) {
    if (before === null) removeLoginRecord(account.name, state);
    else writeLoginRecord(account.name, state, before);
    return failing(wrong);
  }
  context.err(
    `apes: that is the login shell of ${account.name} now. Keep this terminal until you have logged in once in another.\n`,
  );
  return answering({ user: account.name, loginShell: shell, previousShell, isChanged: true }, `${shell}\n`);
}

/** Adds the line to /etc/shells, and changes the login shell. If that fails, a line that was added here is removed. */
function listAndChange(account: Account, shell: string): Failure | null {
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
    `apes: the way back for ${user}, should you need it${isRoot() ? ' (as root)' : ''}:`,
    `  ${wayBackCommand(user, previousShell)}`,
    `  ${context.dist}/bin/apes shell uninstall --user ${user}`,
    ...(isRoot() ? [] : ['apes: chsh may ask for your password now']),
    '',
  ].join('\n');

/**
 * Paths that cannot be a login shell: passwd(5) separates fields by colons, shells(5) ends a path at a blank or `#`.
 */
function unfitPath(shell: string): Failure | null {
  return /^\/[^\s#:]+$/.test(shell)
    ? null
    : failure(
        'configuration',
        `a login shell cannot lie at ${shell}`,
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

function unfitTrial(account: Account, dist: string): Failure | null {
  const trial = tryShell(account, dist);
  return trial.start ?? trial.commands;
}

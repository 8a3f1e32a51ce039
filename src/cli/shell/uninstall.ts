/** `apes shell uninstall`: brings the previous login shell back, and removes what `apes shell install` added. */
import { type Failure, failure } from '../../core/failure.ts';
import { resolveProgram } from '../../platform/own-program.ts';
import { locate } from '../../platform/paths.ts';
import type { CliContext } from '../context.ts';
import { answering, answeringWithLine, type Ending, failing } from '../ending.ts';
import { type Account, accountsWithShell } from './account.ts';
import { changeLoginShell } from './change.ts';
import { accountToChange, isRoot, ownShell } from './chosen-account.ts';
import { removeFromList } from './list.ts';
import { addedLines, readLoginRecord, removeLoginRecord, writeAddedLines } from './record.ts';
import { stayingPinText } from './system-pin.ts';

export async function uninstallShell(
  context: CliContext,
  options: { readonly user?: string; readonly to?: string },
): Promise<Ending> {
  const paths = locate(context.caller.environment);
  if (!paths.ok) return failing(paths.failure);
  const account = accountToChange(context, options.user, 'uninstall');
  if (!account.ok) return failing(account.failure);
  const { name, shell } = account.value;
  const record = readLoginRecord(name, paths.value.state);
  if (shell !== ownShell(context) && shell !== record?.shell) {
    context.err(`apes: the login shell of ${name} is ${shell || 'not set'}, not ape-shell; nothing to bring back\n`);
    sayWhatStays(context);
    const left = removeTraces(name, paths.value.state, record?.shell ?? ownShell(context));
    return left === null ? answering({ user: name, loginShell: shell, isChanged: false }, '') : failing(left);
  }
  const previous = options.to ?? record?.previousShell;
  const wrong = unfitShell(account.value, previous, shell) ?? changeLoginShell(account.value, previous ?? '');
  if (wrong !== null) return failing(wrong);
  context.err(`apes: the login shell of ${name} is ${previous} again\n`);
  sayWhatStays(context);
  const left = removeTraces(name, paths.value.state, shell);
  const data = { user: name, loginShell: previous, isChanged: true };
  return left === null ? answering(data, `${previous}\n`) : answeringWithLine(left, data, `${previous}\n`);
}

function sayWhatStays(context: CliContext): void {
  const staying = stayingPinText();
  if (staying !== null) context.err(`apes: ${staying}\n`);
}

function unfitShell(account: Account, previous: string | undefined, now: string): Failure | null {
  const again = `apes shell uninstall --user ${account.name} --to /bin/bash`;
  if (previous === undefined)
    return failure(
      'usage',
      `there is no record of the previous login shell of ${account.name}`,
      `name the previous shell: ${again}`,
    );
  if (!/^\/[^\s#:]+$/.test(previous))
    return failure('usage', `${previous} is not the absolute path of a shell`, `as in: ${again}`);
  if (previous === now)
    return failure('usage', `${previous} is the shell to be removed`, `name another shell: ${again}`);
  return resolveProgram(previous, '', '/') === null
    ? failure('configuration', `${previous} is no program on this machine`, `name another shell: ${again}`)
    : null;
}

/**
 * Removes the record. If the caller is root, also removes our line from /etc/shells. The line stays while an account still has this shell.
 */
function removeTraces(user: string, state: string, shell: string): Failure | null {
  removeLoginRecord(user, state);
  const ours = addedLines();
  if (!isRoot() || !ours.includes(shell) || accountsWithShell(shell).length > 0) return null;
  const removed = removeFromList(shell);
  return removed.ok ? writeAddedLines(ours.filter((line) => line !== shell)) : removed.failure;
}

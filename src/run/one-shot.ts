/**
 * Plans a call such as `ape-shell -c CMD`, before the grant server is asked. Reads the text of the command, and makes the request. Also
 * finds the texts that need no grant.
 */

import type { Failure } from '../core/failure.ts';
import { decide, looksLikeControl, plainWords } from '../core/grant/decision.ts';
import type { Invocation } from '../core/grant/invocation.ts';
import { commandInFrame, isHookLineOf, readGatedCall, withoutBlanks } from '../core/grant/own-call.ts';
import type { ExecutionRequest } from '../core/grant/request.ts';
import { foldPrelude, pathBehindPrelude } from '../core/reading/fold-prelude.ts';
import { failed, type Result, success } from '../core/result.ts';
import { isOwnControl } from '../platform/own-program.ts';
import { identityOf } from '../platform/place-identity.ts';
import { boundEntriesFor, currentHost, currentUser } from '../platform/surroundings.ts';
import { COMMAND_TOO_LONG, readableText, readScript, readStandardInput } from './source-text.ts';

export type OneShot = Exclude<Invocation, { kind: 'version' | 'help' }>;

/**
 * - `nothing`: the text has only spaces, tabs and newlines, so the status is 0
 * - `leave`: print `says` on standard error, and end with `status`; `says` is a whole line, or empty
 * - `self-control`: do what our own `apes` does with these `args`, the words after `apes`
 * - `own-hook`: run a hook of a harness: `text` is exactly the line that we installed
 * - `ask`: ask the gate about this request
 */
export type OneShotPlan =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'leave'; readonly status: number; readonly says: string }
  | { readonly kind: 'self-control'; readonly args: readonly string[] }
  | { readonly kind: 'own-hook'; readonly text: string }
  | { readonly kind: 'ask'; readonly request: ExecutionRequest };

/** @property status the exit status of bash for this fault (126 or 127); null: the exit status of the failure */
export interface PlanFailure {
  readonly failure: Failure;
  readonly status: number | null;
}

/**
 * Makes the plan of a call. Reads the script or standard input if one of them contains the command.
 * @param dist this package's directory of built files
 */
export function planOneShot(
  invocation: OneShot,
  environment: ReadonlyMap<string, Buffer>,
  cwd: string,
  dist: string,
): Result<OneShotPlan, PlanFailure> {
  const text = sourceText(invocation, environment, cwd);
  if (!text.ok) return text;
  // bash skips only spaces, tabs and newlines. bash would run other white space as a command.
  if (withoutBlanks(text.value) === '') return success({ kind: 'nothing' });
  if (invocation.kind === 'command' && invocation.bashArguments.length === 2) {
    const exempt = exemption(text.value, invocation.flags.isLogin, environment, cwd, dist);
    if (exempt !== null) return success(exempt);
    // The call in the text can name another installation (`--installation=…`). Even so, this installation decides about the command.
    const inner = invocation.bashArguments[0] === '-c' ? innerCommand(text.value, dist) : null;
    if (inner !== null)
      return planOneShot({ ...invocation, text: inner, bashArguments: ['-c', inner] }, environment, cwd, dist);
  }
  return success({
    kind: 'ask',
    request: {
      kind: invocation.kind,
      text: text.value,
      argv: invocation.bashArguments,
      cwd,
      place: identityOf(cwd),
      host: currentHost(),
      user: currentUser(),
      environment: boundEntriesFor(environment, [text.value, ...invocation.bashArguments], {
        cwd,
        isInteractive: invocation.flags.isInteractive,
      }),
    },
  });
}

/**
 * Returns the command inside the text in two cases: the text calls our own `ape-shell -c`, or the text has the frame that a harness puts
 * around a command. Returns null for any other text. The gate decides about the inner command only. Nothing else of the text runs.
 */
const innerCommand = (text: string, dist: string): string | null =>
  readGatedCall(withoutBlanks(text), `${dist}/bin/ape-shell`)?.command ?? commandInFrame(text);

function sourceText(
  invocation: OneShot,
  environment: ReadonlyMap<string, Buffer>,
  cwd: string,
): Result<string, PlanFailure> {
  if (invocation.kind === 'script') {
    if (invocation.path === '/dev/null') return success(''); // an empty command does nothing in any shell, so bash is not started
    const script = readScript(invocation.path, environment.get('PATH')?.toString('utf8'), cwd);
    return script.ok ? success(script.value.text) : script;
  }
  const text =
    invocation.kind === 'command'
      ? readableText(Buffer.from(invocation.text), 'the command', COMMAND_TOO_LONG)
      : readStandardInput(COMMAND_TOO_LONG);
  return text.ok ? text : failed({ failure: text.failure, status: null });
}

/** bash has the same message and the same status. */
const NO_LOGIN: OneShotPlan = { kind: 'leave', status: 1, says: "bash: line 1: logout: not login shell: use `exit'\n" };

/**
 * Returns the plan for a text that needs no grant; else null. Only for a call with two arguments, such as `-c TEXT` or `-lc TEXT`. More
 * arguments can change the meaning of the text.
 */
function exemption(
  text: string,
  isLogin: boolean,
  environment: ReadonlyMap<string, Buffer>,
  cwd: string,
  dist: string,
): OneShotPlan | null {
  if (isHookLineOf(text, dist, (wanted) => environment.get(wanted)?.toString('utf8')))
    return { kind: 'own-hook', text };
  const variable = (wanted: string): string => environment.get(wanted)?.toString('utf8') ?? '';
  const folded = foldPrelude(text);
  // A prelude with `pathFrom` only sets PATH. Any other prelude sources files or runs more than the command, so the text needs a grant.
  const prelude = folded?.pathFrom == null ? null : folded;
  const words = plainWords(prelude?.command ?? text);
  const name = words?.[0];
  if (words === null || name === undefined) return null;
  const path = pathBehindPrelude(prelude, variable);
  const isOurs = looksLikeControl(words) && isOwnControl(name, path, cwd, dist);
  // bash would run an exported function with this name (BASH_FUNC_name%%), and not the file in PATH.
  const isRedefined = environment.has(`BASH_FUNC_${name}%%`) || environment.has(`BASH_FUNC_${name}()`);
  const decision = decide({ words, isOurs, isRedefined });
  if (decision.kind === 'leave' && name === 'logout' && !isLogin) return NO_LOGIN;
  if (decision.kind === 'leave') return { kind: 'leave', status: Number(words[1] ?? 0) & 255, says: '' };
  return decision.kind === 'self-control' ? decision : null;
}

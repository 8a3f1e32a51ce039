/** Answers a one-shot call. This code runs in a process for this one call, or in the resident gate. */

import { exitStatusOf, type Failure, failureLine } from '../core/failure.ts';
import type { Permit } from '../core/grant/authorization.ts';
import type { Flags } from '../core/grant/invocation.ts';
import type { ExecutionRequest } from '../core/grant/request.ts';
import { pathWithoutShims } from '../core/harness/shim-path.ts';
import type { Result } from '../core/result.ts';
import { leftText, pauseNotice, serverNotice } from '../core/server-notice.ts';
import type { Settings } from '../core/settings.ts';
import { errorAnswer } from '../core/text/json-answer.ts';
import { visibleText } from '../core/text/visible-text.ts';
import { isBoundVariable } from '../core/variables/bound-variables.ts';
import { hasOwnPrefix } from '../core/variables/own-variables.ts';
import { type ApprovalWait, authorize, coveringOnlyExactly, type Gate } from '../gate/authorize.ts';
import type { Replacement } from '../platform/launcher.ts';
import { controlName } from '../platform/own-program.ts';
import { PLACE_VARIABLES } from '../platform/paths.ts';
import { checkHeldPlaceUnchanged, identityOf } from '../platform/place-identity.ts';
import { planExecution } from '../run/execute.ts';
import { grantedText } from '../run/granted-text.ts';
import { type OneShot, planOneShot } from '../run/one-shot.ts';
import { type PendingFacts, pendingBlock, pendingFacts, pendingJson } from '../run/pending-block.ts';

/** What the caller's process does next. */
export type OneShotEnd =
  | { readonly kind: 'status'; readonly status: number }
  /** `grantId` is null for a command that needs no grant. */
  | { readonly kind: 'become'; readonly replacement: Replacement; readonly grantId: string | null }
  /** A signal interrupted the caller's wait: the caller dies of that signal. */
  | { readonly kind: 'interrupted' }
  /**
   * Only the resident gate returns this: the call needs a process of its own. There are two possible reasons: that process has to wait for
   * the decision, or the settings allow no resident gate.
   */
  | { readonly kind: 'elsewhere' };

/**
 * @property environment  the caller's variables as bytes
 * @property cwd          the caller's real directory
 * @property isDashed     whether argv[0] of the caller begins with a dash. If so, argv[0] of bash begins with a dash too
 * @property open         reads the settings of this installation, and opens the gate
 * @property explain      prints on the caller's standard error
 * @property interruption called before this process waits for a decision. Returns an AbortSignal, which is aborted when a
 *                        fatal signal arrives. Null: this process must not wait
 */
export interface OneShotCall {
  readonly invocation: OneShot;
  readonly environment: ReadonlyMap<string, Buffer>;
  readonly cwd: string;
  readonly isDashed: boolean;
  readonly dist: string;
  readonly open: () => Promise<Result<{ readonly settings: Settings; readonly gate: Gate }, Failure>>;
  readonly explain: (text: string) => void;
  readonly interruption: (() => AbortSignal) | null;
}

export async function answerOneShot(asked: OneShotCall): Promise<OneShotEnd> {
  const explain = (text: string) => asked.explain(visibleText(text)); // the text can quote what others wrote
  const call = { ...asked, explain, environment: withoutShims(asked.environment) };
  const plan = planOneShot(call.invocation, call.environment, call.cwd, call.dist);
  if (!plan.ok) return fail(call, plan.failure.failure, plan.failure.status ?? undefined);
  if (plan.value.kind === 'nothing') return { kind: 'status', status: 0 };
  if (plan.value.kind === 'leave') {
    call.explain(plan.value.says);
    return { kind: 'status', status: plan.value.status };
  }
  if (plan.value.kind === 'self-control') return becomeControl(call, plan.value.args);
  if (plan.value.kind === 'own-hook') return becomeHook(asked, plan.value.text);
  const opened = await call.open();
  if (!opened.ok) return fail(call, opened.failure);
  const { shell } = opened.value.settings;
  if ((shell.waitsInPlace || !shell.hasResidentGate) && call.interruption === null) return { kind: 'elsewhere' };
  return ask(call, plan.value.request, opened.value.settings, opened.value.gate);
}

/** Becomes our own control program. PATH is not searched. */
const becomeControl = (call: OneShotCall, args: readonly string[]): OneShotEnd =>
  becomeOwn(call, `${call.dist}/bin/apes`, ['apes', ...args]);

/**
 * A harness runs its hooks through its shell, which can be ape-shell. A hook needs no grant. So `/bin/sh` does not get variables that could
 * make `/bin/sh` do more than the line says. Exceptions are `HOOK_KEEPS`, and the variables of the harness (`OF_HARNESS`).
 */
function becomeHook(call: OneShotCall, line: string): OneShotEnd {
  const steering = [...call.environment.keys()].filter(
    (name) => isBoundVariable(name) && !HOOK_KEEPS.has(name) && !OF_HARNESS.test(name),
  );
  return becomeOwn(call, '/bin/sh', ['sh', '-c', line], steering);
}

/** Prefixes of the variables that tell a hook about the project. The harness sets these variables. */
const OF_HARNESS = /^(?:CLAUDE|GEMINI|QWEN|CODEX|OPENCLAW|OPENCODE)/;

/** The variables that say where the installation is, and which shell the harness would find. */
const HOOK_KEEPS: ReadonlySet<string> = new Set([...PLACE_VARIABLES, 'PATH', 'SHELL']);

/**
 * Becomes a program that needs no grant. The program gets the caller's variables, also our own ones, except APES_SHELL_WRAPPER.
 * @param unset the variables that the program does not get
 */
function becomeOwn(
  call: OneShotCall,
  file: string,
  argv: readonly string[],
  unset: readonly string[] = [],
): OneShotEnd {
  const own = [...call.environment].filter(([name]) => hasOwnPrefix(name));
  const set = own.filter(([name]) => name !== 'APES_SHELL_WRAPPER');
  return {
    kind: 'become',
    grantId: null,
    replacement: { directory: null, set, unset, standardInput: null, profile: null, file, argv },
  };
}

function withoutShims(environment: ReadonlyMap<string, Buffer>): ReadonlyMap<string, Buffer> {
  const path = environment.get('PATH')?.toString('latin1') ?? '';
  const kept = pathWithoutShims(path);
  return kept === path ? environment : new Map(environment).set('PATH', Buffer.from(kept, 'latin1'));
}

async function ask(call: OneShotCall, request: ExecutionRequest, settings: Settings, gate: Gate): Promise<OneShotEnd> {
  const { flags } = call.invocation;
  const show = flags.isJson ? pendingJson : pendingBlock;
  const facts = (isNew: boolean, assessment: PendingFacts['assessment']): PendingFacts => {
    const control = controlName(call.environment, call.cwd, call.dist);
    return pendingFacts(settings.shell, { isNew, nowMs: gate.client.clock.nowMs(), control, assessment });
  };
  const before = identityOf(call.cwd);
  const waitOptions = (interruption: () => AbortSignal): ApprovalWait => ({
    timeoutMs: settings.shell.waitTimeoutMs,
    cancelled: interruption(),
    withdrawsOnCancel: false,
    whyChanged: () => checkHeldPlaceUnchanged(before, call.cwd, '.'),
    onPending: (grant, isNew, assessment) => call.explain(show(grant, facts(isNew, assessment))),
    onBeat: (waitedMs) => call.explain(`ape-shell: waiting for approval, ${Math.round(waitedMs / 1000)} s\n`),
    onServer: (isThere, newPage) => call.explain(`ape-shell: ${serverNotice(isThere, newPage)}\n`),
    onPause: (isPaused) => call.explain(`ape-shell: ${pauseNotice(isPaused)}\n`),
  });
  const mayWait = settings.shell.waitsInPlace && call.interruption !== null;
  // A login shell runs the user's start-up files first, but the request does not say that bash becomes a login shell. So no scope may cover
  // the request.
  const asking = call.isDashed ? coveringOnlyExactly(gate) : gate;
  const outcome = await authorize(asking, request, { waitOptions: mayWait ? waitOptions(call.interruption) : null });
  switch (outcome.kind) {
    case 'permitted':
      return execute(call, outcome.permit, settings, flags);
    case 'pending':
      call.explain(show(outcome.grant, facts(outcome.isNew, outcome.assessment)));
      return { kind: 'status', status: settings.shell.asyncExitCode };
    case 'cancelled':
      call.explain(`ape-shell: interrupted; ${leftText(outcome.grant, 'request')}\n`);
      return { kind: 'interrupted' };
    case 'refused':
      return fail(call, outcome.failure, outcome.failure.code === 'pending' ? settings.shell.asyncExitCode : undefined);
  }
}

function execute(call: OneShotCall, permit: Permit, settings: Settings, flags: Flags): OneShotEnd {
  const plan = planExecution(permit, {
    bash: settings.shell.bash,
    argvZero: call.isDashed ? '-bash' : 'bash',
    environment: call.environment,
    isLater: false,
    dist: call.dist,
  });
  if (!plan.ok) return fail(call, plan.failure);
  if (!settings.shell.isQuiet && !flags.isJson) call.explain(`ape-shell: ${grantedText(permit, call.environment)}\n`);
  const path = call.environment.get('PATH');
  const set = path === undefined ? plan.value.set : [...plan.value.set, ['PATH', path] as const];
  return { kind: 'become', replacement: { ...plan.value, set }, grantId: permit.grantId };
}

function fail(call: OneShotCall, failure: Failure, status = exitStatusOf(failure)): OneShotEnd {
  const { isJson } = call.invocation.flags;
  call.explain(isJson ? errorAnswer(failure, status) : `${failureLine('ape-shell', failure)}\n`);
  return { kind: 'status', status };
}

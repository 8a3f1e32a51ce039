/**
 * Runs the command of a Permit, and captures its output. A cancellation, the time limit or the end of this process ends the command's
 * process group.
 */

import { constants } from 'node:os';
import type { Writable } from 'node:stream';
import { type Failure, failure, nothingRan } from '../core/failure.ts';
import type { Permit } from '../core/grant/authorization.ts';
import { failed, type Result, success } from '../core/result.ts';
import { systemClock } from '../platform/clock.ts';
import type { Replacement } from '../platform/launcher.ts';
import { withoutOwnVariables } from '../platform/paths.ts';
import { errorCode } from '../platform/private-files.ts';
import { type ExecutionPlace, planExecution } from '../run/execute.ts';
import { leashStart, spawnLeash } from './leash.ts';
import { type CapturedOutput, OutputBuffer } from './output-buffer.ts';

/**
 * @property dist         the directory of this package's built files; it contains the native program `leash`
 * @property timeoutMs    after this time, the process group gets SIGTERM; `MERCY_MS` later, the process group gets SIGKILL
 * @property limitBytes   how many bytes of each output stream are kept
 * @property cancelled    when this signal aborts, the process group ends in the same way as after `timeoutMs`
 * @property onBeat       called every 15 s with the time that the program has run (ms)
 * @property onStarted    called with the process id of `leash`, before the program starts
 * @property isOurs       whether the program is `apes`. Only `apes` gets our own environment variables
 */
export interface CaptureLimits {
  readonly dist: string;
  readonly timeoutMs: number;
  readonly limitBytes: number;
  readonly cancelled: AbortSignal;
  readonly onBeat: (elapsedMs: number) => void;
  readonly onStarted?: (pid: number) => void;
  readonly isOurs: boolean;
}

/**
 * @property status     0 to 255; null if a signal ended the program
 * @property signal     the signal that ended the program; null if no signal ended it
 * @property end        `exited`: the program ended by itself; `timed-out`, `cancelled`: we ended it
 * @property isLeftOpen whether a background process still had the output open when we stopped reading; later output is lost
 */
export interface CapturedRun {
  readonly status: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly end: 'exited' | 'timed-out' | 'cancelled';
  readonly isLeftOpen: boolean;
  readonly durationMs: number;
  readonly out: CapturedOutput;
  readonly err: CapturedOutput;
}

const BEAT_MS = 15_000;
/** The time between SIGTERM and SIGKILL. */
const MERCY_MS = 2000;
/** After the end of the program, we read the output of background processes until no output has come for this time. */
const SILENCE_MS = 300;
const { SIGTERM } = constants.signals;

/**
 * Fails in three cases: `planExecution` fails, the call is already cancelled (status 77), or `leash` cannot be started (status 71). After
 * a failure, nothing ran. If `leash` cannot start or confine the program, the call succeeds: the result has the exit status of `leash`
 * (`leash.c`).
 */
export async function runCaptured(
  permit: Permit,
  place: ExecutionPlace,
  limits: CaptureLimits,
): Promise<Result<CapturedRun, Failure>> {
  const plan = planExecution(permit, place);
  if (!plan.ok) return plan;
  if (limits.cancelled.aborted) return failed(failure('refused', 'refused: the call was cancelled before it ran'));
  return start(plan.value, permit.request.cwd, variablesFor(plan.value, place.environment, limits.isOurs), limits);
}

/**
 * Makes the same environment as the launcher: removes our own variables, then makes the changes of the plan. `apes` keeps our own
 * variables, except APES_SHELL_WRAPPER.
 */
function variablesFor(
  plan: Replacement,
  environment: ReadonlyMap<string, Buffer>,
  isOurs: boolean,
): ReadonlyMap<string, Buffer> {
  const variables = isOurs ? new Map(environment) : withoutOwnVariables(environment);
  if (isOurs) variables.delete('APES_SHELL_WRAPPER');
  for (const name of plan.unset) variables.delete(name);
  for (const [name, value] of plan.set) variables.set(name, Buffer.from(value));
  return variables;
}

function start(
  plan: Replacement,
  directory: string,
  variables: ReadonlyMap<string, Buffer>,
  limits: CaptureLimits,
): Promise<Result<CapturedRun, Failure>> {
  const startedMs = systemClock.elapsedMs();
  const buffers = { out: new OutputBuffer(limits.limitBytes), err: new OutputBuffer(limits.limitBytes) };
  return new Promise((resolve) => {
    const fail = (error: unknown) =>
      resolve(failed(nothingRan(failure('system', `no process can be started (${errorCode(error)})`))));
    let child: ReturnType<typeof spawnLeash>;
    try {
      child = spawnLeash(plan, directory, limits.dist, [
        plan.standardInput === null ? 'ignore' : 'pipe',
        'pipe',
        'pipe',
      ]);
    } catch (error) {
      fail(error);
      return;
    }
    const control = child.stdio[3] as Writable;
    for (const stream of [control, child.stdin]) stream?.on('error', () => undefined);
    child.stdin?.end(plan.standardInput ?? undefined);
    if (child.pid !== undefined) limits.onStarted?.(child.pid);
    control.write(leashStart(variables, plan.profile));
    let end: CapturedRun['end'] = 'exited';
    let kill: NodeJS.Timeout | undefined;
    const stop = (why: 'timed-out' | 'cancelled') => {
      if (end !== 'exited') return;
      end = why;
      control.write(Uint8Array.of(SIGTERM));
      kill = setTimeout(() => control.destroy(), MERCY_MS);
    };
    const cancel = () => stop('cancelled');
    limits.cancelled.addEventListener('abort', cancel, { once: true });
    const timer = setTimeout(() => stop('timed-out'), limits.timeoutMs);
    const beat = setInterval(() => limits.onBeat(systemClock.elapsedMs() - startedMs), BEAT_MS);
    const release = () => {
      for (const each of [timer, kill, beat]) clearTimeout(each);
      limits.cancelled.removeEventListener('abort', cancel);
      control.destroy();
    };
    child.once('error', (error) => {
      release();
      fail(error);
    });
    const outputEnded = collect(child, buffers);
    child.once('exit', (status, signal) => {
      const durationMs = systemClock.elapsedMs() - startedMs;
      release();
      const restMs = Math.ceil(Math.max(SILENCE_MS, limits.timeoutMs - durationMs));
      void outputEnded(AbortSignal.any([limits.cancelled, AbortSignal.timeout(restMs)])).then((isLeftOpen) => {
        const output = { out: buffers.out.read(), err: buffers.err.read() };
        resolve(success({ status, signal, end, isLeftOpen, durationMs, ...output }));
      });
    });
  });
}

/**
 * Reads both streams from now on. Returns a function that waits for the rest of the output; call this function after the program has ended.
 * The function returns false when both streams have ended. It returns true if a stream is still open after `SILENCE_MS` without output, or
 * when `stop` is aborted.
 */
function collect(
  child: ReturnType<typeof spawnLeash>,
  buffers: Readonly<Record<'out' | 'err', OutputBuffer>>,
): (stop: AbortSignal) => Promise<boolean> {
  let open = 2;
  let changed: () => void = () => undefined;
  for (const [stream, buffer] of [
    [child.stdout, buffers.out],
    [child.stderr, buffers.err],
  ] as const) {
    stream?.on('data', (chunk: Buffer) => {
      buffer.add(chunk);
      changed();
    });
    stream?.on('error', () => undefined);
    stream?.once('close', () => {
      open -= 1;
      changed();
    });
  }
  return (stop) =>
    new Promise((resolve) => {
      let silence: NodeJS.Timeout | undefined;
      const leaveOpen = () => {
        clearTimeout(silence);
        child.stdout?.destroy();
        child.stderr?.destroy();
        resolve(true);
      };
      changed = () => {
        clearTimeout(silence);
        if (open === 0) return resolve(false);
        if (stop.aborted) return leaveOpen();
        silence = setTimeout(leaveOpen, SILENCE_MS);
      };
      stop.addEventListener('abort', () => changed(), { once: true });
      changed();
    });
}

/**
 * Reads a hook's JSON, makes an activity signal of it, and sends the signal to the session in which the hook runs. A failure is printed on
 * standard error and written to `hooks.log`, and the harness goes on. If APES_SESSION names a running session, the launcher usually does
 * this work itself (`bin/session-report.h`), and this file is not loaded.
 */

import { appendFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Fault, fault } from '../../core/fault.ts';
import { harnessNamed } from '../../core/harness/harnesses.ts';
import { readReport } from '../../core/harness/hook-report.ts';
import type { ActivitySignal } from '../../core/message/session-view.ts';
import { failed, type Result, success } from '../../core/result.ts';
import { systemClock } from '../../platform/clock.ts';
import { ensurePrivateDirectory } from '../../platform/private-files.ts';
import { connectSession } from '../../session/client/client.ts';
import type { SessionEntry } from '../../session/registry.ts';
import type { CliContext } from '../context.ts';
import { withInstallation } from '../opened.ts';
import { sessionAround } from '../sessions/session-around.ts';

/** How long a report may take. After this time `apes` gives the report up, so that the harness does not wait longer. */
const DEADLINE_MS = 2_000;
/** The longest input that is reported, in bytes. */
const MAX_INPUT_LENGTH = 16 << 20;
/** In bytes. If the log is longer, the next line replaces the log. */
const MAX_LOG_LENGTH = 1 << 20;

/**
 * Reports the event whose JSON is on standard input.
 * @param eventName null: the JSON itself names the event
 */
export const reportHere = (context: CliContext, harnessName: string, eventName: string | null): Promise<void> =>
  reportInput(context, harnessName, eventName, readInput);

/**
 * Reports the event that this JSON names. The hook waits for the report before it answers. So the session has the report before the harness
 * opens a dialog.
 */
export const reportRead = (context: CliContext, harnessName: string, bytes: Uint8Array): Promise<void> =>
  reportInput(context, harnessName, null, async () => parsed([bytes]));

type ReadInput = () => Promise<Result<unknown, Fault>>;

async function reportInput(
  context: CliContext,
  harnessName: string,
  eventName: string | null,
  read: ReadInput,
): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<Fault>((resolve) => {
    timer = setTimeout(() => resolve(fault(`no answer within ${DEADLINE_MS} ms`)), DEADLINE_MS);
  });
  const trouble = await Promise.race([
    deliver(context, harnessName, eventName, read).catch((error) => fault(String(error))),
    deadline,
  ]);
  clearTimeout(timer);
  if (trouble === null) return;
  context.err(`apes hooks report: ${trouble.message}\n`);
  await keep(context, `${harnessName} ${eventName ?? '-'}: ${trouble.message}`);
}

/**
 * Returns why the event was not reported. Null in these cases:
 * - the event was reported
 * - no activity signal belongs to this event
 * - this hook does not run in a session
 */
async function deliver(
  context: CliContext,
  harnessName: string,
  eventName: string | null,
  read: ReadInput,
): Promise<Fault | null> {
  const harness = harnessNamed(harnessName);
  if (harness === null) return fault(`unknown harness ${harnessName}`);
  const around = await sessionAround(context);
  if (!around.ok) return around.failure;
  const session = around.value;
  if (session === null) return null; // not in a session of ours
  const input = await read();
  if (!input.ok) return input.failure;
  const report = readReport(harnessName, eventName, input.value);
  if (!report.ok) return report.failure;
  const { signal } = report.value;
  return signal === null ? null : sendSignal(session, harness.name, signal);
}

/** Reads the JSON on standard input. Fails if the input is too long or is not JSON. */
async function readInput(): Promise<Result<unknown, Fault>> {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of process.stdin) {
    length += (part as Buffer).length;
    if (length > MAX_INPUT_LENGTH) return failed(fault('the input of the hook is too long'));
    parts.push(part as Buffer);
  }
  return parsed(parts);
}

function parsed(parts: readonly Uint8Array[]): Result<unknown, Fault> {
  try {
    return success(JSON.parse(Buffer.concat(parts).toString('utf8') || '{}'));
  } catch {
    return failed(fault('the input of the hook is not JSON'));
  }
}

async function sendSignal(entry: SessionEntry, harness: string, signal: ActivitySignal): Promise<Fault | null> {
  const client = await connectSession(entry);
  if (!client.ok) return client.failure;
  const answer = await client.value.ask('signal', { harness, ...signal }, DEADLINE_MS);
  client.value.close();
  return answer.ok ? null : answer.failure;
}

/** Writes the line to a log of limited size in the state directory. */
async function keep(context: CliContext, line: string): Promise<void> {
  const state = await withInstallation(context, ({ paths }) => success(paths.state));
  if (!state.ok || ensurePrivateDirectory(state.value) !== null) return;
  const path = join(state.value, 'hooks.log');
  try {
    const isFull = (statSync(path, { throwIfNoEntry: false })?.size ?? 0) > MAX_LOG_LENGTH;
    const text = `${new Date(systemClock.nowMs()).toISOString()} ${line}\n`;
    if (isFull) writeFileSync(path, text, { mode: 0o600 });
    else appendFileSync(path, text, { mode: 0o600 });
  } catch {
    // a log that cannot be written must not disturb the harness
  }
}

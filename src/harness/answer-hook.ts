/**
 * From what a harness wrote to its hook's standard input to the answer it gets. Whatever is not understood is denied, in the
 * harness's own words where it has shown which harness event this is, and otherwise by the caller's exit status.
 */
import { isAbsolute } from 'node:path';
import { type Failure, failure, failureLine } from '../core/failure.ts';
import { failed, type Result, success } from '../core/result.ts';
import type { GrantView } from '../core/wire/grant-view.ts';
import { authorizeFileOperation, type FileGate, type WantedOperation } from '../gate/file-operation.ts';
import { decodeUtf8 } from '../platform/utf8.ts';
import type { HookEvent } from './dialect.ts';
import { gateShell, type OwnPrograms } from './gate-shell.ts';
import { readToolCall } from './harness-tools.ts';
import type { InstalledHarness } from './harnesses.ts';
import { isObject, type JsonObject, type ToolCall } from './tool-call.ts';

/**
 * @property environment of the hook, which is the harness's own
 * @property cwd         of the hook
 * @property openFiles   the gate for file tools; opened only when a file tool asks
 * @property ungatedTools the user's setting; none where it cannot be read
 * @property explain     what the model reads about a request that waits
 */
export interface HookPlace {
  readonly own: OwnPrograms;
  readonly environment: ReadonlyMap<string, Buffer>;
  readonly cwd: string;
  readonly openFiles: () => Promise<Result<FileGate, Failure>>;
  readonly ungatedTools: () => Promise<readonly string[]>;
  readonly explain: (grant: GrantView, isNew: boolean) => string;
}

/** The text for standard output. A failure means that not even the event was understood: exit 2, the text on standard error. */
export async function answerHook(
  harness: InstalledHarness,
  input: Uint8Array,
  place: HookPlace,
): Promise<Result<string, Failure>> {
  const object = readObject(input);
  if (!object.ok) return object;
  const event = harness.dialect.read(object.value);
  if (event === null)
    return failed(failure('unreadable', `DENIED: this is not what ${harness.title} sends before a tool`));
  const call = readToolCall(harness.tools, event.tool, event.input, object.value);
  switch (call.kind) {
    case 'ungated':
      return success(harness.dialect.pass(false, event.input));
    case 'denied':
    case 'unknown':
      return success(deny(harness, call.why));
    case 'foreign':
      return success(
        isNamed(event.tool, await place.ungatedTools())
          ? harness.dialect.pass(false, event.input)
          : deny(harness, call.why),
      );
    case 'files':
      return success(await answerFiles(harness, event, call.operations, place));
    case 'shell':
      return success(answerShell(harness, event, call, place));
  }
}

function readObject(input: Uint8Array): Result<JsonObject, Failure> {
  const text = decodeUtf8(input);
  if (text === null) return failed(failure('unreadable', 'DENIED: the input is not UTF-8'));
  try {
    const value: unknown = JSON.parse(text);
    if (isObject(value)) return success(value);
  } catch {
    // Said below: what is wrong with it helps nobody who reads a tool's result.
  }
  return failed(failure('unreadable', 'DENIED: the input is not one JSON object'));
}

function answerShell(
  harness: InstalledHarness,
  event: HookEvent,
  { command, put }: Extract<ToolCall, { kind: 'shell' }>,
  place: HookPlace,
): string {
  const verdict = gateShell(harness, command, place.own, place.environment);
  if (verdict.kind === 'as-it-is') return harness.dialect.pass(true, event.input);
  if (verdict.kind === 'denied') return deny(harness, verdict.reason);
  return harness.dialect.replace?.(put(verdict.command)) ?? deny(harness, 'the command cannot be replaced');
}

async function answerFiles(
  harness: InstalledHarness,
  event: HookEvent,
  operations: readonly WantedOperation[],
  place: HookPlace,
): Promise<string> {
  const cwd = event.cwd ?? place.cwd;
  const named = harness.project === null ? undefined : place.environment.get(harness.project)?.toString('utf8');
  const project = event.project ?? named ?? cwd;
  if (!isAbsolute(cwd) || !isAbsolute(project)) return deny(harness, 'the working directory is not an absolute path');
  const files = await place.openFiles();
  if (!files.ok) return deny(harness, line(files.failure));
  const outcome = await authorizeFileOperation(files.value, { operations, cwd, project }, { patience: null });
  switch (outcome.kind) {
    case 'permitted':
      return harness.dialect.pass(outcome.permit.grantId !== null, event.input);
    case 'pending':
    case 'cancelled':
      return harness.dialect.deny(place.explain(outcome.grant, outcome.kind === 'pending' && outcome.isNew));
    case 'refused':
      return deny(harness, line(outcome.failure));
  }
}

/** @param names whole, or a beginning and `*` */
const isNamed = (tool: string, names: readonly string[]): boolean =>
  names.some((name) => (name.endsWith('*') ? tool.startsWith(name.slice(0, -1)) : tool === name));

const line = (why: Failure): string => failureLine('', why).slice(': '.length);

const deny = (harness: InstalledHarness, reason: string): string =>
  harness.dialect.deny(`ape-shell: DENIED, nothing was done: ${reason}`);

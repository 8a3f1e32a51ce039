/**
 * Reads the event that a harness wrote to its hook's standard input, and makes the answer. If the event is understood, but not its tool or
 * the tool's input, the answer denies the call in the harness's form. If the event itself is not understood, `answerHook` fails.
 */

import { isAbsolute } from 'node:path';
import { type Failure, failure, failureLine } from '../core/failure.ts';
import { otherReading } from '../core/files/path-text.ts';
import { failed, type Result, success } from '../core/result.ts';
import { visibleText } from '../core/text/visible-text.ts';
import type { GrantView } from '../core/wire/grant-view.ts';
import type { Authorization } from '../gate/authorize.ts';
import { authorizeFetch, authorizeFileOperation, type FileGate, type WantedOperation } from '../gate/file-operation.ts';
import { decodeUtf8 } from '../platform/utf8.ts';
import type { HookEvent } from './dialect.ts';
import { gateShell, type OwnPrograms } from './gate-shell.ts';
import { readToolCall } from './harness-tools.ts';
import { tooOldText } from './harness-version.ts';
import { findHarness, HARNESS_NAMES, type SupportedHarness } from './harnesses.ts';
import { isObject, type JsonObject } from './tool-call.ts';

/**
 * @property own          the path of `ape-shell`, and the installation of this gate
 * @property environment  the environment of the hook, inherited from the harness
 * @property cwd          the working directory of the hook
 * @property openFiles    opens the gate for file tools and web fetches; called only for an event of a file tool or a web fetch
 * @property ungatedTools reads the user's setting `hooks.ungated_tools`; returns an empty list if the setting cannot be read
 * @property explain      makes the text for the model about a request that waits for a decision; `isNew` is false if the same request was
 *                        filed before
 */
export interface HookPlace {
  readonly own: OwnPrograms;
  readonly environment: ReadonlyMap<string, Buffer>;
  readonly cwd: string;
  readonly openFiles: () => Promise<Result<FileGate, Failure>>;
  readonly ungatedTools: () => Promise<readonly string[]>;
  readonly explain: (grant: GrantView, isNew: boolean) => string;
}

/**
 * Returns the text for standard output. A failure means that the event was not understood. The caller then writes the failure to standard
 * error, and exits with 2.
 */
export async function answerHook(
  harness: SupportedHarness,
  input: Uint8Array,
  place: HookPlace,
): Promise<Result<string, Failure>> {
  const object = readObject(input);
  if (!object.ok) return object;
  const event = harness.dialect.read(object.value);
  if (event === null) return failed(failure('unreadable', `DENIED: ${notItsEvent(harness, object.value)}`));
  const tooOld = refusedVersion(harness, place);
  if (tooOld !== null) return success(deny(harness, tooOld));
  const call = readToolCall(harness.tools, event.tool, event.input, object.value);
  switch (call.kind) {
    case 'ungated':
      return success(harness.dialect.pass(false, event.input));
    case 'denied':
    case 'unknown':
      return success(deny(harness, call.why));
    case 'unexamined':
      return success(
        isNamed(event.tool, await place.ungatedTools())
          ? harness.dialect.pass(false, event.input)
          : deny(harness, call.why),
      );
    case 'files':
      return success(await answerFiles(harness, event, call.operations, place, object.value));
    case 'fetches':
      return success(await answerFetches(harness, event, call.urls, place));
    case 'shell':
      return success(answerShells(harness, event, [call.command], ([command = '']) => call.put(command), place));
    case 'shells':
      return success(answerShells(harness, event, call.commands, call.put, place));
  }
}

/** Returns why this version of the harness is refused; null if the version is accepted, or if the harness does not name its version. */
function refusedVersion(harness: SupportedHarness, { environment }: HookPlace): string | null {
  const version = harness.versionOf?.((name) => environment.get(name)?.toString('utf8')) ?? null;
  return version === null ? null : tooOldText(harness, version);
}

/**
 * Returns why the event is not understood. Some harnesses also call the hooks that are installed for other harnesses. If the event fits
 * exactly one harness, the text names that harness. A human has to switch that harness's extra calls off.
 */
function notItsEvent(harness: SupportedHarness, event: JsonObject): string {
  const what = `this is not the event that ${harness.title} sends before a tool`;
  const senders = HARNESS_NAMES.map(findHarness).filter((other) => other?.dialect.read(event) != null);
  const [sender] = senders;
  if (senders.length !== 1 || sender === undefined || sender === null) return what;
  return `${what}. ${sender.title} sent it, because it also calls hooks of other harnesses. A human has to look: apes hooks check ${sender.name}`;
}

function readObject(input: Uint8Array): Result<JsonObject, Failure> {
  const text = decodeUtf8(input);
  if (text === null) return failed(failure('unreadable', 'DENIED: the input is not UTF-8'));
  try {
    const value: unknown = JSON.parse(text);
    if (isObject(value)) return success(value);
  } catch {
    // The failure below is enough. The position of a syntax error would not help the model that reads the failure.
  }
  return failed(failure('unreadable', 'DENIED: the input is not one JSON object'));
}

/**
 * Denies the whole call if one command is denied. If no command is denied, replaces each command that would bypass the gate. If the harness
 * cannot replace commands, denies the call instead.
 */
function answerShells(
  harness: SupportedHarness,
  event: HookEvent,
  commands: readonly string[],
  put: (commands: readonly string[]) => JsonObject,
  place: HookPlace,
): string {
  const verdicts = commands.map((command) => gateShell(harness, command, place.own, place.environment));
  const denied = verdicts.find(({ kind }) => kind === 'denied');
  if (denied?.kind === 'denied') return deny(harness, denied.reason);
  if (verdicts.every(({ kind }) => kind === 'as-it-is')) return harness.dialect.pass(true, event.input);
  const instead = verdicts.map((verdict, at) => (verdict.kind === 'instead' ? verdict.command : (commands[at] ?? '')));
  return harness.dialect.replace?.(put(instead)) ?? deny(harness, 'the command cannot be replaced');
}

async function answerFiles(
  harness: SupportedHarness,
  event: HookEvent,
  operations: readonly WantedOperation[],
  place: HookPlace,
  eventObject: JsonObject,
): Promise<string> {
  const at = directoriesOf(harness, event, place);
  if (at === null) return deny(harness, NO_DIRECTORY);
  const unclear = relativePath(harness, operations) ?? unclearPath(operations, [at.cwd, at.project]);
  if (unclear !== null) return deny(harness, unclear);
  const files = await place.openFiles();
  if (!files.ok) return deny(harness, line(files.failure));
  const ownOutput = harness.ownOutput?.(eventObject, (name) => place.environment.get(name)?.toString('utf8')) ?? [];
  const wanted = { operations, ...at, ownOutput };
  return answerOutcome(harness, event, await authorizeFileOperation(files.value, wanted, { waitOptions: null }), place);
}

async function answerFetches(
  harness: SupportedHarness,
  event: HookEvent,
  urls: readonly string[],
  place: HookPlace,
): Promise<string> {
  const at = directoriesOf(harness, event, place);
  if (at === null) return deny(harness, NO_DIRECTORY);
  const files = await place.openFiles();
  if (!files.ok) return deny(harness, line(files.failure));
  const outcome = await authorizeFetch(files.value, urls, at.project, { waitOptions: null });
  return outcome === null ? harness.dialect.pass(false, event.input) : answerOutcome(harness, event, outcome, place);
}

const NO_DIRECTORY = 'the working directory is not an absolute path';

function directoriesOf(harness: SupportedHarness, event: HookEvent, place: HookPlace) {
  const cwd = event.cwd ?? place.cwd;
  const named = harness.project === null ? undefined : place.environment.get(harness.project)?.toString('utf8');
  const project = event.project ?? named ?? cwd;
  return isAbsolute(cwd) && isAbsolute(project) ? { cwd, project } : null;
}

function answerOutcome(harness: SupportedHarness, event: HookEvent, outcome: Authorization, place: HookPlace): string {
  switch (outcome.kind) {
    case 'permitted':
      return harness.dialect.pass(outcome.permit.grantId !== null, event.input);
    case 'pending':
    case 'cancelled':
      return harness.dialect.deny(
        visibleText(place.explain(outcome.grant, outcome.kind === 'pending' && outcome.isNew)),
      );
    case 'refused':
      return deny(harness, line(outcome.failure));
  }
}

/** @param names whole names, or beginnings of names with `*` after them */
const isNamed = (tool: string, names: readonly string[]): boolean =>
  names.some((name) => (name.endsWith('*') ? tool.startsWith(name.slice(0, -1)) : tool === name));

/**
 * Returns why a tool could read a path of the call as another path; null if each path is clear. Kimi Code expands `~`, openclaw drops `@`,
 * Gemini CLI decodes `%2e`, Qwen Code drops a backslash before a blank, and the search tools of Claude Code drop blanks.
 */
function unclearPath(operations: readonly WantedOperation[], bases: readonly string[]): string | null {
  for (const { path } of operations) {
    const reading = otherReading(path, bases);
    if (reading !== null)
      return `write ${JSON.stringify(path.slice(0, 80))} as an absolute path, exactly as the file is named: some tools ${reading}`;
  }
  return null;
}

/**
 * Returns why a relative path is denied; null if no path is denied. Some harnesses may resolve relative paths in another directory than
 * the event names. For example, the event of Hermes Agent names the directory of its process. But Hermes Agent resolves relative paths in
 * the directory of its terminal, and commands can change that directory.
 */
function relativePath(harness: SupportedHarness, operations: readonly WantedOperation[]): string | null {
  if (harness.hasKnownDirectory !== false) return null;
  const relative = operations.find(({ path }) => !isAbsolute(path));
  return relative === undefined
    ? null
    : `write ${JSON.stringify(relative.path.slice(0, 80))} as an absolute path: ${harness.title} does not tell the gate from which directory relative paths start`;
}

const line = (why: Failure): string => failureLine('', why).slice(': '.length);

const deny = (harness: SupportedHarness, reason: string): string =>
  harness.dialect.deny(visibleText(`ape-shell: DENIED, nothing was done: ${reason}`));

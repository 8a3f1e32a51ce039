/**
 * Runs an installed hook line once for each of `CASES`. The outcome shows whether the harness would deny the tool. The harness itself is
 * not started.
 */
import { chmodSync, copyFileSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readGatedCall, singleQuoted } from '../core/grant/own-call.ts';
import { framedAnswer } from './guard-answer.ts';
import { readToolCall } from './harness-tools.ts';
import type { SupportedHarness } from './harnesses.ts';
import { awaitDescendant, type LineOutcome, type LineRun, runLine } from './run-line.ts';
import { isObject, type JsonObject } from './tool-call.ts';

/**
 * @property holds  whether the gate holds in this case: the tool was denied, or goes through ape-shell
 * @property isSeen false: the case could not be tried; `holds` is then false
 * @property result a text for people: what was seen
 */
export interface CaseResult {
  readonly name: string;
  readonly holds: boolean;
  readonly isSeen?: false;
  readonly result: string;
}

/**
 * @property line        the hook line from the settings
 * @property guard       the absolute path of the hook guard (`bin/hook-guard.c`) in that line
 * @property shell       the absolute path of `ape-shell`
 * @property environment the environment of the caller
 */
export interface CheckedLine {
  readonly harness: SupportedHarness;
  readonly line: string;
  readonly guard: string;
  readonly shell: string;
  readonly environment: Readonly<Record<string, string>>;
}

interface Scene extends CheckedLine {
  readonly scratch: string;
}

/** The name of a tool that does not exist. In every harness, the tools of MCP servers have names of another form. */
const NO_SUCH_TOOL = 'apeshellnosuchtool';

const ANSWERS = `cat > /dev/null; printf %s ${singleQuoted(framedAnswer('{}\n'))}`;

const CASES: readonly (readonly [string, (scene: Scene) => Promise<CaseResult | LineOutcome>])[] = [
  ['a command goes through ape-shell', gatedCommand],
  ['the grant server is down: command', commandWithoutServer],
  ['the grant server is down: file tool', (scene) => play(scene, fileEvent(scene), { ...SERVER_DOWN })],
  ['a command that cannot be read (NUL)', (scene) => play(scene, shellEvent(scene, 'echo \0'))],
  ['bad input (not JSON)', (scene) => play(scene, '{"tool')],
  ['a tool that the gate does not know', (scene) => play(scene, eventOf(scene, NO_SUCH_TOOL, {}))],
  ['the gate is killed (SIGKILL)', (scene) => playAndKill(scene, ['hook-guard', 'apes'])],
  ['the guard is killed (SIGKILL)', (scene) => playAndKill(scene, ['hook-guard'])],
  ['no answer in time', (scene) => play(scene, null, { APES_HOOK_DEADLINE: '1' })],
  ['the gate is missing', (scene) => playWith(scene, null)],
  ['the guard is missing', (scene) => play(scene, shellEvent(scene, 'true'), {}, '/nonexistent/hook-guard')],
  ['bad output', (scene) => playWith(scene, 'cat > /dev/null; echo oops')],
  ['no output', (scene) => playWith(scene, 'cat > /dev/null')],
  ['the gate fails after an answer (exit 1)', (scene) => playWith(scene, `${ANSWERS}; exit 1`)],
  ['the answer is cut off', (scene) => playWith(scene, `${ANSWERS} | head -c 10`)],
];

/** Runs the cases one after another, in a temporary directory. Returns one result for each case, in the order of `CASES`. */
export async function checkLine(checked: CheckedLine): Promise<readonly CaseResult[]> {
  const scratch = mkdtempSync(join(tmpdir(), 'apes-hooks-check-'));
  try {
    const results: CaseResult[] = [];
    for (const [name, run] of CASES) {
      const seen = await run({ ...checked, line: calledLine(checked), scratch });
      results.push('holds' in seen ? { ...seen, name } : { name, ...resultOf(checked.harness, seen) });
    }
    return results;
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/**
 * Returns the line that the harness runs. If the guard fails, the line's part after `||` denies the tool. A harness that starts the guard
 * without a shell does not run this part.
 */
function calledLine({ harness, line }: CheckedLine): string {
  return harness.isCalledDirectly ? `${line.slice(0, line.lastIndexOf(' || { '))}; exit $?` : line;
}

/**
 * Finds out whether the harness denies the tool after this outcome. A harness denies the tool after:
 * - exit 2 with a text on standard error, unless the harness ignores exit 2
 * - exit 0 with a denial in the harness's dialect
 * - any end except exit 0, if the harness starts the guard without a shell
 */
function resultOf(harness: SupportedHarness, outcome: LineOutcome): Omit<CaseResult, 'name'> {
  const isExitTwo = outcome.status === 2 && outcome.err.trim() !== '';
  if (isExitTwo && harness.obeysExitTwo !== false) return { holds: true, result: 'denied (exit 2)' };
  if (harness.isCalledDirectly && outcome.status !== 0)
    return { holds: true, result: 'denied (the guard did not exit with 0)' };
  const answer = outcome.status === 0 ? objectIn(outcome.out) : null;
  if (answer !== null && harness.dialect.isDenial(answer)) return { holds: true, result: 'denied' };
  const how = outcome.status === null ? 'ended by a signal' : `exit ${outcome.status}`;
  return { holds: false, result: `NOT DENIED: ${how}, ${JSON.stringify(outcome.out.slice(0, 80))}` };
}

const SERVER_DOWN = { APES_SERVER_URL: 'http://127.0.0.1:9', APES_RESIDENT: '0', APE_WAIT: '0' };
const MAX_MS = 40_000;

const runOf = (scene: Scene, line: string, input: string | null, more: Record<string, string>): LineRun => ({
  line,
  input,
  cwd: scene.scratch,
  environment: { ...scene.environment, ...more },
  mostMs: MAX_MS,
});

function play(
  scene: Scene,
  input: string | null,
  more: Record<string, string> = {},
  guard = scene.guard,
): Promise<LineOutcome> {
  const line = scene.line.replaceAll(singleQuoted(scene.guard), () => singleQuoted(guard));
  return runLine(runOf(scene, line, input, more));
}

/**
 * Runs the line, and kills one of the line's processes. Each process in `names` is a descendant of the process before it. The last process
 * of `names` is killed. Standard input stays open, so that no process ends by itself.
 */
async function playAndKill(scene: Scene, names: readonly string[]): Promise<CaseResult | LineOutcome> {
  let isKilled = false;
  const outcome = await runLine({
    ...runOf(scene, scene.line, null, {}),
    during: async (child) => {
      let pid: number | null = child.pid ?? null;
      for (const name of names) pid = await awaitDescendant(pid ?? undefined, name);
      if (pid !== null) isKilled = killed(pid);
    },
  });
  return isKilled
    ? outcome
    : { name: '', holds: false, isSeen: false, result: 'NOT TRIED: the process to kill was not seen' };
}

/** Kills the process. Returns false if it has already ended. */
function killed(pid: number): boolean {
  try {
    return process.kill(pid, 'SIGKILL');
  } catch {
    return false;
  }
}

/**
 * Plays the scene with a copy of the guard. The guard calls the gate: the program `apes` in the guard's directory. Here, the script `gate`
 * is that program.
 * @param gate null: there is no program `apes`
 */
async function playWith(scene: Scene, gate: string | null): Promise<LineOutcome> {
  const folder = mkdtempSync(join(scene.scratch, 'guard-'));
  const guard = join(folder, 'hook-guard');
  copyFileSync(scene.guard, guard);
  chmodSync(guard, 0o755);
  if (gate !== null) writeFileSync(join(folder, 'apes'), `#!/bin/sh\n${gate}\n`, { mode: 0o755 });
  return play(scene, shellEvent(scene, 'true'), {}, guard);
}

async function gatedCommand(scene: Scene): Promise<CaseResult> {
  const outcome = await runLine(runOf(scene, scene.line, shellEvent(scene, 'true'), {}));
  const command = commandOf(scene, outcome, 'true');
  if (command !== null && readGatedCall(command, scene.shell)?.command === 'true')
    return { name: '', holds: true, result: 'replaced by ape-shell -c …' };
  if (scene.harness.shellGates !== null && command === unchangedCall(scene, 'true'))
    return { name: '', holds: true, result: 'unchanged: the harness runs ape-shell as its shell' };
  if (command !== null)
    return {
      name: '',
      holds: false,
      result: `NOT GATED: the harness would run ${JSON.stringify(command.slice(0, 80))}`,
    };
  const shown = resultOf(scene.harness, outcome);
  return { name: '', ...shown, result: shown.holds ? 'denied, with the call to make instead' : shown.result };
}

/**
 * Checks that the wanted command does not run while the grant server is down. Runs the command line that the harness would run after the
 * guard's answer.
 */
async function commandWithoutServer(scene: Scene): Promise<CaseResult> {
  const marker = join(scene.scratch, 'has-run');
  const wanted = `touch ${singleQuoted(marker)}`;
  const answer = await runLine(runOf(scene, scene.line, shellEvent(scene, wanted), SERVER_DOWN));
  const command = commandOf(scene, answer, wanted);
  if (command === null) return { name: '', ...resultOf(scene.harness, answer) };
  const outcome = await runLine(runOf(scene, command, '', SERVER_DOWN));
  const hasRun = existsSync(marker);
  const result = hasRun ? 'THE COMMAND RAN' : `did not run, exit ${outcome.status}`;
  return { name: '', holds: !hasRun && outcome.status !== 0, result };
}

/** Returns the command line that the harness would run after this outcome of the hook line; null if the harness would run nothing. */
function commandOf(scene: Scene, outcome: LineOutcome, wanted: string): string | null {
  const answer = outcome.status === 0 ? objectIn(outcome.out) : null;
  if (answer === null || scene.harness.dialect.isDenial(answer)) return null;
  const inner = isObject(answer['hookSpecificOutput']) ? answer['hookSpecificOutput'] : answer;
  const input =
    inner['updatedInput'] ?? inner['modifiedArgs'] ?? inner['tool_input'] ?? inner['overrideInput'] ?? inner['input'];
  const call = isObject(input) ? readToolCall(scene.harness.tools, scene.harness.sample.shell, input, {}) : null;
  if (call?.kind === 'shell') return call.command;
  if (call?.kind === 'shells') return call.commands.join('; ');
  return unchangedCall(scene, wanted);
}

/**
 * Returns the command line that runs the wanted command, unchanged, in the harness's shell. `/bin/sh` represents a shell that we cannot
 * choose.
 */
function unchangedCall({ harness: { shellGates } }: Scene, wanted: string): string {
  const shell = shellGates === 'path' ? 'bash' : shellGates === 'variable' ? '"$SHELL"' : '/bin/sh';
  return `${shell} -c ${singleQuoted(wanted)}`;
}

function objectIn(text: string): JsonObject | null {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

function shellEvent(scene: Scene, command: string): string {
  const { sample } = scene.harness;
  return eventOf(scene, sample.shell, sample.command?.(command) ?? { command, description: 'check' });
}

const fileEvent = (scene: Scene): string => {
  const { tool, input } = scene.harness.sample.write(join(scene.scratch, 'new.txt'));
  return eventOf(scene, tool, input);
};

function eventOf(scene: Scene, tool: string, input: JsonObject): string {
  const { event, make } = scene.harness.sample;
  const own =
    event === null
      ? { tool, input, project: scene.scratch }
      : { hook_event_name: event, tool_name: tool, tool_input: input, session_id: 'check' };
  return JSON.stringify(make?.(tool, input, scene.scratch) ?? { ...own, cwd: scene.scratch });
}

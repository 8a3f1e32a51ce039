/** `apes hooks check HARNESS`: whether the installed hook denies in each case of failure, and what stays open. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { type Failure, failure } from '../../core/failure.ts';
import { type CaseResult, checkLine } from '../../harness/check-line.ts';
import { type Gap, NOT_A_SANDBOX } from '../../harness/harness-installation.ts';
import { installationOf } from '../../harness/harness-installations.ts';
import { type HeldVersion, type Standing, standingOf, tooOldText } from '../../harness/harness-version.ts';
import type { SupportedHarness } from '../../harness/harnesses.ts';
import { hasAllOf } from '../../harness/hook-file.ts';
import { guardLineFor } from '../../harness/own-lines.ts';
import { findHarnessProgram } from '../../harness/program-version.ts';
import { leadsTo } from '../../harness/shim.ts';
import { findSwitches } from '../../harness/switched-off.ts';
import { systemClock } from '../../platform/clock.ts';
import type { Paint } from '../colour.ts';
import type { CliContext } from '../context.ts';
import { answering, answeringWithLine, type Ending, failing } from '../ending.ts';
import type { LiveCheck } from './check-live.ts';
import { entriesDigest, type KnownHarness, keepKnown, readKnown } from './held-versions.ts';
import {
  environmentTexts,
  type HookScopeOptions,
  type HookWork,
  harnessArgument,
  openHookWork,
  withScope,
} from './install.ts';

interface CheckOptions extends HookScopeOptions {
  readonly live?: true;
}

export function registerHooksCheck(hooks: Command, context: CliContext): void {
  withScope(hooks.command('check'))
    .addArgument(harnessArgument())
    .description('cause each failure with the installed hook and see that it denies; say what stays open')
    .option('--live', 'start the agent itself, with a scripted model, in a home of its own, and remember what held')
    .option('--json', 'one JSON object')
    .action(context.settle((harness: SupportedHarness, options: CheckOptions) => check(context, harness, options)));
}

async function check(context: CliContext, harness: SupportedHarness, options: CheckOptions): Promise<Ending> {
  const work = await openHookWork(context, harness, options);
  if (!work.ok) return failing(work.failure);
  const { places, plan, installation } = work.value;
  if (options.live === true && (harness.program === null || places.scope === 'project'))
    return failing(
      failure('usage', '--live starts an agent with the settings of its user or, with --managed, of the machine'),
    );
  const { state } = installation.paths;
  const environment = environmentTexts(context);
  const program = await findHarnessProgram(harness, environment);
  const known = readKnown(state, harness.name, places.scope);
  const digest = entriesDigest(plan);
  const live = options.live === true ? await liveCheck(context, work.value) : null;
  const isHeld = live !== null && live.version !== null && live.rows.every(({ holds }) => holds);
  const held =
    isHeld && live.version !== null ? { version: live.version, digest, at: today() } : heldBefore(known, live);
  const standing = standingOf(harness, program, held, digest);
  const rows = [
    ...versionRows(harness, standing),
    ...(await rowsOf(context, work.value, environment)),
    ...(live?.rows ?? []),
  ].map((row) => ({ ...row, state: stateOf(row) }));
  const version = program?.version ?? null;
  const unkept =
    harness.program === null
      ? null
      : keepKnown(state, { harness: harness.name, scope: places.scope, held, standing: standing.kind, version });
  if (unkept !== null) return failing(unkept);
  const gaps = [...installationOf(harness.name).gaps, NOT_A_SANDBOX];
  const data = {
    harness: harness.name,
    isDriven: harness.isDriven !== false,
    version,
    standing: standing.kind,
    rows,
    gaps,
  };
  const text = table(harness, standing, rows, gaps, context.paint);
  const broken = rows.filter(({ holds }) => !holds).length;
  return broken === 0 ? answering(data, text) : answeringWithLine(unsound(harness, standing, broken), data, text);
}

const today = (): string => new Date(systemClock.nowMs()).toISOString().slice(0, 10);

/** Returns the version that was seen to hold before; null after a new try, which did not hold. */
const heldBefore = (known: KnownHarness | null, live: LiveCheck | null): HeldVersion | null =>
  live === null ? (known?.held ?? null) : null;

const liveCheck = async (context: CliContext, { harness, places }: HookWork): Promise<LiveCheck> =>
  (await import('./check-live.ts')).checkLive(context, harness, places.scope);

/** `holds` only if this check has seen it. */
const stateOf = ({ holds, isSeen }: CaseResult): 'holds' | 'open' | 'not seen' =>
  holds ? 'holds' : isSeen === false ? 'not seen' : 'open';

/** Rows about what is installed, what passes the gate, and how each failure ends. */
async function rowsOf(
  context: CliContext,
  work: HookWork,
  environment: Readonly<Record<string, string>>,
): Promise<readonly CaseResult[]> {
  const { harness, places } = work;
  const installation = installationOf(harness.name);
  const installed = await whereInstalled(work);
  const guard = join(context.dist, 'bin/hook-guard');
  const shell = join(context.dist, 'bin/ape-shell');
  const [line] = installed.lines;
  const cases = line === undefined ? [] : await checkLine({ harness, line, guard, shell, environment });
  const switches = findSwitches(installation.settingsFiles(places));
  const openings = (await installation.openings?.(places)) ?? [];
  const shim = shimResult(work, shell);
  return [
    ...installed.rows,
    ...(shim === null ? [] : [shim]),
    ...switches.map(switchedOff),
    ...openings.map(passing),
    ...(harness.isDriven === false ? [notDriven(harness)] : []),
    ...cases,
  ];
}

function versionRows(harness: SupportedHarness, standing: Standing): readonly CaseResult[] {
  if (standing.kind === 'too old')
    return [{ name: 'the version', holds: false, result: tooOldText(harness, standing.version) ?? standing.version }];
  if (standing.kind !== 'never seen') return [];
  const result = `${standing.version ?? 'unknown version'}: not checked yet, it may not hold`;
  return [{ name: 'the version', holds: false, isSeen: false, result }];
}

function unsound(harness: SupportedHarness, standing: Standing, broken: number): Failure {
  const advice =
    standing.kind === 'too old'
      ? 'update it'
      : standing.kind === 'never seen'
        ? `apes hooks check ${harness.name} --live tries this version here`
        : `apes hooks install ${harness.name}`;
  return failure(
    'configuration',
    `${harness.title}: ${broken} of the rows above ${broken === 1 ? 'does' : 'do'} not hold`,
    harness.isDriven === false ? 'try it before you rely on it' : advice,
  );
}

/** Returns the hook lines that the harness would call, and one row for each file that should have one. */
async function whereInstalled({
  harness,
  plan,
  places,
}: HookWork): Promise<{ readonly lines: readonly string[]; readonly rows: readonly CaseResult[] }> {
  const wanted = installationOf(harness.name).line?.(places) ?? guardLineFor(places, harness.name);
  if (harness.name === 'generic') return { lines: [wanted], rows: [] };
  const rows: CaseResult[] = [];
  const lines: string[] = [];
  for (const file of plan.files) {
    const text = existsSync(file.path) ? readFileSync(file.path, 'utf8') : null;
    const found = text === null ? [] : file.lines(text);
    lines.push(...found.filter((line) => line === wanted));
    const isWhole = text !== null && hasAllOf(file, text);
    rows.push({
      name: `installed in ${file.path}`,
      holds: isWhole,
      result: text === null ? 'NO: there is no such file' : isWhole ? 'yes' : 'NO: removed or altered',
    });
  }
  return { lines, rows };
}

function shimResult({ harness, plan }: HookWork, shell: string): CaseResult | null {
  if (plan.shim === null) return null;
  const isThere = leadsTo(plan.shim) === shell;
  return {
    name: `the PATH shim ${plan.shim}`,
    holds: isThere,
    result: isThere
      ? `there; it gates where ${harness.program ?? 'the harness'} was started with it in PATH`
      : 'NO: missing or altered',
  };
}

/** For a harness that was never driven: the check sees only our own part, so no row may say that it holds. */
const notDriven = (harness: SupportedHarness): CaseResult => ({
  name: `${harness.title} obeys its hook`,
  holds: false,
  isSeen: false,
  result: 'it was not driven by us; the rows below are what our guard answers, by its documentation',
});

const switchedOff = (what: string): CaseResult => ({ name: 'settings switch hooks off', holds: false, result: what });

const passing = (what: string): CaseResult => ({ name: 'something passes the gate', holds: false, result: what });

function table(
  harness: SupportedHarness,
  standing: Standing,
  rows: readonly CaseResult[],
  gaps: readonly Gap[],
  paint: Paint,
): string {
  const width = Math.max(...rows.map(({ name }) => name.length), 10);
  return [
    `${harness.title}: ${versionText(harness, standing)}`,
    ...rows.map((row) => `  ${stateWord(harness, row, paint)}  ${row.name.padEnd(width)}  ${row.result}`),
    'What stays open:',
    ...gaps.map(({ what, closedBy }) => `  - ${what}\n      closed by: ${closedBy ?? 'no setting of the harness'}`),
    '',
  ].join('\n');
}

function stateWord(harness: SupportedHarness, row: CaseResult, paint: Paint): string {
  const state = stateOf(row);
  // Of a harness that was never driven, only the answer of our own guard was seen.
  if (state === 'holds') return paint('green', harness.isDriven === false ? 'said    ' : 'holds   ');
  return state === 'open' ? paint('red', 'OPEN    ') : paint('yellow', 'not seen');
}

function versionText(harness: SupportedHarness, standing: Standing): string {
  const seen = harness.observed.join(', ');
  if (harness.program === null) return 'the protocol for any other';
  if (harness.isDriven === false) return 'NOT DRIVEN BY US, from its documentation only';
  switch (standing.kind) {
    case 'absent':
      return `not found in PATH (seen working with ${seen})`;
    case 'observed':
      return `${standing.version}, a version that was seen working`;
    case 'held':
      return `${standing.version}, held here on ${standing.at} with these entries (--live)`;
    case 'too old':
      return `${standing.version}: TOO OLD`;
    case 'never seen':
      return `${standing.version ?? 'unknown version'}: NEVER SEEN (seen working: ${seen})`;
  }
}

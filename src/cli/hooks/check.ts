/**
 * `apes hooks check HARNESS`: checks whether the installed hook denies in each case of failure, and lists the ways past the gate that stay
 * open.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { type Failure, failure } from '../../core/failure.ts';
import { type CaseResult, checkLine } from '../../harness/check-line.ts';
import { type Gap, NOT_A_SANDBOX } from '../../harness/harness-installation.ts';
import { installationOf } from '../../harness/harness-installations.ts';
import { type Standing, standingOf, type Tries, tooOldText } from '../../harness/harness-version.ts';
import type { SupportedHarness } from '../../harness/harnesses.ts';
import { hasAllEntries } from '../../harness/hook-file.ts';
import { guardLineFor } from '../../harness/own-lines.ts';
import { findHarnessProgram } from '../../harness/program-version.ts';
import { findInProject } from '../../harness/project-findings.ts';
import { shimTarget } from '../../harness/shim.ts';
import { findSwitches } from '../../harness/switched-off.ts';
import { systemClock } from '../../platform/clock.ts';
import { loadTomlReader } from '../../platform/toml.ts';
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
    .description('try the installed hook in each case of failure, see that it denies, and list what stays open')
    .option(
      '--live',
      'start the agent itself, with a scripted model, in a temporary home; record its version if the gate stopped every call without a grant',
    )
    .option('--json', 'one JSON object')
    .action(context.settle((harness: SupportedHarness, options: CheckOptions) => check(context, harness, options)));
}

async function check(context: CliContext, harness: SupportedHarness, options: CheckOptions): Promise<Ending> {
  const work = await openHookWork(context, harness, options);
  if (!work.ok) return failing(work.failure);
  const { places, plan, installation } = work.value;
  if (options.live === true && harness.program === null)
    return failing(failure('usage', '--live needs a harness with a program of its own', 'leave --live out'));
  if (options.live === true && places.scope === 'project')
    return failing(failure('usage', '--live does not work with the settings of a project', 'leave --project out'));
  const { state } = installation.paths;
  const environment = environmentTexts(context);
  const program = await findHarnessProgram(harness, environment);
  const known = readKnown(state, harness.name, places.scope);
  const digest = entriesDigest(plan);
  const live = options.live === true ? await liveCheck(context, work.value) : null;
  const tries = triesAfter(known, live, digest);
  const standing = standingOf(harness, program, tries, digest);
  const rows = [
    ...versionRows(harness, standing),
    ...(await rowsOf(context, work.value, environment)),
    ...(live?.rows ?? []),
  ].map((row) => ({ ...row, state: stateOf(harness, row) }));
  const version = program?.version ?? null;
  const keepFailure =
    harness.program === null
      ? null
      : keepKnown(state, { harness: harness.name, scope: places.scope, ...tries, standing: standing.kind, version });
  if (keepFailure !== null) return failing(keepFailure);
  const gaps = [...installationOf(harness.name).gaps, NOT_A_SANDBOX];
  const data = {
    harness: harness.name,
    isTried: harness.isTried !== false,
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

/**
 * Returns what the tries have shown. `live` is the try of this check; null: this check has tried nothing. A try makes an earlier `held` out
 * of date. A try removes an earlier `open` only if each case of the try holds.
 */
function triesAfter(known: KnownHarness | null, live: LiveCheck | null, digest: string): Tries {
  const before = { held: known?.held ?? null, open: known?.open ?? null };
  if (live === null) return before;
  const tried = live.version === null ? null : { version: live.version, digest, at: today() };
  if (live.rows.every(({ holds }) => holds)) return { held: tried, open: tried === null ? before.open : null };
  const isOpen = live.rows.some(({ holds, isSeen }) => !holds && isSeen !== false);
  return { held: null, open: isOpen && tried !== null ? tried : before.open };
}

const liveCheck = async (context: CliContext, { harness, places }: HookWork): Promise<LiveCheck> =>
  (await import('./check-live.ts')).checkLive(context, harness, places.scope);

/**
 * - `holds`:    this check has seen that the row is as it must be
 * - `answered`: like `holds`, but we have never run this harness. The check has only seen our files and our guard's answer
 * - `not seen`: this check cannot see whether the row is as it must be
 * - `open`:     this check has seen that the row is not as it must be
 */
function stateOf({ isTried }: SupportedHarness, { holds, isSeen }: CaseResult): keyof typeof STATE_COLOURS {
  if (holds) return isTried === false ? 'answered' : 'holds';
  return isSeen === false ? 'not seen' : 'open';
}

const STATE_COLOURS = { holds: 'green', answered: 'green', 'not seen': 'yellow', open: 'red' } as const;

/** Rows about what is installed, what bypasses the gate, and what the hook does in each case of failure. */
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
  const found = await findInProject(harness.title, installation, places, await loadTomlReader());
  const shim = shimResult(work, shell);
  return [
    ...installed.rows,
    ...(shim === null ? [] : [shim]),
    ...switches.map(switchedOff),
    ...[...openings, ...found].map(bypassing),
    ...(harness.isTried === false ? [untried(harness)] : []),
    ...cases,
  ];
}

function versionRows(harness: SupportedHarness, standing: Standing): readonly CaseResult[] {
  if (standing.kind === 'too old')
    return [{ name: 'the version', holds: false, result: tooOldText(harness, standing.version) ?? standing.version }];
  if (standing.kind === 'does not hold')
    return [
      {
        name: 'the version',
        holds: false,
        result: `${standing.version}: the gate did not hold on ${standing.at} (--live)`,
      },
    ];
  if (standing.kind !== 'never seen') return [];
  const result = `${standing.version ?? 'unknown version'}: not checked yet, so it is not known whether its gate holds`;
  return [{ name: 'the version', holds: false, isSeen: false, result }];
}

function unsound(harness: SupportedHarness, standing: Standing, broken: number): Failure {
  return failure(
    'configuration',
    `${harness.title}: ${broken} of the rows above ${broken === 1 ? 'does not hold or was' : 'do not hold or were'} not seen`,
    adviceFor(harness, standing),
  );
}

function adviceFor({ name, isTried }: SupportedHarness, standing: Standing): string {
  if (isTried === false) return 'try it before you rely on it';
  if (standing.kind === 'too old') return 'update the harness';
  if (standing.kind === 'does not hold')
    return `do not rely on this gate; after a change, apes hooks check ${name} --live tries again`;
  if (standing.kind === 'never seen') return `apes hooks check ${name} --live tries this version here`;
  return `apes hooks install ${name}`;
}

/**
 * Returns the lines in the settings that are exactly our hook line, and one row for each file that should have our entries. For `generic`,
 * returns the line that the harness has to call, and no rows.
 */
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
    const isWhole = text !== null && hasAllEntries(file, text);
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
  const isThere = shimTarget(plan.shim) === shell;
  const program = harness.program ?? 'the harness';
  return {
    name: `the PATH shim ${plan.shim}`,
    holds: isThere,
    result: isThere
      ? `present; it gates ${program} only if ${program} was started with the shim's directory in PATH`
      : 'NO: missing or altered',
  };
}

/** The row for a harness that we have never run. The check cannot see whether the harness obeys our guard. */
const untried = (harness: SupportedHarness): CaseResult => ({
  name: `${harness.title} obeys its hook`,
  holds: false,
  isSeen: false,
  result: 'we have not tried this harness; the rows below only show the answers of our guard',
});

const switchedOff = (text: string): CaseResult => ({ name: 'settings switch hooks off', holds: false, result: text });

const bypassing = (text: string): CaseResult => ({ name: 'something bypasses the gate', holds: false, result: text });

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
  const state = stateOf(harness, row);
  return paint(STATE_COLOURS[state], (state === 'open' ? 'OPEN' : state).padEnd(8));
}

function versionText(harness: SupportedHarness, standing: Standing): string {
  const seen = harness.observed.join(', ');
  if (harness.program === null) return 'the protocol for any other harness';
  if (harness.isTried === false) return 'NEVER TRIED BY US: known from its documentation only';
  switch (standing.kind) {
    case 'absent':
      return `not found in PATH (seen working with ${seen})`;
    case 'observed':
      return `${standing.version}, a version that was seen working`;
    case 'held':
      return `${standing.version}, whose gate held here on ${standing.at} with these entries (--live)`;
    case 'does not hold':
      return `${standing.version}, whose gate DID NOT HOLD here on ${standing.at} with these entries (--live)`;
    case 'too old':
      return `${standing.version}: TOO OLD`;
    case 'never seen':
      return `${standing.version ?? 'unknown version'}: NEVER SEEN (seen working: ${seen})`;
  }
}

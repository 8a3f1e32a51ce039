/** `apes hooks check HARNESS`: whether the installed hooks close, case by case, and what stays open. */
import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { type Failure, failure } from '../../core/failure.ts';
import { type CaseResult, checkLine } from '../../harness/check-line.ts';
import { type Gap, NOT_A_SANDBOX } from '../../harness/harness-installation.ts';
import { installationOf } from '../../harness/harness-installations.ts';
import type { InstalledHarness } from '../../harness/harnesses.ts';
import { guardLineFor } from '../../harness/own-lines.ts';
import { leadsTo } from '../../harness/shim.ts';
import { findSwitches } from '../../harness/switched-off.ts';
import { resolveProgram } from '../../platform/own-program.ts';
import type { Paint } from '../colour.ts';
import type { CliContext } from '../context.ts';
import { answering, answeringWithLine, type Ending, failing } from '../ending.ts';
import { type HookScopeOptions, type HookWork, openHookWork, withScope } from './install.ts';

export function registerHooksCheck(hooks: Command, context: CliContext): void {
  withScope(hooks.command('check <harness>'))
    .description('make every failure happen to the installed hook and see that it denies; tell what stays open')
    .option('--json', 'one JSON object')
    .action(context.settle((name: string, options: HookScopeOptions) => check(context, name, options)));
}

async function check(context: CliContext, name: string, options: HookScopeOptions): Promise<Ending> {
  const work = await openHookWork(context, name, options);
  if (!work.ok) return failing(work.failure);
  const { harness, places } = work.value;
  const installation = installationOf(harness.name);
  const installed = await whereInstalled(work.value);
  const environment = Object.fromEntries(
    [...context.caller.environment].map(([key, value]) => [key, value.toString('utf8')]),
  );
  const guard = join(context.dist, 'bin/hook-guard');
  const shell = join(context.dist, 'bin/ape-shell');
  const [line] = installed.lines;
  const cases = line === undefined ? [] : await checkLine({ harness, line, guard, shell, environment });
  const version = await versionOf(harness, environment);
  const switches = findSwitches(installation.settingsFiles(places));
  const shim = shimResult(work.value, shell);
  const found = ((await installation.findOpen?.(places)) ?? []).map(leadsPast);
  const unseen = harness.isDriven === false ? [notDriven(harness)] : [];
  const rows = [
    ...installed.rows,
    ...(shim === null ? [] : [shim]),
    ...switches.map(switchedOff),
    ...found,
    ...unseen,
    ...cases,
  ];
  const gaps = [...installation.gaps, NOT_A_SANDBOX];
  const data = { harness: harness.name, isDriven: harness.isDriven !== false, version, rows, gaps };
  const text = table(harness, version, rows, gaps, context.paint);
  const broken = rows.filter(({ holds }) => !holds).length;
  return broken === 0 ? answering(data, text) : answeringWithLine(unsound(harness, broken), data, text);
}

const unsound = (harness: InstalledHarness, broken: number): Failure =>
  failure(
    'configuration',
    `${harness.title}: ${broken} of the rows above ${broken === 1 ? 'does' : 'do'} not hold`,
    harness.isDriven === false ? 'try it before you rely on it' : `apes hooks install ${harness.name}`,
  );

/** The lines the harness would call, and one row for each file that should name one. */
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
    const applied = file.apply(text);
    const isWhole = text !== null && applied.ok && applied.value === text;
    rows.push({
      name: `installed in ${file.path}`,
      holds: isWhole || found.includes(wanted),
      result:
        text === null
          ? 'NO: there is no such file'
          : isWhole || found.includes(wanted)
            ? 'yes'
            : 'NO: removed or altered',
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

const leadsPast = (what: string): CaseResult => ({ name: 'nothing leads past the gate', holds: false, result: what });

/** Of such a harness the check sees our own part only: no row may say that it holds. */
const notDriven = (harness: InstalledHarness): CaseResult => ({
  name: `${harness.title} does as it is told`,
  holds: false,
  result: 'NOT SEEN: it was not driven by us; the rows below are what our guard answers, by its documentation',
});

const switchedOff = (what: string): CaseResult => ({ name: 'settings switch hooks off', holds: false, result: what });

/** What `PROGRAM --version` says; null where it is not installed or says nothing. */
function versionOf(harness: InstalledHarness, environment: Readonly<Record<string, string>>): Promise<string | null> {
  const file = harness.program === null ? null : resolveProgram(harness.program, environment['PATH'] ?? '', '/');
  if (file === null) return Promise.resolve(null);
  return new Promise((resolve) => {
    execFile(file, ['--version'], { timeout: 15_000, env: { ...environment } }, (_, output) =>
      resolve(/\d+\.\d+\.\d+/.exec(output)?.[0] ?? null),
    );
  });
}

function table(
  harness: InstalledHarness,
  version: string | null,
  rows: readonly CaseResult[],
  gaps: readonly Gap[],
  paint: Paint,
): string {
  const width = Math.max(...rows.map(({ name }) => name.length), 10);
  return [
    `${harness.title}: ${versionText(harness, version)}`,
    ...rows.map(
      ({ name, holds, result }) =>
        `  ${holds ? paint('green', harness.isDriven === false ? 'said ' : 'holds') : paint('red', 'OPEN ')}  ${name.padEnd(width)}  ${result}`,
    ),
    'What stays open:',
    ...gaps.map(({ what, closedBy }) => `  - ${what}\n      closed by: ${closedBy ?? 'nothing of its own'}`),
    '',
  ].join('\n');
}

function versionText(harness: InstalledHarness, version: string | null): string {
  if (harness.program === null) return 'the protocol for any other';
  if (harness.isDriven === false)
    return `${version ?? 'not found in PATH'}: NOT DRIVEN BY US, from its documentation only`;
  if (version === null) return `not found in PATH (seen working with ${harness.observed.join(', ')})`;
  return harness.observed.includes(version)
    ? `${version}, as it was seen working`
    : `${version}: ANOTHER VERSION than was seen working (${harness.observed.join(', ')}): try it before you rely on it`;
}

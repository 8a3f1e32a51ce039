/**
 * `apes hooks install|remove HARNESS [--managed|--user|--project]`: puts the gate and the reports into the settings of a harness, or
 * removes both again.
 */
import { dirname, join } from 'node:path';
import type { Command } from 'commander';
import { type Failure, failure } from '../../core/failure.ts';
import { singleQuoted } from '../../core/grant/own-call.ts';
import { SHIM_DIRECTORY } from '../../core/harness/shim-path.ts';
import { failed, type Result, success } from '../../core/result.ts';
import { installationOf } from '../../harness/harness-installations.ts';
import { tooOldText } from '../../harness/harness-version.ts';
import { findHarness, HARNESS_NAMES, type SupportedHarness } from '../../harness/harnesses.ts';
import type { HookPlaces, HookPlan, Scope } from '../../harness/hook-file.ts';
import { installationWordsFor } from '../../harness/own-lines.ts';
import { findHarnessProgram } from '../../harness/program-version.ts';
import { type FileOutcome, putAll, type RecordOwner, takeAllOut } from '../../harness/put-hooks.ts';
import { putShim, removeShim } from '../../harness/shim.ts';
import { shimUsers } from '../../harness/shim-users.ts';
import { systemClock } from '../../platform/clock.ts';
import type { Installation } from '../../platform/installation.ts';
import { ensurePrivateDirectory } from '../../platform/private-files.ts';
import { currentDirectory } from '../../platform/surroundings.ts';
import { newArgument, newOption } from '../commander.ts';
import type { CliContext } from '../context.ts';
import { answering, answeringWithLine, type Ending, failing } from '../ending.ts';
import { withInstallation } from '../opened.ts';
import { valueParser } from '../option-values.ts';

/** A call has at most one of these options. Without an option, the scope is the settings of the user. */
export interface HookScopeOptions {
  readonly managed?: true;
  readonly user?: true;
  readonly project?: true;
}

export function registerHooksInstall(hooks: Command, context: CliContext): void {
  withScope(hooks.command('install'))
    .addArgument(harnessArgument())
    .description(`put the gate and the reports into the harness's settings (${HARNESS_NAMES.join(', ')})`)
    .option('--json', 'one JSON object')
    .action(
      context.settle((harness: SupportedHarness, options: HookScopeOptions) => install(context, harness, options)),
    );
  withScope(hooks.command('remove'))
    .addArgument(harnessArgument())
    .description(
      "remove the gate and the reports from the harness's settings; a file without other changes gets its old bytes back",
    )
    .option('--json', 'one JSON object')
    .action(
      context.settle((harness: SupportedHarness, options: HookScopeOptions) => remove(context, harness, options)),
    );
}

export const withScope = (command: Command): Command =>
  command
    .addOption(newOption('--user', 'your own settings (the default)').conflicts(['project', 'managed']))
    .addOption(newOption('--project', 'the settings of the project in this directory').conflicts('managed'))
    .option('--managed', 'the settings of the whole machine, which no project can override (needs root)');

export const harnessArgument = () =>
  newArgument('<harness>')
    .choices(HARNESS_NAMES)
    .argParser(
      valueParser(findHarness, (text) =>
        failure('usage', `unknown harness ${text}`, `one of ${HARNESS_NAMES.join(', ')}`),
      ),
    );

/** What a subcommand for one harness needs. `records` is the directory with the records of the written files. */
export interface HookWork {
  readonly harness: SupportedHarness;
  readonly places: HookPlaces;
  readonly plan: HookPlan;
  readonly installation: Installation;
  readonly records: string;
}

/** Fails with `usage` (64) if ape-shell supports no settings of this scope for the harness. */
export async function openHookWork(
  context: CliContext,
  harness: SupportedHarness,
  options: HookScopeOptions,
): Promise<Result<HookWork, Failure>> {
  const scope: Scope = (['managed', 'project'] as const).find((each) => options[each] === true) ?? 'user';
  const possible = installationOf(harness.name).scopes;
  if (!possible.includes(scope))
    return failed(
      failure(
        'usage',
        `ape-shell has no settings for ${harness.title} with --${scope}`,
        `choose ${possible.map((one) => `--${one}`).join(' or ')}`,
      ),
    );
  return withInstallation(context, async (installation) => {
    const project = currentDirectory();
    if (!project.ok) return project;
    const { paths } = installation;
    const places: HookPlaces = {
      scope,
      home: paths.home,
      project: project.value,
      environment: context.caller.environment,
      dist: context.dist,
      shims: join(dirname(paths.data), SHIM_DIRECTORY),
    };
    return success({
      harness,
      places,
      plan: await installationOf(harness.name).plan(places),
      installation: installation,
      records: join(paths.state, 'hooks'),
    });
  });
}

/** The environment of the caller, as text. */
export const environmentTexts = ({ caller }: CliContext): Readonly<Record<string, string>> =>
  Object.fromEntries([...caller.environment].map(([key, value]) => [key, value.toString('utf8')]));

const ownerOf = ({ harness, places }: HookWork): RecordOwner => ({
  harness: harness.name,
  scope: places.scope,
  project: places.project,
});

async function install(context: CliContext, harness: SupportedHarness, options: HookScopeOptions): Promise<Ending> {
  const work = await openHookWork(context, harness, options);
  if (!work.ok) return failing(work.failure);
  const { name } = harness;
  const { places, plan, records } = work.value;
  if (harness.name === 'generic') return explainGeneric(context, places);
  if (places.scope === 'managed' && process.getuid?.() !== 0)
    return failing(failure('configuration', '--managed writes settings of the whole machine', 'call it as root'));
  const program = await findHarnessProgram(harness, environmentTexts(context));
  const tooOld = program?.version == null ? null : tooOldText(harness, program.version);
  if (tooOld !== null) return failing(failure('configuration', tooOld, 'nothing was changed'));
  const unmade = ensurePrivateDirectory(dirname(records)) ?? ensurePrivateDirectory(records);
  if (unmade !== null) return failing(unmade);
  const put = putAll(plan, { records, owner: ownerOf(work.value), nowMs: systemClock.nowMs() }, () =>
    plan.shim === null ? null : putShim(plan.shim, join(places.dist, 'bin/ape-shell')),
  );
  if (!put.ok) return failing(put.failure);
  const files = put.value;
  const next = `apes hooks check ${name}${places.scope === 'user' ? '' : ` --${places.scope}`}`;
  const advice = [...(harness.isTried === false ? [notDrivenNote(harness)] : []), ...plan.advice];
  const notes = advice.map((line) => `  note: ${line}\n`);
  return answering(
    { harness: name, isTried: harness.isTried !== false, files, notes: advice, next },
    `${files.map(outcomeText).join('')}${notes.join('')}  next: ${next}\n`,
  );
}

const notDrivenNote = (harness: SupportedHarness): string =>
  `NEVER TRIED BY US: how ${harness.title} uses these entries is known from its documentation only; try it before you rely on it`;

async function remove(context: CliContext, harness: SupportedHarness, options: HookScopeOptions): Promise<Ending> {
  const work = await openHookWork(context, harness, options);
  if (!work.ok) return failing(work.failure);
  const { plan, places, records } = work.value;
  const out = takeAllOut(plan, records);
  if (!out.ok) return failing(out.failure);
  const files = out.value;
  const users = plan.shim === null ? [] : await shimUsers(records, places);
  const unremoved = plan.shim !== null && users.length === 0 ? removeShim(plan.shim) : null;
  const notes = users.length === 0 ? [] : [`the shim ${plan.shim} stays: the hooks in ${users.join(', ')} need it`];
  const data = { harness: harness.name, files, notes };
  const text = `${files.map(outcomeText).join('')}${notes.map((line) => `  note: ${line}\n`).join('')}`;
  return unremoved === null ? answering(data, text) : answeringWithLine(unremoved, data, text);
}

function outcomeText(outcome: FileOutcome): string {
  switch (outcome.kind) {
    case 'unchanged':
      return `${outcome.path}: nothing to do\n`;
    case 'absent':
      return `${outcome.path}: does not exist\n`;
    case 'written':
      return `${outcome.path}: written${outcome.backup === null ? ' (a new file)' : `; the original is ${outcome.backup}`}\n`;
    case 'restored':
      return `${outcome.path}: as it was before\n`;
    case 'deleted':
      return `${outcome.path}: deleted (did not exist before)\n`;
    case 'stripped':
      return `${outcome.path}: changed since the installation, so only our entries were removed${outcome.backup === null ? '' : `; the original is still ${outcome.backup}`}\n`;
  }
}

function explainGeneric(context: CliContext, places: HookPlaces): Ending {
  const words = installationWordsFor(places).map((word) => ` ${singleQuoted(word)}`);
  const guard = `${join(context.dist, 'bin/hook-guard')} generic${words.join('')}`;
  const text = `Nothing to install: let the harness call this before each tool, with one JSON object on standard input.
  ${guard}
  input:  {"tool": TOOL, "input": {…}, "cwd": "/absolute", "project": "/absolute, optional"}
          shell {command} · read {path} · search {path} · write {path, content} · edit {path, old, new, all?}
          delete {path} · patch {patch}
  answer: {"decision":"allow"}  {"decision":"allow","input":{…}} (use this input instead)  {"decision":"deny","reason":"…"}
  The harness must take any other end (a status that is not 0, a signal, no output, 60 s without an answer) as a denial.
  Better still: let the harness's shell be ${join(context.dist, 'bin/ape-shell')}.
`;
  return answering({ harness: 'generic', files: [], guard }, text);
}

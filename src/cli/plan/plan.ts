/** `apes plan …`: files a plan for a whole piece of work, shows which parts of the plan were used, and ends the plan. */
import { type Failure, failure } from '../../core/failure.ts';
import { MAX_PLAN_PARTS } from '../../core/plan/plan-limits.ts';
import { failed, success } from '../../core/result.ts';
import type { CommandScope } from '../../core/scope/command-scope.ts';
import type { GrantView } from '../../core/wire/grant-view.ts';
import type { PlanSheet } from '../../core/wire/plan.ts';
import { fetchGrant, type GrantClient, listGrants, postGrantChange } from '../../grants/client.ts';
import { withGrantId } from '../../grants/grant-id.ts';
import { malformed } from '../../grants/http.ts';
import { fetchSheet, finishPlan } from '../../grants/plans.ts';
import { systemClock } from '../../platform/clock.ts';
import type { CliContext, Register } from '../context.ts';
import { answering, type Ending, failing } from '../ending.ts';
import { asEitherRole } from '../grants/either-role.ts';
import { grantTable } from '../grants/grant-text.ts';
import { rememberShown, rememberShownScopes } from '../grants/shown-requests.ts';
import { orFailing, withClient } from '../opened.ts';
import { countOf, timeoutOf } from '../option-values.ts';
import { awaitPlan, planFacts, sheetAnswer } from './await-plan.ts';

interface FileOptions {
  readonly wait?: true;
  readonly timeout?: number;
  readonly reason?: string;
  readonly json?: true;
}

const MAX_LISTED = 50;

export const registerPlan: Register = (program, context) => {
  const plan = program
    .command('plan')
    .enablePositionalOptions()
    .description(
      'ask once for a piece of work: file a plan (JSON; - is standard input), or use one of the verbs for your plans',
    )
    .argument('[file]', 'the plan, see `apes workflow show plan`')
    .option('--wait', 'wait for the decision')
    .option(
      '--timeout <duration>',
      'how long to wait (default: the setting shell.wait_timeout, 5m)',
      timeoutOf('--timeout'),
    )
    .option('--reason <text>', 'the reason, which the approver reads; in place of the reason in the plan')
    .option('--json', 'one JSON object')
    .action(
      context.settle(async (file: string | undefined, options: FileOptions): Promise<Ending> => {
        if (file === undefined)
          return failing(failure('usage', 'no plan is named', 'write: apes plan FILE, or apes plan list'));
        const { filePlanHere } = await import('./file-plan.ts');
        return filePlanHere(context, file, options);
      }),
    );
  plan
    .command('wait <id>')
    .description('wait until a plan is decided')
    .option(
      '--timeout <duration>',
      'how long to wait (default: the setting shell.wait_timeout, 5m)',
      timeoutOf('--timeout'),
    )
    .option('--json', 'one JSON object')
    .action(context.settle((id: string, options: { timeout?: number }) => waitFor(context, id, options.timeout)));
  plan
    .command('list')
    .description('your plans, newest first')
    .option('--json', 'one JSON object')
    .action(context.settle(() => listPlans(context)));
  plan
    .command('show <id>')
    .description(
      'print the sheet of a plan: its parts as planned, approved and used; with an owner key also plans of other requesters',
    )
    .option('--part <number>', 'only this part', countOf('--part', 1, MAX_PLAN_PARTS))
    .option('--json', 'one JSON object')
    .action(context.settle((id: string, options: { part?: number }) => showPlan(context, id, options.part)));
  plan
    .command('done <id>')
    .description('end an approved plan: it covers nothing any more')
    .option('--json', 'one JSON object')
    .action(context.settle((id: string) => endPlan(context, id, finishPlan)));
  plan
    .command('withdraw <id>')
    .description('withdraw a plan that waits for a decision')
    .option('--json', 'one JSON object')
    .action(
      context.settle((id: string) =>
        endPlan(context, id, (client, whole) => postGrantChange(client, whole, 'withdraw')),
      ),
    );
};

async function listPlans(context: CliContext): Promise<Ending> {
  const found = await withClient(context, 'requester', (client) =>
    listGrants(client, { kind: 'plan', limit: MAX_LISTED + 1 }),
  );
  if (!found.ok) return failing(found.failure);
  const plans = found.value.slice(0, MAX_LISTED);
  if (found.value.length > MAX_LISTED)
    context.err(`apes: only the newest ${MAX_LISTED} plans are listed; for the others: apes grants list\n`);
  const columns = context.isTerminal(1) ? (process.stdout.columns ?? 80) : null;
  return answering(plans, grantTable(plans, systemClock.nowMs(), columns, context.paint));
}

/** Whether the sheet has the same parts as the plan: order, lines, directories. A person reads the sheet, but approves the plan. */
const isSheetOf = ({ parts }: PlanSheet, { request: { plan } }: GrantView): boolean =>
  parts.length === plan?.parts.length &&
  parts.every(({ part, text, cwd }, at) => {
    const line = plan.parts[at];
    return part === at + 1 && line?.text === text && line.cwd === cwd;
  });

async function showPlan(context: CliContext, given: string, part: number | undefined): Promise<Ending> {
  const found = await asEitherRole(context, (client) =>
    withGrantId(client, given, async (id) => {
      const grant = await fetchGrant(client, id);
      if (!grant.ok) return grant;
      const sheet = await fetchSheet(client, id);
      if (!sheet.ok) return sheet;
      if (!isSheetOf(sheet.value, grant.value))
        return failed(malformed(client.server, 'it sent the sheet of another plan'));
      rememberShown(client, [grant.value], false);
      rememberShownScopes(client, id, scopesShown(sheet.value, part));
      return success({ grant: grant.value, sheet: sheet.value });
    }),
  );
  if (!found.ok) return failing(planFailure(found.failure));
  const { grant, sheet } = found.value;
  const parts = part === undefined ? sheet.parts : sheet.parts.filter((each) => each.part === part);
  return parts.length === 0 && part !== undefined
    ? failing(failure('usage', `the plan has no part ${part}`, `write a number from 1 to ${sheet.parts.length}`))
    : sheetAnswer(grant, { ...sheet, parts });
}

/** The scopes of the parts that are printed. */
const scopesShown = ({ parts }: PlanSheet, part: number | undefined): readonly CommandScope[] =>
  parts
    .filter((each) => part === undefined || each.part === part)
    .flatMap(({ offers }) => offers.flatMap(({ scope }) => scope ?? []));

async function endPlan(
  context: CliContext,
  given: string,
  end: (client: GrantClient, id: string) => ReturnType<typeof finishPlan>,
): Promise<Ending> {
  const ended = await withClient(context, 'requester', (client) => withGrantId(client, given, (id) => end(client, id)));
  if (!ended.ok) return failing(planFailure(ended.failure));
  const { id, state } = ended.value;
  return answering(
    planFacts(ended.value),
    state === 'used' ? `done: plan ${id} covers nothing any more\n` : `${state}\n`,
  );
}

const waitFor = (context: CliContext, given: string, timeoutMs: number | undefined): Promise<Ending> =>
  orFailing(
    withClient(context, 'requester', async (client, installation) => {
      const grant = await withGrantId(client, given, (id) => fetchGrant(client, id));
      return grant.ok
        ? success(await awaitPlan(context, client, installation, grant.value, timeoutMs))
        : failed(planFailure(grant.failure));
    }),
  );

/** Replaces the failure for an unknown grant id. The advice of that failure names the list of grants, not the list of plans. */
const planFailure = (found: Failure): Failure =>
  found.detail === 'grant.not_found'
    ? failure('refused', 'refused: there is no such plan', 'see `apes plan list`', found.detail)
    : found;

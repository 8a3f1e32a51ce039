/** `apes grants …`: lists requests, waits for decisions, runs approved requests, decides. */
import type { Command } from 'commander';
import { type Failure, failure } from '../../core/failure.ts';
import { GRANT_STATES, type Term } from '../../core/grant/grant.ts';
import { failed, type Result, success } from '../../core/result.ts';
import { leftText } from '../../core/server-notice.ts';
import { dataAnswer } from '../../core/text/json-answer.ts';
import type { ApproveBody, DenyBody } from '../../core/wire/decisions.ts';
import type { GrantView } from '../../core/wire/grant-view.ts';
import { finalStateFailure } from '../../grants/answers.ts';
import { fetchGrant, type GrantClient, postGrantChange } from '../../grants/client.ts';
import { fetchWhy } from '../../grants/explanations.ts';
import { withGrantId } from '../../grants/grant-id.ts';
import { malformed } from '../../grants/http.ts';
import { systemClock } from '../../platform/clock.ts';
import type { Installation } from '../../platform/installation.ts';
import { stateColour } from '../colour.ts';
import { newOption } from '../commander.ts';
import type { CliContext, Register } from '../context.ts';
import { answering, done, type Ending, failing } from '../ending.ts';
import { orFailing, withClient } from '../opened.ts';
import { choiceOption, countOf, timeoutOf, valueParser } from '../option-values.ts';
import { dyingOfSignal } from '../stopped-by-signal.ts';
import { type ApprovalOptions, MAX_USES, scopeOf } from './approve-scope.ts';
import { nounOf, waitReports } from './await-decision.ts';
import { asEitherRole } from './either-role.ts';
import { grantDetails } from './grant-details.ts';
import { decisionText } from './grant-text.ts';
import { type ListOptions, listInbox, listOwn, MAX_GRANTS_AT_ONCE } from './list.ts';
import { fingerprintFault } from './look-before-signing.ts';
import { runGrant } from './run-grant.ts';
import { withSeal } from './seal-approval.ts';
import { rememberShown } from './shown-requests.ts';
import { lifetimeOption, type TermOptions, termOf, termOption } from './term.ts';
import { registerExplaining } from './why.ts';

export const registerGrants: Register = (program, context) => {
  const grants = program.command('grants').description('requests and the decisions on them');
  registerReading(grants, context);
  registerExplaining(grants, context);
  registerRunning(grants, context);
  registerDeciding(grants, context);
};

function registerReading(grants: Command, context: CliContext): void {
  grants
    .command('list')
    .description('your requests, newest first')
    .addOption(
      choiceOption('--state <state>', 'only requests in this state', GRANT_STATES, (text) =>
        failure('usage', `there is no state ${text}`, `write one of ${GRANT_STATES.join(', ')}`),
      ),
    )
    .option('--limit <n>', `1 to ${MAX_GRANTS_AT_ONCE}`, countOf('--limit', 1, MAX_GRANTS_AT_ONCE), 50)
    .option('--before <id>', 'only requests that are older than this request')
    .option('--json', 'one JSON object')
    .action(context.settle((options: ListOptions) => listOwn(context, options)));
  grants
    .command('inbox')
    .description('all requests that wait for a decision (owner key)')
    .option('--json', 'one JSON object')
    .action(context.settle((options: { json?: true }) => listInbox(context, options.json === true)));
  for (const verb of ['show', 'status'] as const)
    grants
      .command(`${verb} <id>`)
      .description(
        verb === 'show'
          ? 'everything about one request: what it would do, touch and risk; with an owner key also requests of other requesters'
          : 'the state of one request, for people or (--json) programs',
      )
      .option('--json', 'one JSON object')
      .action(context.settle((id: string, options: { json?: true }) => show(context, verb, id, options.json === true)));
  grants
    .command('watch <id>')
    .description('print the state of a request, wait while it is pending, and print the new state; run nothing')
    .addOption(
      newOption('--timeout <duration>', 'such as 90s, 30m')
        .argParser(timeoutOf('--timeout'))
        .default(48 * 3_600_000, '48h'),
    )
    .option('--json', 'each state as one JSON object per line')
    .action(
      context.settle((id: string, options: { timeout: number; json?: true }) =>
        watch(context, id, options.timeout, options.json === true),
      ),
    );
}

function registerRunning(grants: Command, context: CliContext): void {
  grants
    .command('run <id>')
    .description('run an approved request, once; with --wait, wait for the decision first')
    .option('--wait', 'wait for the decision')
    .option(
      '--timeout <duration>',
      'how long to wait, such as 90s, 30m (default: the setting shell.wait_timeout, 5m)',
      timeoutOf('--timeout'),
    )
    .option('--json', 'if nothing runs: the reason, as one JSON object')
    .action(context.settle((id: string, options: { wait?: true; timeout?: number }) => runGrant(context, id, options)));
  grants
    .command('withdraw <id>')
    .description('take back a request that waits')
    .option('--json', 'one JSON object')
    .action(context.settle((id: string) => change(context, id, 'requester', 'withdraw', {})));
}

function registerDeciding(grants: Command, context: CliContext): void {
  grants
    .command('approve <id>')
    .description('approve a request (owner key)')
    .addOption(termOption('how long the approval lasts').default('once', 'once; with --for: timed'))
    .addOption(lifetimeOption('such as 15m, 8h'))
    .option(
      '--below <directory>',
      'for a file operation: also the same kind of operation on everything below this directory',
    )
    .option('--as <proposal>', 'for a command: the id of a proposed scope; see `apes grants proposals ID`')
    .option('--uses <n>', 'with --as: how many lines may use the scope', countOf('--uses', 1, MAX_USES))
    .option('--strike <parts>', 'for a plan: approve the plan without these parts, such as 2,5')
    .option('--narrow <parts>', 'for a plan: a narrower scope or fewer uses for a part, such as 2=exact,3=4')
    .option(
      '--fingerprint <hex>',
      'sign only a request whose fingerprint begins with these digits; see `apes grants show`',
      valueParser(
        (text) => (/^[0-9a-f]{32,64}$/i.test(text) ? text.toLowerCase() : null),
        (text) => failure('usage', `--fingerprint is ${text}`, 'write 32 to 64 hexadecimal digits'),
      ),
    )
    .option('--confined', 'exactly this request, confined by the kernel to the effects in its assessment')
    .option('--json', 'one JSON object')
    .action(
      context.settle(async (id: string, options: ApprovalOptions & TermOptions & { readonly fingerprint?: string }) => {
        const given = termOf(options.term ?? 'once', options.for, systemClock.nowMs());
        if (!given.ok) return failing(given.failure);
        return decideGrant(context, id, 'approve', async (grant, client, installation) => {
          const { fingerprint, below } = options;
          const other = fingerprintFault(grant, fingerprint);
          if (other !== null) return failed(other);
          const term = termOfPlan(grant, given.value);
          const scope = await scopeOf(client, grant, term, options);
          if (!scope.ok) return scope;
          const signer = { context, installation, fingerprint, isOwnScope: below !== undefined };
          return withSeal(signer, client, grant, {
            version: grant.version,
            term,
            ...(scope.value === null ? {} : { scope: scope.value }),
            ...(options.confined === true ? { confined: true } : {}),
          });
        });
      }),
    );
  grants
    .command('deny <id>')
    .description('deny a request (owner key)')
    .option('--reason <text>', 'the reason, which the requester sees')
    .option('--json', 'one JSON object')
    .action(
      context.settle((id: string, options: { reason?: string }) =>
        decideGrant(context, id, 'deny', options.reason === undefined ? {} : { reason: options.reason }),
      ),
    );
  grants
    .command('revoke <id>')
    .description('end an approved grant now (owner key)')
    .option('--json', 'one JSON object')
    .action(context.settle((id: string) => decideGrant(context, id, 'revoke', {})));
  registerHolding(grants, context);
}

/** Registers the verbs about processes that run under a grant now. */
function registerHolding(grants: Command, context: CliContext): void {
  for (const [verb, description] of [
    ['hold', 'stop the processes that run under a grant (owner key)'],
    ['continue', 'let held processes go on (owner key)'],
    ['kill', 'end the processes that run under a grant (owner key)'],
  ] as const)
    grants
      .command(`${verb} <id>`)
      .description(description)
      .option(
        '--json',
        'one JSON object: the number of processes, and each process that could not be held, continued or ended',
      )
      .action(
        context.settle(async (id: string) =>
          (await import('../sessions/act-on-running.ts')).actOnGrant(context, id, verb),
        ),
      );
}

/** Returns `term`. For a plan, `once` becomes a `timed` term that ends when the plan ends. */
function termOfPlan({ request: { plan } }: GrantView, term: Term): Term {
  if (plan === undefined || term.kind !== 'once') return term;
  const { end } = plan;
  return { kind: 'timed', untilMs: 'untilMs' in end ? end.untilMs : systemClock.nowMs() + end.forMs };
}

async function show(context: CliContext, verb: 'show' | 'status', id: string, isJson: boolean): Promise<Ending> {
  if (verb === 'show' && !isJson) {
    const why = await asEitherRole(context, (client) =>
      withGrantId(client, id, async (whole) => {
        const about = await fetchWhy(client, whole);
        if (about.ok) rememberShown(client, [about.value.grant], true);
        return about;
      }),
    );
    return why.ok
      ? answering(why.value, grantDetails(why.value, systemClock.nowMs(), context.paint))
      : failing(why.failure);
  }
  const grant = await asEitherRole(context, (client) =>
    withGrantId(client, id, async (whole) => {
      const found = await fetchGrant(client, whole);
      if (found.ok && verb === 'show') rememberShown(client, [found.value], true);
      return found;
    }),
  );
  if (!grant.ok) return failing(grant.failure);
  return answering(verb === 'show' ? grant.value : statusOf(grant.value), `${stateText(context, grant.value)}\n`);
}

const stateText = ({ paint }: CliContext, { state }: GrantView): string => paint(stateColour(state), state);

const statusOf = (grant: { id: string; state: string; denyReason: string | null; url: string; version: number }) => ({
  grantId: grant.id,
  state: grant.state,
  denyReason: grant.denyReason,
  url: grant.url,
  version: grant.version,
});

type Decision = Omit<ApproveBody, 'version'> | Omit<DenyBody, 'version'>;
type DecisionBody =
  | Decision
  | ((grant: GrantView, client: GrantClient, installation: Installation) => Promise<Result<Decision, Failure>>);

async function change(
  context: CliContext,
  given: string,
  role: 'requester' | 'owner',
  step: 'withdraw' | 'approve' | 'deny' | 'revoke',
  wanted: DecisionBody,
): Promise<Ending> {
  const changed = await withClient(context, role, (client, installation) =>
    withGrantId(client, given, async (id) => {
      const grant = role === 'owner' ? await fetchGrant(client, id) : null;
      if (grant !== null && !grant.ok) return grant;
      if (grant !== null && grant.value.id !== id) return failed(malformed(client.server, 'another grant'));
      const version = grant === null ? {} : { version: grant.value.version };
      const body =
        typeof wanted !== 'function'
          ? success(wanted)
          : grant === null
            ? success({})
            : await wanted(grant.value, client, installation);
      if (!body.ok) return body;
      const answer = await postGrantChange(client, id, step, { ...version, ...body.value });
      if (!answer.ok) return answer;
      return success(grant === null ? answer.value : asSigned(answer.value, grant.value, body.value));
    }),
  );
  if (!changed.ok) return failing(changed.failure);
  const { value } = changed;
  const text =
    role === 'owner' ? decisionText(value, systemClock.nowMs(), context.paint) : `${stateText(context, value)}\n`;
  return answering(value, text);
}

/**
 * Returns the server's answer. After a sealed approval, puts the signed request, scope, confinement and term into the answer: the server's
 * values can differ from the signed values. An answer without a term keeps its own scope and confinement.
 */
function asSigned(answer: GrantView, { request, requesterName }: GrantView, decision: Decision): GrantView {
  if (!('sealed' in decision) || decision.sealed === undefined) return answer;
  const { scope, confinement, term } = decision.sealed.document;
  // If several people approve, each person chooses an end. The earliest end counts, and only the server knows it.
  const ends = answer.term?.kind === term.kind && answer.approvals !== undefined ? answer.term : term;
  return { ...answer, request, requesterName, ...(answer.term === null ? {} : { scope, confinement, term: ends }) };
}

/** Uses the owner key, because the requester's key can never decide. */
const decideGrant = (context: CliContext, id: string, step: 'approve' | 'deny' | 'revoke', body: DecisionBody) =>
  change(context, id, 'owner', step, body);

const watch = (context: CliContext, given: string, timeoutMs: number, isJson: boolean): Promise<Ending> =>
  orFailing(
    withClient(context, 'requester', async (client) => {
      const now = await withGrantId(client, given, (whole) => fetchGrant(client, whole));
      return now.ok ? success(await watchGrant(context, client, now.value, timeoutMs, isJson)) : now;
    }),
  );

async function watchGrant(
  context: CliContext,
  client: GrantClient,
  now: GrantView,
  timeoutMs: number,
  isJson: boolean,
): Promise<Ending> {
  const { id } = now;
  const printState = (grant: GrantView) =>
    context.out(isJson ? dataAnswer(statusOf(grant)) : `${stateText(context, grant)}\n`);
  printState(now);
  if (now.state !== 'pending') return done;
  const { waitForDecision } = await import('../../gate/wait.ts');
  const outcome = await waitForDecision(client, id, {
    timeoutMs,
    ...waitReports(context),
    onBeat: () => undefined,
  });
  if (outcome.kind === 'failed') return failing(outcome.failure);
  if (outcome.kind === 'cancelled') return dyingOfSignal(context);
  if (outcome.kind === 'timed-out')
    return failing(failure('pending', `the time is over; ${leftText(outcome.last ?? now, nounOf(now.request))}`));
  printState(outcome.grant);
  if (outcome.kind === 'final') context.err(`apes: ${finalStateFailure(outcome.grant, systemClock.nowMs()).message}\n`);
  return done;
}

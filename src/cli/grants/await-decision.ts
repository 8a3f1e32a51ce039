/** How a verb of `apes` waits for a decision, what the verb prints meanwhile, and how the verb ends without an approval. */
import { failure } from '../../core/failure.ts';
import { leftText, pauseNotice, serverNotice } from '../../core/server-notice.ts';
import { matchSuffix } from '../../core/text/match-text.ts';
import type { GrantView } from '../../core/wire/grant-view.ts';
import { finalStateFailure } from '../../grants/answers.ts';
import type { GrantClient } from '../../grants/client.ts';
import { systemClock } from '../../platform/clock.ts';
import type { CliContext } from '../context.ts';
import { type Ending, failing } from '../ending.ts';
import { abortedBySignal, dyingOfSignal } from '../stopped-by-signal.ts';

/** Says what becomes of the request. Returns `dyingOfSignal`. */
export function interrupted(context: CliContext, grant: GrantView): Ending {
  context.err(`apes: interrupted; ${leftText(grant, nounOf(grant.request))}\n`);
  return dyingOfSignal(context);
}

/**
 * Makes the wait options that are the same for every verb. After this call, a fatal signal cancels the wait and does not end this process.
 * After such a signal, the caller must end with `dyingOfSignal`.
 */
export const waitReports = (context: CliContext) => ({
  cancelled: abortedBySignal(context),
  onBeat: (waitedMs: number) => context.err(`apes: still waiting, ${Math.round(waitedMs / 1000)} s\n`),
  onServer: (isThere: boolean, newPage: string | null) => context.err(`apes: ${serverNotice(isThere, newPage)}\n`),
  onPause: (isPaused: boolean) => context.err(`apes: ${pauseNotice(isPaused)}\n`),
});

export const sayWaiting = (context: CliContext, grant: GrantView): void =>
  context.err(
    `apes: waiting for a decision on ${grant.request.kind === 'plan' ? 'plan' : 'grant'} ${grant.id} (${grant.url})${matchSuffix(grant)}\n`,
  );

/**
 * @property again         a command line with which the user can wait again
 * @property pendingStatus the exit status if no decision came within `timeoutMs`
 */
interface DecisionWait {
  readonly timeoutMs: number;
  readonly again: string;
  readonly pendingStatus: number;
}

/** Waits for the decision, but does not redeem the grant. After an approval, `approved` does the work of the verb. */
export async function awaitDecision(
  context: CliContext,
  client: GrantClient,
  grant: GrantView,
  { timeoutMs, again, pendingStatus }: DecisionWait,
  approved: (grant: GrantView) => Ending | Promise<Ending>,
): Promise<Ending> {
  sayWaiting(context, grant);
  const { waitForDecision } = await import('../../gate/wait.ts');
  const outcome = await waitForDecision(client, grant.id, { timeoutMs, ...waitReports(context) });
  switch (outcome.kind) {
    case 'approved':
      return approved(outcome.grant);
    case 'final':
      return failing(finalStateFailure(outcome.grant, systemClock.nowMs()));
    case 'failed':
      return failing(outcome.failure);
    case 'timed-out': {
      const text = `the wait timed out; ${leftText(outcome.last ?? grant, nounOf(grant.request))}`;
      return failing(failure('pending', text, `call again: ${again}`), pendingStatus);
    }
    case 'cancelled':
      return interrupted(context, outcome.last ?? grant);
  }
}

export const nounOf = ({ kind }: GrantView['request']): string => (kind === 'plan' ? 'plan' : 'request');

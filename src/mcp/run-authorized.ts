/** Turns the gate's outcome into the tool's answer: runs the command, or says why the command did not run and what to do next. */

import { failure } from '../core/failure.ts';
import { leftText } from '../core/server-notice.ts';
import type { Settings } from '../core/settings.ts';
import { formatDuration } from '../core/text/duration.ts';
import type { GrantView } from '../core/wire/grant-view.ts';
import type { Authorization, Gate } from '../gate/authorize.ts';
import type { ExecutionPlace } from '../run/execute.ts';
import { failureAnswer, pendingAnswer, ranAnswer } from './answers.ts';
import { runCaptured } from './captured-process.ts';
import type { Conversation, PageAnswer, ToolAnswer, Workplace } from './conversation.ts';

/**
 * The gate's outcome of one call of a tool.
 * @property page      how the person answered the offer to open the request's page; null: no page was offered
 * @property grant     the grant for which the call waited, as it was when the wait began; null: the call did not wait
 * @property timeoutMs the longest time that the call may wait for the decision
 * @property isLater   true: an earlier call filed the request
 */
export interface CallOutcome {
  readonly outcome: Authorization;
  readonly page: PageAnswer | null;
  readonly grant: GrantView | null;
  readonly timeoutMs: number;
  readonly isLater: boolean;
}

export const executionPlaceOf = (workplace: Workplace, settings: Settings, isLater: boolean): ExecutionPlace => ({
  bash: settings.shell.bash,
  argvZero: 'bash',
  environment: workplace.environment,
  dist: workplace.dist,
  isLater,
});

/** If a command has run, also writes the event `finished` to the gate's journal. */
export async function answerAuthorized(
  workplace: Workplace,
  settings: Settings,
  gate: Gate,
  talk: Conversation,
  { outcome, page, grant, timeoutMs, isLater }: CallOutcome,
): Promise<ToolAnswer> {
  const nowMs = gate.client.clock.nowMs();
  switch (outcome.kind) {
    case 'permitted': {
      const limits = { seconds: settings.mcp.runTimeoutMs / 1000, bytes: settings.mcp.outputLimitBytes };
      const run = await runCaptured(outcome.permit, executionPlaceOf(workplace, settings, isLater), {
        dist: workplace.dist,
        timeoutMs: settings.mcp.runTimeoutMs,
        limitBytes: settings.mcp.outputLimitBytes,
        cancelled: talk.cancelled,
        onStarted: (pid) => void workplace.noteStarted(outcome.permit.grantId, pid),
        onBeat: (ms) => talk.progress(ms, `running for ${formatDuration(ms)}`),
        isOurs: false,
      });
      if (!run.ok) return failureAnswer(run.failure);
      const { status, signal, end } = run.value;
      gate.journal({ event: 'finished', grantId: outcome.permit.grantId, status, signal, end });
      return ranAnswer(outcome.permit, run.value, limits);
    }
    case 'pending':
      return pendingAnswer(
        outcome.grant,
        nowMs,
        `NOT RUN YET. A human has to approve this command first (${outcome.isNew ? 'just asked' : 'asked before'}).`,
        page,
        { isNew: outcome.isNew },
      );
    case 'cancelled':
      return failureAnswer(failure('pending', `the call was cancelled; ${leftText(outcome.grant, 'request')}`));
    case 'refused':
      return outcome.failure.detail === 'timed-out' && grant !== null
        ? pendingAnswer(
            grant,
            nowMs,
            `NOT RUN YET. Not decided within ${formatDuration(timeoutMs)}; the request still waits.`,
            page,
          )
        : failureAnswer(outcome.failure);
  }
}

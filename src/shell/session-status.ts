/** The text of `:status`. */
import { type ReachedLevel, reachedText } from '../core/confinement/reached-level.ts';
import { type Failure, failureLine } from '../core/failure.ts';
import type { Result } from '../core/result.ts';
import { formatDuration } from '../core/text/duration.ts';
import { visibleLine } from '../core/text/visible-text.ts';
import type { Gate } from '../gate/authorize.ts';
import { listGrants } from '../grants/client.ts';
import { systemClock } from '../platform/clock.ts';
import { currentHost, currentUser } from '../platform/surroundings.ts';

export interface StatusFacts {
  readonly sessionId: string;
  /** Unix ms. */
  readonly startedAtMs: number;
}

/** The most pending requests that the text lists. */
const MAX_LISTED = 20;

/** Asks the server for pending requests. A failure becomes a line of the text. */
export async function sessionStatus(
  facts: StatusFacts,
  gate: Result<Gate, Failure>,
  reached: ReachedLevel,
): Promise<string> {
  const lines: (readonly [string, string])[] = [
    ['session', `${facts.sessionId}, ${formatDuration(systemClock.nowMs() - facts.startedAtMs)}`],
    ['host', `${currentUser()}@${currentHost()}, gate pid ${process.pid}`],
    ['confinement', reachedText(reached)],
  ];
  if (!gate.ok) lines.push(['gate', failureLine('broken', gate.failure)]);
  else {
    const { identity, server } = gate.value.client;
    const pending = await listGrants(gate.value.client, { state: 'pending', limit: MAX_LISTED + 1 });
    lines.push(['identity', `${identity.name} (${identity.subjectId})`]);
    lines.push([
      'server',
      pending.ok ? `${server.url}, reachable, token good` : failureLine('not usable', pending.failure),
    ]);
    if (pending.ok) {
      const { length } = pending.value;
      const count = length > MAX_LISTED ? `more than ${MAX_LISTED}; see apes grants list` : String(length);
      lines.push(['pending', length === 0 ? 'nothing' : count]);
      for (const grant of pending.value.slice(0, MAX_LISTED))
        lines.push(['', `${grant.id}  ${visibleLine(grant.request.text).slice(0, 60)}`]);
    }
  }
  return lines.map(([name, text]) => `${name.padEnd(11)} ${text}\n`).join('');
}

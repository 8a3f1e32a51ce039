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

/** Asks the server for pending requests, at most 20. A failure becomes a line of the text. */
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
    const pending = await listGrants(gate.value.client, { state: 'pending', limit: 20 });
    lines.push(['identity', `${identity.name} (${identity.subjectId})`]);
    lines.push([
      'server',
      pending.ok ? `${server.url}, reachable, token good` : failureLine('not usable', pending.failure),
    ]);
    if (pending.ok) {
      lines.push(['pending', pending.value.length === 0 ? 'nothing' : String(pending.value.length)]);
      for (const grant of pending.value)
        lines.push(['', `${grant.id}  ${visibleLine(grant.request.text).slice(0, 60)}`]);
    }
  }
  return lines.map(([name, text]) => `${name.padEnd(11)} ${text}\n`).join('');
}

/** `--term` and `--for` as a Term. */

import { type Failure, failure } from '../../core/failure.ts';
import type { Term } from '../../core/grant/grant.ts';
import { failed, type Result, success } from '../../core/result.ts';
import { parseDuration } from '../../core/text/duration.ts';

/** `timed` wants a duration; the other terms refuse one, since it would be ignored. */
export function parseTerm(term: string, duration: string | undefined, nowMs: number): Result<Term, Failure> {
  if (term === 'timed') {
    const lifetimeMs = duration === undefined ? null : parseDuration(duration);
    return lifetimeMs === null
      ? failed(
          failure(
            'usage',
            `--term timed wants --for${duration === undefined ? '' : `, and ${duration} is no duration`}`,
            'write --for 15m, 1h or 8h',
          ),
        )
      : success({ kind: 'timed', untilMs: nowMs + lifetimeMs });
  }
  if (term !== 'once' && term !== 'always')
    return failed(failure('usage', `there is no term ${term}`, 'write once, timed or always'));
  return duration === undefined
    ? success({ kind: term })
    : failed(failure('usage', `--for goes with --term timed, not with ${term}`));
}

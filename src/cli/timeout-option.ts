/** `--timeout DURATION` of the verbs that wait for a decision. */

import { type Failure, failure } from '../core/failure.ts';
import { failed, type Result, success } from '../core/result.ts';
import { parseDuration } from '../core/text/duration.ts';

/** In milliseconds. */
export function parseTimeout(text: string): Result<number, Failure> {
  const timeoutMs = parseDuration(text);
  return timeoutMs === null
    ? failed(failure('usage', `--timeout is ${text}`, 'write a duration such as 90s, 15m or 1h'))
    : success(timeoutMs);
}

/**
 * `Idempotency-Key`: a caller that does not know whether a call arrived sends the call again with the same key. The server carries out
 * the call only once. The server keeps the answer for 24 hours. If the server does not know how the first call ended, it refuses the second
 * call with the code `idempotency.unknown`.
 */
import { canonicalJson } from '../core/grant/canonical-json.ts';
import { failed, type Result, success } from '../core/result.ts';
import { sha256Hex } from '../platform/digest.ts';
import type { IdempotentCall } from '../store/idempotency-rows.ts';
import { LONG_REQUEST_BYTES, MAX_IDEMPOTENCY_KEYS } from './limits.ts';
import { type Refusal, refusal } from './refusal.ts';
import { change, type ServerParts } from './server-ports.ts';

const KEPT_MS = 24 * 3_600_000;
/**
 * No call takes longer than this time. If a call has no outcome after this time, it is not known whether the call took effect. For example,
 * the server was killed during the call.
 */
const UNDER_WAY_MS = 60_000;

/**
 * What the server keeps of an answer.
 * - `answer`:  the whole answer; a repeated call gets this answer again
 * - `once`:    only the status, because the answer lets something run; a repeated call is refused
 * - `nothing`: nothing, because the call created nothing; the key counts as unused
 */
export type KeptAnswer = 'answer' | 'once' | 'nothing';

/** Status and body of an answer that is not a refusal. */
interface Answered {
  readonly status: number;
  readonly body?: unknown;
}

/**
 * @property name  the method and the address of the call
 * @property keeps decides what is kept of an answer that is not a refusal
 */
export interface KeyedCall {
  readonly subjectId: string;
  readonly key: string;
  readonly name: string;
  readonly body: unknown;
  readonly keeps: (answer: Answered) => KeptAnswer;
}

/**
 * Runs `work` and returns its answer. For a repeated call, does not run `work`, and returns the kept answer. The key counts as unused if
 * `work` refuses the call and surely has committed nothing (`NOT_BEGUN`). Refuses a call in these cases:
 * - its key was used for another call
 * - the first call is under way, or has an unknown end, for example because `work` threw
 * - only the status of the first answer is kept (`once`)
 * - its body is too long or nested too deep
 * - its caller has too many keys or waiting calls
 */
export async function doneOnce(
  parts: ServerParts,
  call: KeyedCall,
  work: () => Promise<Result<Answered, Refusal>>,
): Promise<Result<Answered, Refusal>> {
  const text = canonicalJson(call.body ?? null);
  if (text === null || Buffer.byteLength(text) > LONG_REQUEST_BYTES)
    return failed(
      refusal(
        'request.malformed',
        `a body that is nested too deep or has more than ${LONG_REQUEST_BYTES / 1024} KiB cannot be sent with an Idempotency-Key; leave out the key`,
      ),
    );
  const begun: IdempotentCall = {
    subjectId: call.subjectId,
    keyHash: sha256Hex(call.key),
    callDigest: sha256Hex(`${call.name}\n${text}`),
    startedAtMs: parts.clock.nowMs(),
    status: null,
    answer: null,
  };
  // This lookup must not use the caller's own lane: the lookup could wait behind other `work` in that lane.
  const known = await (parts.budgets.lanes.run(`key ${call.subjectId}`, () => begin(parts, begun)) ?? tooManyWait);
  if (!known.ok) return known;
  if (known.value !== null) return answerAgain(known.value, begun);
  const answer = await work();
  await end(parts, begun, call.keeps, answer);
  return answer;
}

const tooManyWait = failed(
  refusal('server.too_many', 'too many calls of yours wait already; first let some calls end'),
);

/** Stores a new key as under way, and returns null. For a known key, returns the call that used the key before. */
function begin(parts: ServerParts, begun: IdempotentCall): Promise<Result<IdempotentCall | null, Refusal>> {
  return change(parts, async (rows) => {
    await rows.lockRequest(begun.subjectId, begun.keyHash);
    await rows.idempotency.pruneIdempotentCalls(begun.startedAtMs - KEPT_MS);
    const known = await rows.idempotency.idempotentCall(begun.subjectId, begun.keyHash);
    if (known !== undefined) return success(known);
    if ((await rows.idempotency.countIdempotentCalls(begun.subjectId)) >= MAX_IDEMPOTENCY_KEYS)
      return failed(
        refusal(
          'server.too_many',
          `${MAX_IDEMPOTENCY_KEYS} idempotency keys of yours are in use; a key is forgotten after a day`,
        ),
      );
    await rows.idempotency.insertIdempotentCall(begun);
    return success(null);
  });
}

function answerAgain(known: IdempotentCall, again: IdempotentCall): Result<Answered, Refusal> {
  if (known.callDigest !== again.callDigest)
    return failed(refusal('idempotency.other_call', 'this Idempotency-Key was used for another call; take a new key'));
  const { status, answer } = known;
  if (status === null)
    return again.startedAtMs - known.startedAtMs < UNDER_WAY_MS
      ? failed(refusal('idempotency.under_way', 'the call with this Idempotency-Key is under way; wait for its answer'))
      : failed(
          refusal(
            'idempotency.unknown',
            'it is not known whether the call with this key took effect; check the effect, then use a new key',
          ),
        );
  if (answer === null && status !== 204)
    return failed(
      refusal('idempotency.given', 'the answer to this key was a permit, which is given once; ask with a new key'),
    );
  return success(answer === null ? { status } : { status, body: JSON.parse(answer) as unknown });
}

/**
 * A refusal with one of these codes means that nothing was begun. After any other `server.` code, it is not known whether something was
 * committed.
 */
const NOT_BEGUN: ReadonlySet<string> = new Set(['server.too_many', 'server.busy']);

async function end(
  parts: ServerParts,
  begun: IdempotentCall,
  keeps: KeyedCall['keeps'],
  answer: Result<Answered, Refusal>,
): Promise<void> {
  if (!answer.ok && answer.failure.code.startsWith('server.') && !NOT_BEGUN.has(answer.failure.code)) return;
  const keeping = answer.ok ? keeps(answer.value) : 'nothing';
  // If this write fails, the call stays under way; later, a repeated call gets `idempotency.unknown` and is not done again.
  await change(parts, async (rows) => {
    if (!answer.ok || keeping === 'nothing') await rows.idempotency.removeIdempotentCall(begun);
    else {
      const { status, body } = answer.value;
      const text = keeping === 'answer' && body !== undefined ? JSON.stringify(body) : null;
      await rows.idempotency.endIdempotentCall({ ...begun, status, answer: text });
    }
    return success(null);
  });
}

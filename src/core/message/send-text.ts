/** Makes the output and the exit status of `apes send`. */
import { EXIT_STATUS, exitStatusOf, type Failure, type FailureCode, failureLine } from '../failure.ts';
import type { Result } from '../result.ts';
import { dataAnswer, errorAnswer } from '../text/json-answer.ts';
import { SEND_ENDINGS, type SendReport } from './send-outcome.ts';

/**
 * @property out for standard output; may be empty
 * @property err for standard error; may be empty
 */
export interface SendText {
  readonly out: string;
  readonly err: string;
  readonly status: number;
}

const ADVICE: Partial<Record<SendReport['result'], string>> = {
  'awaiting-decision': '; answer in the session itself: apes sessions attach',
  busy: '; try again later',
  'draft-present': '; send or clear the draft in the session itself: apes sessions attach',
  unknown: '; look at the session: apes sessions show',
};

/** @param session the session, as the caller named it */
export function sendText(session: string, sent: Result<SendReport, Failure>, isJson: boolean): SendText {
  if (!sent.ok) {
    const status = exitStatusOf(sent.failure);
    const out = isJson ? errorAnswer(sent.failure, status) : '';
    return { out, err: `${failureLine('apes', sent.failure)}\n`, status };
  }
  const report = sent.value;
  const { exitStatus: status } = SEND_ENDINGS[report.result];
  const data = { session, ...report };
  if (isJson) return { out: status === 0 ? dataAnswer(data) : notSent(report, status, data), err: '', status };
  if (status === 0) return { out: 'submitted\n', err: '', status };
  const draftNote = report.isDraftLeft
    ? "; the text may be in the program's editor: send the same text again to submit it"
    : '';
  const err = `apes: ${report.result} (${report.code}): ${report.why}${draftNote}${ADVICE[report.result] ?? ''}\n`;
  return { out: '', err, status };
}

function notSent({ code, why, result }: SendReport, status: number, data: unknown): string {
  const advice = ADVICE[result]?.replace(/^; /, '');
  const failureCode = (Object.keys(EXIT_STATUS) as FailureCode[]).find((code) => EXIT_STATUS[code] === status);
  const error = {
    code: failureCode ?? result,
    message: why,
    detail: code,
    ...(advice === undefined ? {} : { advice }),
  };
  return errorAnswer(error, status, data);
}

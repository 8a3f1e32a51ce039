/** Errors as RFC 9457 has them, beside the member `error`, which was there before. */
import { ERROR_STATUS, type ErrorBody, type ErrorCode } from '../../core/wire/error.ts';

export const PROBLEM_TYPE = 'application/problem+json';

/** The kind of problem: the same for every time that it happens. */
export const problemKind = (code: ErrorCode) => ({
  type: `/v1/problems/${code}`,
  title: code.toLowerCase().replace('.', ': ').replaceAll('_', ' '),
  status: ERROR_STATUS[code],
});

export const isErrorCode = (code: string): code is ErrorCode => Object.hasOwn(ERROR_STATUS, code);

/**
 * @param error    `message` is the detail
 * @param instance the address that was called; null: it may hold a secret, or is none
 * @param status   where it is not the one of the code: what HTTP itself refuses
 */
export function problemBody(
  error: ErrorBody['error'],
  instance: string | null,
  status: number = ERROR_STATUS[error.code],
): ErrorBody {
  const { type, title } = problemKind(error.code);
  return { error, type, title, status, detail: error.message, ...(instance === null ? {} : { instance }) };
}

/** Without its query. Only addresses of the API: that of a page can be a sign-in link. */
export function instanceOf(url: string): string | null {
  const [path = ''] = url.split('?');
  return /^\/v1\/[\w./~%-]*$/.test(path) ? path : null;
}

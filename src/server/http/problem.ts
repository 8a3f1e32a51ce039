/** Makes error bodies in the form of RFC 9457. The bodies also have the older member `error`. */
import { ERROR_STATUS, type ErrorBody, type ErrorCode } from '../../core/wire/error.ts';

export const PROBLEM_TYPE = 'application/problem+json';

/** The members of a problem that depend only on its code. */
export const problemKind = (code: ErrorCode) => ({
  type: `/v1/problems/${code}`,
  title: code.toLowerCase().replace('.', ': ').replaceAll('_', ' '),
  status: ERROR_STATUS[code],
});

export const isErrorCode = (code: string): code is ErrorCode => Object.hasOwn(ERROR_STATUS, code);

/**
 * @param error    `error.message` becomes the detail
 * @param instance the called address; null: the address is not known, or can contain a secret
 * @param status   default: the status of the error's code. An error of HTTP itself, such as a body that is too large, has another status
 */
export function problemBody(
  error: ErrorBody['error'],
  instance: string | null,
  status: number = ERROR_STATUS[error.code],
): ErrorBody {
  const { type, title } = problemKind(error.code);
  return { error, type, title, status, detail: error.message, ...(instance === null ? {} : { instance }) };
}

/** Returns an address under `/v1/` without its query. Returns null for other addresses: the address of a page can be a sign-in link. */
export function instanceOf(url: string): string | null {
  const [path = ''] = url.split('?');
  return /^\/v1\/[\w./~%-]*$/.test(path) ? path : null;
}

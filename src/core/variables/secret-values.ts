/** Which values never leave the host: the grant server, its records and its pages get a digest. */

const NAMES =
  /TOKEN|SECRET|PASS(?!IVE|AGE|ED|THR|$)|PASS$|PWD$|CREDENTIAL|KEYS?$|APIKEY|_AUTH|COOKIE|SIGNATURE|BEARER|_PAT$|_DSN$/i;
/** `scheme://user:password@host`, as in DATABASE_URL and HTTP_PROXY. */
const PASSWORD_IN_URL = /:\/\/[^/\s@:]*:[^/\s@]+@/;
/** Names that only look like one. */
const NO_SECRETS: ReadonlySet<string> = new Set([
  'PWD',
  'OLDPWD',
  'LESSKEY',
  'SSH_ASKPASS',
  'SUDO_ASKPASS',
  'GIT_ASKPASS',
  'ASKPASS',
]);
/** No person reads longer values, and a request has to stay small. In UTF-16 code units. */
const MAX_VALUE_LENGTH = 16_384;

export const isSecret = (name: string, value: string): boolean =>
  (NAMES.test(name) && !NO_SECRETS.has(name)) || PASSWORD_IN_URL.test(value);

/** Whether the value itself is worth sending; a function's body and an alias always are, for they are read as part of the line. */
export const isTooLong = (name: string, value: string): boolean =>
  value.length > MAX_VALUE_LENGTH && !name.includes(' ') && !name.startsWith('BASH_FUNC_');

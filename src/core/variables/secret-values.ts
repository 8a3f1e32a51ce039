/** Which values of variables are secret. Such a value never leaves the host: the grant server gets a digest of it. */

const NAMES =
  /TOKEN|SECRET|PASS(?!IVE|AGE|ED|THR|$)|PASS$|PWD$|CREDENTIAL|KEYS?$|APIKEY|_AUTH|COOKIE|SIGNATURE|BEARER|_PAT$|_DSN$/i;
/** `scheme://user:password@host`, as in DATABASE_URL and HTTP_PROXY. The password can have a `/`. */
const PASSWORD_IN_URL = /:\/\/[^/\s@:]*:[^\s@]+@/;
/** `https://token@host` and `scheme://a-long-token@host`. The user name of most other URLs is short (`ssh://git@host`). */
const TOKEN_IN_URL = /https?:\/\/[^/\s@:]+:?@|:\/\/[^/\s@:]{16,}:?@/i;
/** Names that look like those of secrets, but are not. */
const NO_SECRETS: ReadonlySet<string> = new Set([
  'PWD',
  'OLDPWD',
  'LESSKEY',
  'SSH_ASKPASS',
  'SUDO_ASKPASS',
  'GIT_ASKPASS',
  'ASKPASS',
]);
/** In UTF-16 code units. A longer value is sent as a digest: no person would read the value, and a request has to stay small. */
const MAX_VALUE_LENGTH = 16_384;

/** Whether the value is secret: the variable has the name of a secret, or the value contains a URL with a password or a token. */
export const isSecret = (name: string, value: string): boolean =>
  (NAMES.test(name) && !NO_SECRETS.has(name)) || PASSWORD_IN_URL.test(value) || TOKEN_IN_URL.test(value);

/**
 * Whether the value is too long to be sent. Two kinds of entries are never too long, because the approver reads them as part of the line:
 * - an exported function
 * - an entry of a session that is not a variable; the name of the entry has a space (`alias ll`)
 */
export const isTooLong = (name: string, value: string): boolean =>
  value.length > MAX_VALUE_LENGTH && !name.includes(' ') && !name.startsWith('BASH_FUNC_');

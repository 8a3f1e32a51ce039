/** Decides which values of variables are secret. A secret value never leaves the host: the grant server gets only its digest. */

const NAMES =
  /TOKEN|SECRET|PASS(?!IVE|AGE|ED|THR|$)|PASS$|PWD$|CREDENTIAL|KEYS?$|APIKEY|_AUTH|COOKIE|SIGNATURE|BEARER|_PAT$|_DSN$/i;
/** `scheme://user:password@host`, as in DATABASE_URL and HTTP_PROXY. The password can have a `/`. */
const PASSWORD_IN_URL = /:\/\/[^/\s@:]*:[^\s@]+@/;
/** `https://token@host` and `scheme://a-long-token@host`. The user name of most other URLs is short (`ssh://git@host`). */
const TOKEN_IN_URL = /https?:\/\/[^/\s@:]+:?@|:\/\/[^/\s@:]{16,}:?@/i;
/** Names that match `NAMES`, although their values are not secret. */
const NO_SECRETS: ReadonlySet<string> = new Set([
  'PWD',
  'OLDPWD',
  'LESSKEY',
  'SSH_ASKPASS',
  'SUDO_ASKPASS',
  'GIT_ASKPASS',
  'ASKPASS',
]);
/** In UTF-16 code units. A longer value is sent as a digest: a person would not read the value, and requests must stay small. */
const MAX_VALUE_LENGTH = 16_384;

/** Whether the value is secret: the variable has the name of a secret, or the value contains a URL with a password or a token. */
export const isSecret = (name: string, value: string): boolean =>
  (NAMES.test(name) && !NO_SECRETS.has(name)) || PASSWORD_IN_URL.test(value) || TOKEN_IN_URL.test(value);

/**
 * Whether the value is too long to be sent. Two kinds of entries are never too long, because the approver reads such entries as a part of
 * the line:
 * - exported functions
 * - entries with a space in the name (`alias ll`); such an entry is a part of a session, but no variable
 */
export const isTooLong = (name: string, value: string): boolean =>
  value.length > MAX_VALUE_LENGTH && !name.includes(' ') && !name.startsWith('BASH_FUNC_');

/**
 * Variables of settings and `.env` files. A project's variable is not reported if `isPlainVariable` is true for its name. All other
 * variables of a project are reported: `STEERING` may be incomplete. A variable of the user is reported only if it is known to steer
 * programs.
 */
import { hasOwnPrefix } from '../core/variables/own-variables.ts';
import { PLACE_VARIABLES } from '../platform/paths.ts';

/**
 * Variables that can make a harness start other programs without the gate (through the shell of a hook or command, the loader, or git).
 * Some of these variables change which installation of ape-shell decides.
 */
const STEERING: ReadonlySet<string> = new Set([
  ...PLACE_VARIABLES,
  ...['PATH', 'SHELL', 'CLAUDE_CODE_SHELL', 'CLAUDE_CODE_SHELL_PREFIX', 'CLAUDE_ENV_FILE', 'CLAUDE_CONFIG_DIR'],
  ...['BASH_ENV', 'ENV', 'ZDOTDIR', 'NODE_OPTIONS', 'GLIBC_TUNABLES', 'GCONV_PATH', 'LOCPATH', 'SHELLOPTS', 'PS4'],
]);
const FAMILIES = /^(?:LD_|DYLD_|GIT_|BASH_|BUN_|NODE_|npm_|NPM_|XDG_)/;

/** Whether the variable is known to steer which programs start, what they load, or which installation of ape-shell decides. */
export const doesSteer = (name: string): boolean => STEERING.has(name) || FAMILIES.test(name) || hasOwnPrefix(name);

/** Names that say what the value is: a key, an address, a number. No program that we know runs such a value. */
const PLAIN_NAME =
  /^(?:CI|DEBUG|HOST|PORT|TZ|NODE_ENV|APP_ENV|RAILS_ENV|ENVIRONMENT|LOG_LEVEL)$|^[A-Z][A-Z0-9_]*_(?:KEY|TOKEN|SECRET|PASSWORD|ID|URL|URI|DSN|HOST|PORT|NAME|USER|USERNAME|EMAIL|REGION|LOCATION|PROJECT|BUCKET|MODEL|TIMEOUT|TIMEOUT_MS|LEVEL|VERSION|THEME)$/;

/** Whether the name has a plain form, and does not steer (`doesSteer`). `NODE_ENV` is always plain. */
export const isPlainVariable = (name: string): boolean =>
  PLAIN_NAME.test(name) && (name === 'NODE_ENV' || !doesSteer(name));

const NAME_AT_START = /\s*(?:export\s+)?['"]?([^\s=:#'"]+)['"]?\s*[=:]/y;

/**
 * Returns every name that a reader of `.env` files can take from the text: the text before `=` or `:` at the start of a line. Some readers
 * also end a line at a lone CR, or (in JavaScript) at U+2028 or U+2029; `^` matches after each of these characters. Lines inside of a long
 * value give names too.
 */
export function namesInEnvironmentText(text: string): readonly string[] {
  const names = [...text.matchAll(/^/gm)].map(({ index }) => {
    NAME_AT_START.lastIndex = index;
    return NAME_AT_START.exec(text)?.[1] ?? '';
  });
  return [...new Set(names)].filter((name) => name !== '');
}

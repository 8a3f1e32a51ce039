/** Finds commands that only read. A scope may cover such commands even if the scope does not name their operations. */
import type { Permission, Resource } from '../effects/permission.ts';

/**
 * Whether the command has low risk, runs on this host as the same user, and only reads resources or sets harmless variables. A command
 * that runs elsewhere has a prefix in its operation (`on web: cat`). False if the command reads a variable: the value is often a secret.
 */
export const isReadingPermission = ({ tool, operation, risk, resources }: Permission): boolean =>
  risk === 'low' &&
  (operation === tool || operation.startsWith(`${tool} `)) &&
  resources.every(
    (resource) => isHarmlessVariable(resource) || (resource.access === 'read' && resource.kind !== 'variable'),
  );

const LOCALE = /^(?:LANG|LC_[A-Z]+)=(?:\w[\w.@-]*)?$/;
const HARMLESS: readonly RegExp[] = [
  LOCALE,
  /^TZ=(?:[A-Za-z][\w+-]*(?:\/[A-Za-z][\w+-]*)*)?$/,
  /^(?:NO_COLOR|CLICOLOR|CLICOLOR_FORCE|FORCE_COLOR|CI|COLUMNS|LINES)=\w*$/,
];

/**
 * Whether the command sets this variable to a known value, and `HARMLESS` matches the name and the value. A scope needs no pattern for such
 * a variable. These variables change how text looks. `CI` also changes what some tools do.
 */
export const isHarmlessVariable = ({ kind, access, value, isExact }: Resource): boolean =>
  kind === 'variable' && access === 'write' && isExact && HARMLESS.some((pattern) => pattern.test(value));

/** What only looks: the one class of commands that may be covered without naming its operations. */
import type { Permission, Resource } from '../effects/permission.ts';

/**
 * Low risk, where the line runs and as who runs it, and every resource is only read. In doubt it is more than reading:
 * `execute`, `contact`, `write`, `delete`, and variables, whose values are secrets often enough.
 */
export const isReadingPermission = ({ tool, operation, risk, resources }: Permission): boolean =>
  risk === 'low' &&
  (operation === tool || operation.startsWith(`${tool} `)) &&
  resources.every((each) => isHarmlessVariable(each) || (each.access === 'read' && each.kind !== 'variable'));

const LOCALE = /^(?:LANG|LC_[A-Z]+)=(?:\w[\w.@-]*)?$/;
const HARMLESS: readonly RegExp[] = [
  LOCALE,
  /^TZ=(?:[A-Za-z][\w+-]*(?:\/[A-Za-z][\w+-]*)*)?$/,
  /^(?:NO_COLOR|CLICOLOR|CLICOLOR_FORCE|FORCE_COLOR|CI|COLUMNS|LINES)=\w*$/,
];

/** A variable that is set to what changes only how text looks: needs no pattern. */
export const isHarmlessVariable = ({ kind, access, value, isExact }: Resource): boolean =>
  kind === 'variable' && access === 'write' && isExact && HARMLESS.some((pattern) => pattern.test(value));

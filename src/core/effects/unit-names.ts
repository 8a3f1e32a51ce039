/**
 * systemctl takes `./x.service` as a file to install, and makes `dev-sda.device` of `/dev/sda`. So only the name of a unit, or a pattern for
 * names, is understood.
 */
import { because, type Reason } from '../reasons/reason.ts';
import type { Arguments } from './read-arguments.ts';

/** Excludes the characters that systemctl escapes. Excludes numbers, too: `systemctl status 123` shows the unit of the process 123. */
const IS_UNIT = /^(?!\d+$)[\w:.\\@*?[\]-]+$/;
/** Verbs that take the path of a unit file. */
const TAKE_FILES: ReadonlySet<string> = new Set(
  ['enable', 'disable', 'mask', 'unmask'].map((verb) => `systemctl ${verb}`),
);

/**
 * Returns a reason if an operand of systemctl is possibly not the name of a unit. Returns null if every operand is such a name, or if the
 * tool is not systemctl. An operand that is not literal counts as a name, except after a verb of `TAKE_FILES`.
 */
export function perhapsNoUnit(tool: string, { command, operands }: Arguments): Reason | null {
  if (tool !== 'systemctl') return null;
  const found = operands.find((word) =>
    word.kind === 'literal' ? !IS_UNIT.test(word.value) : TAKE_FILES.has(command.operation),
  );
  return found === undefined ? null : because('unit-not-plain', found.source);
}

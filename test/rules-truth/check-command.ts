/** Compares one command of a rule file with the real program: which words each of its options takes. */
import type { CommandRule, OptionRule } from '../../src/core/rules/rule.ts';
import { type Complaints, complaintsOf, type Program } from './complaint.ts';

/**
 * @property faults places at which the rule says one thing and the program does another
 * @property unsure uses that showed nothing: the option ends the program at once, or it says nothing of unknown options
 */
export interface CommandCheck {
  readonly faults: readonly string[];
  readonly unsure: readonly string[];
  readonly checked: number;
}

const ONE = 'zzone';
const TWO = 'zztwo';
/** No program has an option of this letter. */
const LETTER = '%';

/**
 * @param before  the words before the command: `remote`, `add`
 * @param options of the command, and those of the commands around it that are also valid after it
 */
export function checkCommand(
  program: Program,
  before: readonly string[],
  command: CommandRule,
  options: Readonly<Record<string, OptionRule>>,
): CommandCheck {
  if (command.style === 'none') return { faults: [], unsure: [], checked: 0 };
  const dashes = command.style === 'single' ? '-' : '--';
  const complaints = complaintsOf(program, before, dashes + ONE, ONE);
  const title = [program.name, ...before].join(' ');
  if (!complaints.reportsUnknown)
    return { faults: [], unsure: [`${title}: says nothing of unknown options`], checked: 0 };
  const letters = command.style === 'gnu' ? complaintsOf(program, before, `-${LETTER}`, LETTER) : null;
  const faults: string[] = [];
  const unsure: string[] = [];
  let checked = 0;
  for (const [name, { takes, effect }] of Object.entries(options)) {
    if (effect?.opaque !== undefined) continue; // the line is opaque, whatever the option takes
    const verdicts = [
      verdictOnNext(complaints, name, takes, dashes),
      ...verdictsOnRest(complaints, letters, name, takes, dashes, command.areValuesApart),
    ];
    checked += verdicts.length;
    for (const verdict of verdicts)
      if (verdict === 'unsure') unsure.push(`${title} ${name}`);
      else if (verdict !== 'right') faults.push(`${title} ${name} ${verdict}`);
  }
  const ends = verdictOnEnds(complaints, command, dashes);
  for (const verdict of ends) faults.push(`${title}: ${verdict}`);
  return { faults, unsure, checked: checked + 2 };
}

type Verdict = 'right' | 'unsure' | string;

/** `OPTION --zzone --zztwo`: the first unknown option in the error message shows where the option's value ended. */
function verdictOnNext(complaints: Complaints, name: string, takes: OptionRule['takes'], dashes: string): Verdict {
  const words = [name, ...(takes === 'pair' ? ['a'] : []), dashes + ONE, dashes + TWO];
  if (takes === 'pair')
    return !complaints.complains(words, ONE) && complaints.complains(words, TWO) ? 'right' : 'does not take two words';
  if (complaints.complains(words, ONE))
    return takes !== 'value' || complaints.misses([name]) || complaints.misses(['a', name])
      ? 'right'
      : 'does not take the next word, and is said to';
  if (!complaints.complains(words, TWO)) return takes === 'value' ? hasValue(complaints, name, dashes) : 'unsure';
  return takes === 'value' || takes === 'rest' ? 'right' : 'takes the next word, and is not said to';
}

/** A value that the program refuses ends it before it names an unknown option. With a value that it accepts, it reads on. */
const hasValue = (complaints: Complaints, name: string, dashes: string): Verdict =>
  VALUES.some((value) => complaints.complains([name, value, dashes + ONE], ONE)) ? 'right' : 'unsure';

const VALUES = ['1', 'a', 'auto', 'always', 'never', 'json', 'all', '1,1', 'HEAD', '2020-01-01', '.', 'zzfile'];

function verdictsOnRest(
  complaints: Complaints,
  letters: Complaints | null,
  name: string,
  takes: OptionRule['takes'],
  dashes: string,
  isApart: boolean,
): readonly Verdict[] {
  const isLetter = /^-[^-]$/.test(name);
  if (letters !== null && isLetter)
    return letters.reportsUnknown && !(isApart && takes === 'value')
      ? [verdictOnBundle(complaints, letters, name, takes)]
      : [];
  if (takes !== 'attached' || isLetter) return [];
  const isRead = VALUES.some((value) => complaints.complains([`${name}=${value}`, dashes + ONE], ONE));
  return [isRead ? 'right' : 'unsure'];
}

/** `-X%`: if -X is a flag, the next letter is an option; if -X takes a value, the next letter is the value. */
function verdictOnBundle(
  complaints: Complaints,
  letters: Complaints,
  name: string,
  takes: OptionRule['takes'],
): Verdict {
  const isOption = letters.complains([name + LETTER, `--${ONE}`], LETTER);
  if (takes !== 'nothing') return isOption ? 'does not take the rest of its word, and is said to' : 'right';
  if (isOption) return 'right';
  return complaints.complains([name + LETTER, `--${ONE}`], ONE)
    ? 'takes the rest of its word, and is not said to'
    : 'unsure';
}

const OPERANDS = ['zzfile', 'a', 'HEAD', 'user.name', '1', 'p', 'http://127.0.0.1:9/'];

function verdictOnEnds(complaints: Complaints, command: CommandRule, dashes: string) {
  const { isOptionsFirst, passesDashes, style, operands, behindDashes, options } = command;
  const hasOptions = Object.keys(options).length > 0;
  const found: string[] = [];
  const isPermuted = OPERANDS.some((operand) => complaints.complains([operand, dashes + ONE], ONE));
  if (isOptionsFirst && isPermuted) found.push('reads options behind an operand, and is said not to');
  // Without options of its own, every word after the operand that looks like one is opaque.
  if (!isOptionsFirst && !isPermuted && operands.length > 0 && hasOptions)
    found.push('ends its options at the first operand, and is not said to');
  const takesDashes = !passesDashes && (operands.length > 0 || behindDashes !== null);
  if (style === 'gnu' && takesDashes && complaints.complains(['--', `--${ONE}`], ONE))
    found.push('reads options behind --, and is said not to');
  return found;
}

/** Formats an assessment for people: indented lines that show every byte of the command. */
import type { AssessedCommand, Assessment } from '../../core/effects/assess-line.ts';
import type { CommandEffects } from '../../core/effects/effects-of-simple.ts';
import type { Redirection, Word } from '../../core/reading/reading.ts';
import type { Resolution } from '../../core/reading/resolution.ts';
import type { Setting } from '../../core/reading/unwrapping.ts';
import { visibleLine } from '../../core/text/visible-text.ts';
import { resourceText } from './resource-text.ts';

export function explanationText(explanation: Assessment): string {
  const { folded, commands, opaque } = explanation;
  return [
    `line      ${visibleLine(explanation.text)}`,
    ...(folded === null
      ? []
      : [
          `prelude   added by ${folded.harness}, left out of the reading; the command is ${visibleLine(folded.command)}`,
        ]),
    ...(folded?.sources.map(
      (file) => `          runs ${visibleLine(file)} first: a user who can write that file decides what runs`,
    ) ?? []),
    `bash      ${AGREEMENT[explanation.bash]}`,
    ...(opaque.length === 0
      ? ['reading   complete']
      : ['reading   opaque: a human approves the exact bytes, because it']),
    ...opaque.flatMap(({ reason, source, advice }) => [
      `          ${visibleLine(reason)}: ${visibleLine(source)}`,
      `            instead: ${advice}`,
    ]),
    '',
    ...commands.flatMap((each, at) => commandLines(each, at + 1)),
    '',
  ].join('\n');
}

const AGREEMENT = {
  agrees: 'agrees that the line is valid (bash -n)',
  disagrees: 'does not agree that the line is valid (bash -n): no standing grant will cover it',
  unknown: 'could not be asked: no standing grant will cover it',
} as const;

function commandLines(each: AssessedCommand, number: number): readonly string[] {
  const { command, directory } = each;
  const words = command.words.map(wordText).join(' ');
  return [
    `${number}. ${words === '' ? '(no program: the shell itself)' : words}`,
    ...row('within', command.within.join(' > ')),
    ...each.wrappers.map(
      ({ layer, resolution }) =>
        `   through    ${visibleLine(layer.name)}${layer.settings.map(settingText).join('')}: ${resolutionText(resolution)}`,
    ),
    ...(command.words.length === 0 ? [] : row('means', meaningText(each))),
    ...writableLines(each.resolution),
    ...effectsLines(each.effects),
    ...row('directory', directoryText(directory)),
    ...command.assignments.map(
      ({ name, value }) => `   sets       ${visibleLine(name)} = ${value === null ? '(several)' : wordText(value)}`,
    ),
    ...command.redirections.map((redirection) => `   opens      ${redirectionText(redirection)}`),
  ];
}

/** Returns an empty text if `directory` is '': the command then runs in the directory of the line. */
const directoryText = (directory: string | null): string =>
  directory === null ? 'only known at run time' : visibleLine(directory);

const row = (title: string, text: string): readonly string[] => (text === '' ? [] : [`   ${title.padEnd(10)} ${text}`]);

function effectsLines(effects: CommandEffects | null): readonly string[] {
  if (effects?.kind !== 'understood') return [];
  const { operation, options, resources, risk, sentence } = effects.permission;
  return [
    `   does       ${visibleLine([operation, ...options].join(' '))}: ${visibleLine(sentence)}`,
    ...resources.map((each) => `   resource   ${resourceText(each)}`),
    `   risk       ${risk}`,
  ];
}

const settingText = ({ kind, value }: Setting): string =>
  kind === 'repeated' ? ' (perhaps many times)' : ` (${kind}${value === null ? '' : ` ${visibleLine(value)}`})`;

/** For a word that is only known at run time, shows the known beginning, then `<reason: word as written>`. */
function wordText(word: Word): string {
  if (word.kind === 'literal')
    return /^[\w./:@%+,=-]+$/.test(word.value) ? word.value : JSON.stringify(visibleLine(word.value));
  return `${visibleLine(word.prefix)}<${word.why}${word.isOne ? '' : ', perhaps many words'}: ${visibleLine(word.source)}>`;
}

const redirectionText = ({ operator, descriptor, target }: Redirection): string =>
  `${descriptor ?? ''}${operator} ${wordText(target)}`;

/**
 * Describes what the lookup of the name found. For a builtin, or without a lookup, describes what the name means in the line.
 */
function meaningText({ meaning, resolution, lookup }: AssessedCommand): string {
  if (resolution !== null && resolution.kind !== 'builtin') return resolutionText(resolution);
  switch (meaning.kind) {
    case 'harmless':
      return 'a harmless builtin';
    case 'directory':
      return 'a builtin that changes the directory of the commands after it';
    case 'opaque':
      return `a builtin that ${meaning.reason}`;
    case 'tool':
      return 'a builtin, read with the rule file of the program of the same name';
    case 'other':
      return resolution === null ? 'a program that cannot be looked up here' : `a builtin (${lookup})`;
  }
}

function resolutionText(resolution: Resolution | null): string {
  if (resolution === null) return 'cannot be looked up here';
  switch (resolution.kind) {
    case 'keyword':
      return 'a keyword of the shell';
    case 'builtin':
      return 'a builtin';
    case 'function':
    case 'alias':
      return `redefined as ${resolution.kind === 'alias' ? 'an alias' : 'a function'}: ${visibleLine(resolution.text)}`;
    case 'file':
      return `${visibleLine(resolution.realPath)}, owner ${resolution.ownerUid}`;
    case 'not found':
      return `nothing that runs: it ${resolution.reason}`;
    case 'unsure':
      return `not certain: ${visibleLine(resolution.reason)}`;
  }
}

const writableLines = (resolution: Resolution | null): readonly string[] =>
  resolution?.kind === 'file'
    ? resolution.writable.map(
        ({ path, by }) =>
          `   beware     ${visibleLine(path)} can be changed by ${by === 'user' ? 'this user' : 'others'}`,
      )
    : [];

/** Describes a `CommandScope` to people, in one phrase without a full stop. The caller must escape the text. */
import type { Access, ResourceKind } from '../effects/permission.ts';
import type { CommandPattern, CommandScope, Hours, ResourcePattern, ValuePattern } from './command-scope.ts';

/** `git log with any options, reading below /home/u/app, on host web as u, until used 5 times` */
export const commandScopeText = (scope: CommandScope): string =>
  [patternsText(scope.patterns), conditionsText(scope)].filter((part) => part !== '').join(', ');

/** Describes what the patterns cover, without the conditions of the scope. */
export const patternsText = (patterns: readonly CommandPattern[]): string =>
  patterns.map(commandPatternText).join('; ');

function commandPatternText(pattern: CommandPattern): string {
  const { options, resources, programs } = pattern;
  const withOptions =
    options === 'any'
      ? ' with any options'
      : options.length === 0
        ? ' without options'
        : ` with no other options than ${inWords(options, 'and')}`;
  const parts = [`${operationsText(pattern)}${withOptions}`, ...resourceTexts(resources)];
  if (programs.listed.length > 0) parts.push(`running ${inWords(programs.listed, 'or')}`);
  return parts.join(', ');
}

/** `git log or git diff`, `reading git commands`, `reading commands of any tool` */
export function operationsText({ operations }: Pick<CommandPattern, 'operations'>): string {
  if (!('reading' in operations)) return inWords(operations.map(nameOf), 'or');
  return operations.tool === null ? 'reading commands of any tool' : `reading ${operations.tool} commands`;
}

const nameOf = (operation: string): string => (operation === 'shell' ? 'the shell itself' : operation);

const DOING: Readonly<Record<Access, string>> = {
  read: 'reading',
  write: 'writing',
  delete: 'deleting',
  execute: 'executing',
  contact: 'contacting',
};
export const accessText = (access: Access): string => DOING[access];

function resourceTexts(resources: readonly ResourcePattern[]): readonly string[] {
  const byDoing = new Map<string, string[]>();
  for (const { kind, access, values } of resources) {
    const doing = inWords(access.map(accessText), 'and');
    const others = byDoing.get(doing);
    const text = valuesText(kind, values);
    if (others === undefined) byDoing.set(doing, [text]);
    else others.push(text);
  }
  return [...byDoing].map(([doing, texts]) => `${doing} ${inWords(texts, 'or')}`);
}

/** `below /home/u/app`, `host github.com`, `any ref` */
export function valuesText(kind: ResourceKind, values: ValuePattern): string {
  switch (values.match) {
    case 'any':
      return kind === 'path' ? 'any file' : `any ${kind}`;
    case 'below':
      return `below ${values.value}`;
    case 'exact':
      return kind === 'path' ? values.value : `${kind} ${values.value === '' ? '(without a name)' : values.value}`;
    case 'glob':
      return `${kind} ${values.value}`;
  }
}

/** `on host web as u, started in /home/u/app or below, from 09:00 to 17:00 …, until used 5 times` */
function conditionsText({ conditions, mostUses }: CommandScope): string {
  const { host, user, cwdBelow, hours } = conditions;
  const parts = [`on host ${host} as ${user}`];
  if (cwdBelow !== null) parts.push(`started in ${cwdBelow} or below`);
  if (hours !== null) parts.push(hoursText(hours));
  if (mostUses !== null) parts.push(mostUses === 1 ? 'until used once' : `until used ${mostUses} times`);
  return parts.join(', ');
}

const DAYS = ['Sundays', 'Mondays', 'Tuesdays', 'Wednesdays', 'Thursdays', 'Fridays', 'Saturdays'];

/** `from 09:00 to 17:00 (Europe/Berlin) on Mondays and Tuesdays` */
export function hoursText({ from, to, days, timeZone }: Hours): string {
  const on =
    days.length === 7
      ? 'every day'
      : inWords(
          days.map((day) => DAYS[day] ?? '?'),
          'and',
        );
  return `from ${clock(from)} to ${clock(to)} (${timeZone}) on ${on}`.replace('on every', 'every');
}

const clock = (minutes: number): string =>
  `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`;

/** `a, b or c` */
export const inWords = (words: readonly string[], last: 'and' | 'or'): string =>
  words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} ${last} ${words.at(-1)}`;

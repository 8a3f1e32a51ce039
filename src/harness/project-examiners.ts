/**
 * Examiners for files that many projects have and that are mostly harmless: settings, texts for the model, and variables. An examiner
 * knows what is harmless, and reports everything else: each unknown name, spelling and form.
 */
import { parseJsonc, plainValue } from '../core/text/jsonc.ts';
import type { HookPlaces } from './hook-file.ts';
import { likenessOf, othersIn } from './own-hooks.ts';
import type { Examiner, Reading } from './project-places.ts';
import { isPlainVariable, namesInEnvironmentText } from './steering-variables.ts';
import { isObject, type JsonObject } from './tool-call.ts';

/** What is perhaps not harmless: names of members, and phrases about other things. */
interface Others {
  readonly names: readonly string[];
  readonly phrases: readonly string[];
}

const NOTHING: Others = { names: [], phrases: [] };

/**
 * What a member of settings may have as its value.
 * - `any`:       each value is harmless
 * - `off`:       only a value that names nothing: false, null, or an empty text, list or object
 * - `on`:        only true
 * - `variables`: an object of variables with plain names
 * - an object:   an object with only these members. `*` means every other name
 * - a function:  returns what is not harmless in the value of the member `name`
 */
type Allowed = 'any' | 'off' | 'on' | 'variables' | Members | Check;
export type Check = (value: unknown, name: string, reading: Reading) => Others;
export interface Members {
  readonly [name: string]: Allowed;
}

/** Examines settings in JSON. Reports every member that `members` does not allow. */
export const jsonWith =
  (members: Members): Examiner =>
  (text, reading) => {
    if (text.trim() === '') return [];
    const parsed = parseJsonc(text);
    // Parsers of JSON with comments disagree about which characters end a line. So they disagree about where a comment ends.
    if (!parsed.ok || hasOddLineEnds(text)) return ['this check cannot read it as JSON'];
    return phrasesAbout(plainValue(parsed.value), members, reading);
  };

/** Examines settings in TOML. Reports every member that `members` does not allow. */
export const tomlWith =
  (members: Members): Examiner =>
  (text, reading) => {
    const read = reading.readToml(text);
    return read.ok ? phrasesAbout(read.value, members, reading) : ['this check cannot read it as TOML'];
  };

/** Whether parsers may disagree about where a line of the text ends. */
export const hasOddLineEnds = (text: string): boolean => /\r(?!\n)|[\x85\u2028\u2029]/.test(text);

const MAX_NAMES = 12;

function phrasesAbout(value: unknown, members: Members, reading: Reading): readonly string[] {
  const { names, phrases } = othersThan(members, value, '', reading);
  return [
    ...listed('it has settings that can run programs past the gate, or that this check does not know', names),
    ...phrases,
  ];
}

function listed(what: string, names: readonly string[]): readonly string[] {
  if (names.length === 0) return [];
  const more = names.length > MAX_NAMES ? ` and ${names.length - MAX_NAMES} more` : '';
  return [`${what}: ${names.slice(0, MAX_NAMES).join(', ')}${more}`];
}

function othersThan(allowed: Allowed, value: unknown, name: string, reading: Reading): Others {
  if (typeof allowed === 'function') return allowed(value, name, reading);
  if (allowed === 'any' || (allowed === 'on' ? value === true : allowed === 'off' && isOff(value))) return NOTHING;
  if (!isObject(value) || allowed === 'off' || allowed === 'on') return { names: [name || 'no object'], phrases: [] };
  const found = Object.entries(value).map(([member, each]): Others => {
    const path = name === '' ? member : `${name}.${member}`;
    if (allowed === 'variables') return isPlainVariable(member) ? NOTHING : { names: [path], phrases: [] };
    const inner = (Object.hasOwn(allowed, member) ? allowed[member] : undefined) ?? allowed['*'];
    return inner === undefined ? { names: [path], phrases: [] } : othersThan(inner, each, path, reading);
  });
  return { names: found.flatMap(({ names }) => names), phrases: found.flatMap(({ phrases }) => phrases) };
}

const isOff = (value: unknown): boolean =>
  value === undefined ||
  value === false ||
  value === null ||
  value === '' ||
  (typeof value === 'object' && Object.keys(value).length === 0);

/**
 * In scope `managed`, allows every value: the machine settings that we write make every value harmless. In other scopes, `allowed` applies.
 */
export const unlessManaged =
  (allowed: Allowed): Check =>
  (value, name, reading) =>
    reading.places.scope === 'managed' ? NOTHING : othersThan(allowed, value, name, reading);

/** Whether this hook for this event is ours. */
type IsOurs = (hook: JsonObject, event: string, places: HookPlaces) => boolean;

/**
 * Allows only our hooks in a member of the form `{EVENT: [{hooks: […]}]}`.
 * @param gate the name of the event before a tool call
 */
export const onlyOwnHooks =
  (gate: string, isOurs: IsOurs): Check =>
  (events, name, { places }) => {
    if (isOff(events)) return NOTHING;
    if (!isObject(events)) return { names: [name], phrases: [] };
    const phrases = Object.entries(events).flatMap(([event, groups]) =>
      hookPhrase(event, gate, groups, (hook) => isOurs(hook, event, places)),
    );
    return { names: [], phrases };
  };

/** Returns a phrase about hooks of the event that are not ours or have an unknown form; an empty list if there are no such hooks. */
export function hookPhrase(
  event: string,
  gate: string,
  groups: unknown,
  isOurs: (hook: JsonObject) => boolean,
): readonly string[] {
  const others = othersIn(groups, isOurs);
  const [first] = others;
  if (first === undefined && isListOfGroups(groups)) return [];
  const does = event === gate ? 'can change a command after the gate has seen it, and runs ungated' : 'runs ungated';
  const called = first === undefined ? 'of a form that this check does not know' : shown(calledBy(first));
  const more = others.length > 1 ? ` (and ${others.length - 1} more)` : '';
  return [`another ${event} hook ${does}: ${called}${more}${likenessOf(others)}`];
}

const isListOfGroups = (groups: unknown): boolean =>
  isOff(groups) ||
  (Array.isArray(groups) &&
    groups.every((group) => isObject(group) && Array.isArray(group['hooks']) && group['hooks'].every(isObject)));

/** Returns a text by which people recognise the hook: the value of the first of these members that the hook has, or `?`. */
const calledBy = (hook: JsonObject): string =>
  String(hook['command'] ?? hook['url'] ?? hook['exec'] ?? hook['bash'] ?? hook['type'] ?? '?');

const shown = (command: string): string => JSON.stringify(command.length > 60 ? `${command.slice(0, 60)}…` : command);

/** Allows only our hooks in a member of the form `{EVENT: […]}`, which has no groups. */
export const onlyOwnListedHooks =
  (isOurs: IsOurs): Check =>
  (events, name, { places }) => {
    if (isOff(events)) return NOTHING;
    if (!isObject(events)) return { names: [name], phrases: [] };
    const phrases = Object.entries(events).flatMap(([event, listed]) => {
      const hooks: readonly unknown[] = Array.isArray(listed) ? listed : [listed];
      const others = hooks.filter((hook) => !isObject(hook) || !isOurs(hook, event, places));
      const [first] = others;
      if (first === undefined) return [];
      const called = isObject(first) ? shown(calledBy(first)) : 'of a form that this check does not know';
      const more = others.length > 1 ? ` (and ${others.length - 1} more)` : '';
      return [
        `another ${event} hook runs ungated, and can replace the call that the gate has checked: ${called}${more}${likenessOf(others.filter(isObject))}`,
      ];
    });
    return { names: [], phrases };
  };

/**
 * Examines a text for the model. The text can begin with a head (YAML front matter): members between two lines `---`.
 * @param members names of the members that the head may have
 * @param runs    patterns of parts that the harness runs as programs. Each pattern has the phrase to report. Absent: the harness runs no
 *                part
 */
export const textWith =
  (members: readonly string[], ...runs: readonly (readonly [RegExp, string])[]): Examiner =>
  (text) => {
    if (hasOddLineEnds(text)) return ['it has ends of lines that this check does not know'];
    const others = namesInHead(text).filter((name) => !members.includes(name));
    return [
      ...listed('its head can run programs past the gate, or this check does not know it', others),
      ...runs.filter(([form]) => form.test(text)).map(([, phrase]) => phrase),
    ];
  };

/**
 * Returns the names of members in the head of a text; an empty list if the text has no head. Leaves out blank lines, comments and lines
 * that continue a member. If one of the other lines has neither the form `NAME:` nor the form `NAME: VALUE`, returns this whole line,
 * because YAML has many ways to write a member.
 * If the first line is longer than `---` (`---js`), returns only this line: some readers run such a head as a program. If the end of the
 * head is missing, returns only a phrase that says so.
 */
export function namesInHead(text: string): readonly string[] {
  const [first = '', ...lines] = text
    .replace(/^\uFEFF/, '')
    .trimStart()
    .split(/\r?\n/);
  if (!first.startsWith('---')) return [];
  if (first !== '---') return [first];
  const end = lines.indexOf('---');
  if (end < 0) return ['the end of the head is missing'];
  let hasMember = false;
  return lines.slice(0, end).flatMap((line) => {
    if (/^\s*(?:#.*)?$/.test(line) || (hasMember && /^(?: +[^\s]|- )/.test(line))) return [];
    const [, name = line] = /^([A-Za-z_][\w-]*):(?: |$)/.exec(line) ?? [];
    hasMember = true;
    return [name];
  });
}

/** Examines a file of variables (`.env`). */
export const variables: Examiner = (text) =>
  listed(
    'it sets variables that can steer programs, or that this check does not know',
    namesInEnvironmentText(text).filter((name) => !isPlainVariable(name)),
  );

/**
 * Finds the variables that a line certainly sets before each use. A value from an earlier line cannot change what such a line does, so a
 * grant need not bind the value. In doubt, a variable is not in the result.
 */
import type { AndOr, Command, CommandNode, CompoundList, Pipeline, Statement } from 'unbash';
import { hidesWords } from '../reasons/reason.ts';
import { formsOf } from '../variables/bound-variables.ts';
import type { ParsedLine } from './parse-line.ts';
import type { Parse } from './parse-text.ts';

/** What the line assigns: a text (`v=x`), or a whole array (`v=(x)`). */
export type AssignedValue = 'text' | 'array';

/**
 * A place where the line certainly sets a variable.
 * @property at    the position of the name
 * @property from  from here the variable has its new value
 * @property to    a use between `from` and `to` certainly follows the assignment; before a later use, bash may have skipped the assignment
 */
interface Place {
  readonly name: string;
  readonly value: AssignedValue;
  readonly at: number;
  readonly from: number;
  readonly to: number;
}

type Node = PipelineNode | AndOr;
type PipelineNode = CommandNode | Pipeline;

const NAME = /[A-Za-z_]\w*/g;

/**
 * Returns for each variable what the line assigns: a text or an array. These assignments count:
 * - `v=x` or `v=(x)` without a command and without a redirection; not in a pipeline, in the background or after `||`
 * - the variable of `for`, in the body of the loop
 * - the variables of `while read v`, in the body of the loop
 * - for `$_`: an earlier command that has a literal name, no assignment and no redirection. A redirection that fails would not change `$_`
 *
 * Each occurrence of the name in the line must be behind such an assignment, even an occurrence inside quotes or a comment. In three cases,
 * bash may read the text in another way, so the result is empty:
 * - words of the line are hidden
 * - the line has a prelude of a harness
 * - the text has a here-document: in `cat <<E; v=x`, bash expands the here-document before it sets `v`
 */
export function assignedFirst(line: ParsedLine, parse: Parse): ReadonlyMap<string, AssignedValue> {
  const { text } = line;
  if (line.folded !== null || text.includes('<<') || line.opaque.some(({ code }) => hidesWords(code))) return NONE;
  const places = placesIn(text, parse);
  const found = new Map<string, AssignedValue>();
  if (places.length === 0) return found;
  const occurrences = occurrencesIn(text);
  const forms = [...formsOf(text)].map((form) => countsOf(form));
  for (const { name, value } of places) {
    const own = places.filter((place) => place.name === name);
    const all = occurrences.get(name) ?? [];
    const isFirst = all.every((at) => own.some((place) => at === place.at || (at >= place.from && at < place.to)));
    const isWritten = forms.every((counts) => (counts.get(name) ?? 0) <= all.length);
    if (isFirst && isWritten && own.every((place) => place.value === value)) found.set(name, value);
  }
  return found;
}

const NONE: ReadonlyMap<string, AssignedValue> = new Map();

function occurrencesIn(text: string): ReadonlyMap<string, readonly number[]> {
  const found = new Map<string, number[]>();
  for (const { 0: name, index } of text.matchAll(NAME)) found.set(name, [...(found.get(name) ?? []), index]);
  return found;
}

function countsOf(text: string): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const [name] of text.matchAll(NAME)) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}

function placesIn(text: string, parse: Parse): readonly Place[] {
  try {
    const script = parse(text);
    if ((script.errors?.length ?? 0) > 0 || script.source !== undefined) return [];
    return new Finder(text).inList(script.commands, text.length);
  } catch {
    return [];
  }
}

class Finder {
  readonly #text: string;
  readonly #places: Place[] = [];

  constructor(text: string) {
    this.#text = text;
  }

  /** @param to the end of the list */
  inList(statements: readonly Statement[], to: number): readonly Place[] {
    for (const { command, background } of statements) {
      const first = command.type === 'AndOr' ? command.commands[0] : command;
      if (background !== true && first?.type === 'Command') this.#assignments(first, to);
      this.#node(command);
    }
    return this.#places;
  }

  #list(list: CompoundList): void {
    this.inList(list.commands, list.end);
  }

  #node(node: Node): void {
    switch (node.type) {
      case 'AndOr':
        for (const [at, each] of node.commands.entries()) {
          // Behind `&&`, a command runs only if bash has made the assignment in front of the `&&`.
          if (each.type === 'Command') this.#assignments(each, endOfConjunction(node, at));
          this.#node(each);
        }
        return;
      case 'Pipeline':
        for (const each of node.commands) this.#node(each);
        return;
      case 'Redirected':
        this.#node(node.command);
        return;
      case 'Subshell':
      case 'BraceGroup':
        this.#list(node.body);
        return;
      case 'If':
        for (const each of [node, ...node.elif]) {
          this.#list(each.clause);
          this.#list(each.then);
        }
        if (node.else !== undefined) this.#list(node.else);
        return;
      case 'For':
        this.#place(node.name.text, 'text', node.name.pos, node.body.pos, node.body.end);
        this.#list(node.body);
        return;
      case 'While':
        if (node.kind === 'while') this.#variablesOfRead(node.clause, node.body);
        this.#list(node.body);
        return;
      case 'Case':
        for (const { body } of node.items) this.#list(body);
        return;
      case 'Function':
        if (node.body.type !== 'CompoundList') this.#node(node.body);
        return;
      default: // has no lists that are understood here
    }
  }

  #assignments(command: Command, to: number): void {
    if (/^[\w./-]+$/.test(command.name?.text ?? '') && command.prefix.length === 0 && command.redirects.length === 0)
      this.#places.push({ name: '_', value: 'text', at: -1, from: command.end, to });
    if (command.name !== undefined || command.suffix.length > 0) return;
    if (command.prefix.some((each) => each.type !== 'Assignment')) return;
    for (const each of command.prefix)
      if (each.type === 'Assignment' && each.append !== true && each.index === undefined)
        this.#place(each.name, each.value.type === 'ArrayValue' ? 'array' : 'text', each.pos, each.end, to);
  }

  #variablesOfRead({ commands }: CompoundList, body: CompoundList): void {
    const [statement] = commands;
    const command = statement?.command;
    if (commands.length !== 1 || statement?.background === true || command?.type !== 'Command') return;
    if (command.name?.text !== 'read' || command.redirects.length > 0) return;
    for (const word of command.args) {
      if (/^-[rs]+$/.test(word.text)) continue;
      if (word.type !== 'Word' || !/^[A-Za-z_]\w*$/.test(word.text)) return;
      this.#place(word.text, 'text', word.pos, body.pos, body.end);
    }
  }

  /** Notes a place, if the text has the name there. */
  #place(name: string, value: AssignedValue, at: number, from: number, to: number): void {
    if (/^[A-Za-z_]\w*$/.test(name) && this.#text.startsWith(name, at))
      this.#places.push({ name, value, at, from, to });
  }
}

/** Returns the end of the last command in the `&&` chain that begins at the command `from`. */
function endOfConjunction({ commands, operators }: AndOr, from: number): number {
  let at = from;
  while (operators[at] === '&&') at += 1;
  return commands[at]?.end ?? 0;
}

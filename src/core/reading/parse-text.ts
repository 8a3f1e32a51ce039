/** Collects the simple commands of a text from the parser's syntax tree. Syntax that is not handled here makes the line opaque. */

import type {
  AndOr,
  Command,
  CommandNode,
  CompoundList,
  ParsedScript,
  Pipeline,
  PipelineNode,
  Statement,
  TestExpression,
  Assignment as TreeAssignment,
  Redirection as TreeRedirection,
  Word as TreeWord,
} from 'unbash';
import { because, type Reason } from '../reasons/reason.ts';
import {
  hasSharedCharacters,
  isPosixAssignment,
  isPosixCommand,
  isPosixNode,
  isPosixRedirection,
  isSharedCommand,
  isSharedNode,
  isUnknownShell,
  type ShellDialect,
} from './dialect.ts';
import { type Loop, withLoopVariables } from './loop-variable.ts';
import { readArithmetic, readWord, unknownNode, type WordSink } from './read-word.ts';
import type { Assignment, Nesting, Opacity, ParsedText, Redirection, SimpleCommand, Word } from './reading.ts';

/** In UTF-16 code units. A longer line is opaque. */
const MAX_LINE_LENGTH = 65_536;
/**
 * Characters that editors, terminals and bash treat differently:
 * - control characters, except tab and newline
 * - lone surrogates and direction marks
 * - spaces that bash does not treat as blanks
 * - invisible characters, except the variation selectors of emoji
 */
const UNREADABLE =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2800]|\p{Surrogate}|\p{Zl}|\p{Zp}|(?! )\p{Zs}|(?![\ufe0e\ufe0f])\p{DI}|\p{Bidi_Control}/u;
/** A line with more simple commands is opaque. */
const MAX_COMMANDS = 500;
/** A text with this many `<<` is opaque: the parser's time grows with the square of the number of here-documents. */
const MAX_HERE_DOCUMENTS = 100;
const SHOWN_CHARACTERS = 80;
/**
 * bash itself uses descriptors above this number (bash(1)), for example to save a redirected descriptor. A gated session has its private
 * descriptors above this number, too. A line that uses a descriptor above this number is opaque.
 */
const MAX_DESCRIPTOR = 9;
const LAST_STANDARD_DESCRIPTOR = 2;

/** Names of the gate's variables and functions in a session's own bash. bash evaluates each typed line from one of these variables. */
const GATE_VARIABLE = /__ape_|\b_[AB]_\b/;

/**
 * Matches a word after `>&` or `<&` that we understand: a dash, a number, a number with a dash, or a plain file name. Does not match:
 * - a longer word that begins with `-`: bash takes only the dash, and reads the other characters as the next word
 * - any other word, such as `$x`: bash expands such a word twice
 */
const PLAIN_DUPLICATE = /^(?:-|\d+-?|[\w./][\w./-]*)$/;
const WORD_END = /^(?:$|[\s;|&()<>`]|\\\n)/;
const BLANKS = /^(?:[ \t]|\\\n)*$/;

export type Parse = (text: string) => ParsedScript;

/**
 * @param parse   the parser; if it throws or reports an error, the line is opaque
 * @param dialect the shell that reads the text; if this shell may read the text differently from bash, the line is opaque
 */
export function parseText(text: string, parse: Parse, dialect: ShellDialect = 'bash'): ParsedText {
  if (text.length > MAX_LINE_LENGTH) return opaque(because('line-too-long'), text);
  const character = UNREADABLE.exec(text);
  if (character !== null) return opaque(because('invisible-character'), around(text, character.index));
  if (hasTornWord(text)) return opaque(because('torn-word'), text);
  if (/(?<!\\)(?:\\\\)*\\$/.test(text)) return opaque(because('final-backslash'), text.slice(-SHOWN_CHARACTERS));
  if (text.split('<<').length > MAX_HERE_DOCUMENTS) return opaque(because('too-many-here-documents'), text);
  let script: ParsedScript;
  try {
    script = parse(text);
  } catch {
    return opaque(because('unparsable'), text);
  }
  const reader = new Reader(text, dialect);
  reader.script(script, []);
  const ours = GATE_VARIABLE.exec(text);
  const opacities = [...reader.opacities];
  if (!hasSharedCharacters(text, dialect)) opacities.push({ ...because('shell-reads-otherwise'), source: shown(text) });
  if (ours !== null) opacities.push({ ...because('names-gate-variable'), source: around(text, ours.index) });
  return { commands: withLoopVariables(reader.commands, reader.loops), opaque: opacities };
}

const opaque = (reason: Reason, source: string): ParsedText => ({
  commands: [],
  opaque: [{ ...reason, source: shown(source) }],
});
/** The descriptor number before the redirection operator; empty if there is no number. */
const openedBy = ({ descriptor }: TreeRedirection): readonly number[] =>
  descriptor?.type === 'FileDescriptor' ? [descriptor.value] : [];
/** The number of the descriptor that the redirection copies; NaN if it copies no descriptor. */
const copiedBy = (redirection: TreeRedirection): number =>
  redirection.type !== 'HereDoc' && /^[<>]&$/.test(redirection.operator)
    ? Number.parseInt(redirection.target?.text ?? '', 10)
    : Number.NaN;
/** Whether a redirection of the command changes standard input (0) or standard output (1). */
const redirects = ({ redirections }: SimpleCommand, wanted: 0 | 1): boolean =>
  redirections.some(({ operator, descriptor }) => (descriptor ?? (operator.startsWith('<') ? 0 : 1)) === wanted);
const isSubstitution = (nesting: Nesting): boolean => nesting.endsWith('substitution');
/**
 * Whether a backslash-newline is possibly inside a word. bash removes each backslash-newline before it splits the line into words. A
 * backslash-newline directly after a blank does not tear a word.
 */
const hasTornWord = (text: string): boolean =>
  [...text.matchAll(/(?<!\\)(\\+)\n/g)].some(
    ({ 1: run = '', index }) =>
      run.length % 2 === 1 && !(run.length === 1 && /(?<!\\)[ \t]$/.test(text.slice(Math.max(0, index - 2), index))),
  );
const around = (text: string, at: number): string => text.slice(Math.max(0, at - 20), at + 20);
const shown = (source: string): string =>
  source.length > SHOWN_CHARACTERS ? `${source.slice(0, SHOWN_CHARACTERS)}…` : source;

class Reader {
  readonly commands: SimpleCommand[] = [];
  readonly opacities: Opacity[] = [];
  readonly loops: Loop[] = [];
  readonly #text: string;
  /** Whether a shell other than bash reads the text. */
  readonly #isPosix: boolean;
  /** Whether an unknown login shell reads the text. */
  readonly #isUnknown: boolean;
  #after: readonly number[] = [];
  /** The descriptors that redirections of the enclosing commands have opened. */
  #opened: readonly number[] = [];

  constructor(text: string, dialect: ShellDialect) {
    this.#text = text;
    this.#isPosix = dialect !== 'bash';
    this.#isUnknown = isUnknownShell(dialect);
  }

  script(script: ParsedScript, within: readonly Nesting[]): void {
    if (script.errors !== undefined && script.errors.length > 0) {
      this.#refuse(because('invalid-bash'), this.#text);
      return;
    }
    // If backticks contain backslashes, the parser's positions refer to `script.source`, not to the line.
    if (script.source !== undefined) {
      this.#refuse(because('backslash-in-backticks'), script.source);
      return;
    }
    this.#statements(script.commands, within);
  }

  #refuse(reason: Reason, source: string): void {
    if (this.opacities.length < MAX_COMMANDS) this.opacities.push({ ...reason, source: shown(source) });
  }

  /** @param isPosix whether every POSIX shell reads the construct as bash does */
  #expectPosix(isPosix: boolean, source: string): void {
    if (this.#isPosix && !isPosix) this.#refuse(because('shell-reads-otherwise'), source);
  }

  #sink(within: readonly Nesting[]): WordSink {
    return {
      isSubstituted: within.some(isSubstitution),
      isPosix: this.#isPosix,
      opaque: ({ source, ...reason }) => this.#refuse(reason, source),
      script: (script, how, source) => {
        if (script === undefined) return this.#refuse(because('substitution-unreadable'), source);
        this.script(script as ParsedScript, [...within, how]);
      },
    };
  }

  #statements(statements: readonly Statement[], within: readonly Nesting[]): void {
    const around: readonly Nesting[] = statements.length > 1 ? [...within, 'list'] : within;
    for (const { command, background } of statements)
      this.#node(command, background === true ? [...around, 'background'] : around);
  }

  #redirected(node: Extract<CommandNode, { readonly type: 'Redirected' }>, within: readonly Nesting[]): void {
    this.#add([], [], node.redirects, [...within, 'group'], this.#source(node));
    const before = this.#opened;
    this.#opened = [...before, ...node.redirects.flatMap(openedBy)];
    this.#node(node.command, within);
    this.#opened = before;
  }

  #pipeline(nodes: Pipeline['commands'], within: readonly Nesting[]): void {
    let input: SimpleCommand | undefined;
    for (const node of nodes) {
      const count = this.commands.length;
      this.#node(node, nodes.length > 1 ? [...within, 'pipeline'] : within);
      // `#add` adds the commands of substitutions first, and the command of this node last.
      const last = node.type === 'Command' && this.commands.length > count ? this.commands.pop() : undefined;
      if (last !== undefined) this.commands.push(input === undefined || redirects(last, 0) ? last : { ...last, input });
      input = last !== undefined && !redirects(last, 1) ? last : undefined;
    }
  }

  #list(list: CompoundList, within: readonly Nesting[]): void {
    this.#statements(list.commands, within);
  }

  #node(node: PipelineNode | AndOr | CommandNode | Pipeline, within: readonly Nesting[]): void {
    this.#expectPosix(isPosixNode(node) && (!this.#isUnknown || isSharedNode(node)), this.#source(node));
    switch (node.type) {
      case 'Command':
        this.#command(node, within);
        return;
      case 'AndOr':
        this.#andOr(node, [...within, 'list']);
        return;
      case 'Pipeline':
        this.#pipeline(node.commands, within);
        return;
      case 'Redirected':
        this.#redirected(node, within);
        return;
      case 'Subshell':
        // With the option `extglob`, which interactive shells often set, bash reads `!(…)` as a pattern of file names.
        if (this.#text[node.pos - 1] === '!') this.#refuse(because('shell-dependent-pattern'), this.#source(node));
        this.#list(node.body, [...within, 'subshell']);
        return;
      case 'BraceGroup':
        this.#list(node.body, [...within, 'group']);
        return;
      case 'If':
        for (const each of [node, ...node.elif]) {
          this.#list(each.clause, [...within, 'condition']);
          this.#list(each.then, [...within, 'condition']);
        }
        if (node.else !== undefined) this.#list(node.else, [...within, 'condition']);
        return;
      case 'While':
        this.#list(node.clause, [...within, 'loop']);
        this.#list(node.body, [...within, 'loop']);
        return;
      case 'For':
        if (!/^[A-Za-z_]\w*$/.test(node.name.text)) this.#refuse(because('loop-over-no-variable'), this.#source(node));
        this.#assigned(node.name.text, node.wordlist ?? [], within, this.#source(node));
        this.#loop(node.name.text, node.wordlist, () => this.#list(node.body, [...within, 'loop']));
        return;
      case 'Case':
        readWord(node.word, this.#sink(within));
        for (const { pattern, body } of node.items) {
          for (const word of pattern) readWord(word, this.#sink(within));
          this.#list(body, [...within, 'condition']);
        }
        return;
      case 'TestCommand':
        this.#test(node.expression, within);
        return;
      case 'ArithmeticCommand':
        readArithmetic(node.expression, this.#source(node), this.#sink(within));
        return;
      case 'ArithmeticFor':
        this.#refuse(because('arithmetic-loop'), this.#source(node));
        return;
      case 'Select':
        this.#refuse(because('select-loop'), this.#source(node));
        return;
      case 'Function':
        this.#refuse(because('defines-function'), this.#source(node));
        return;
      case 'Coproc':
        this.#refuse(because('coprocess'), this.#source(node));
        return;
      default:
        this.#refuse(unknownNode(node), this.#source(node));
    }
  }

  /**
   * Before the first `||`, a command starts only if all commands to its left have succeeded. Of these commands, `#after` has only the
   * simple commands, by their index in `commands`.
   */
  #andOr(list: AndOr, within: readonly Nesting[]): void {
    const before = this.#after;
    let isCertain = true;
    for (const [at, node] of list.commands.entries()) {
      isCertain &&= at === 0 || list.operators[at - 1] === '&&';
      if (!isCertain) this.#after = before;
      this.#node(node, within);
      // `#add` adds the commands of substitutions first. So the last entry of `commands` is the command of this node.
      if (isCertain && node.type === 'Command') this.#after = [...this.#after, this.commands.length - 1];
    }
    this.#after = before;
  }

  /**
   * Reads the body of a loop. Call `#assigned` directly before this method: the last entry of `commands` must have the words of the loop's
   * list.
   */
  #loop(name: string, list: readonly TreeWord[] | undefined, readBody: () => void): void {
    const from = this.commands.length;
    const words = this.commands.at(-1)?.mentions ?? [];
    readBody();
    if (list !== undefined) this.loops.push({ name, list: words, from, to: this.commands.length });
  }

  /** Adds the assignment of the loop variable. The loop variable may decide what runs, as `PATH` does. */
  #assigned(name: string, list: readonly TreeWord[], within: readonly Nesting[], source: string): void {
    const assignments = [{ name, value: null }];
    const mentions = list.map((word) => readWord(word, this.#sink(within)));
    this.commands.push({ words: [], assignments, redirections: [], within, source: shown(source), mentions });
  }

  #command(command: Command, within: readonly Nesting[]): void {
    const prefix = command.prefix.filter((each) => each.type === 'Assignment');
    const words = [...(command.name === undefined ? [] : [command.name]), ...command.args];
    if (!this.#hasOnlyBlanksBetween(command)) this.#refuse(because('gap-between-words'), this.#source(command));
    this.#add(words, prefix, command.redirects, within, this.#source(command));
  }

  #add(
    words: readonly (TreeWord | TreeAssignment)[],
    assignments: readonly TreeAssignment[],
    redirections: readonly TreeRedirection[],
    within: readonly Nesting[],
    source: string,
  ): void {
    if (this.commands.length >= MAX_COMMANDS) {
      this.#refuse(because('too-many-commands', String(MAX_COMMANDS)), source);
      return;
    }
    const sink = this.#sink(within);
    const command: SimpleCommand = {
      words: words.map((word) => (word.type === 'Word' ? readWord(word, sink) : this.#argument(word, sink))),
      assignments: assignments.map((each) => this.#assignment(each, sink)),
      redirections: this.#redirections(redirections, within, sink),
      within,
      source: shown(source),
      ...(this.#after.length === 0 ? {} : { after: this.#after }),
    };
    this.#expectPosix(isPosixCommand(command) && (!this.#isUnknown || isSharedCommand(command)), source);
    this.commands.push(command);
  }

  /** Reads `NAME=VALUE` as an argument of `export`, `declare` and the like. */
  #argument(assignment: TreeAssignment, sink: WordSink): Word {
    const { name, value } = this.#assignment(assignment, sink);
    const head = `${name}${assignment.append === true ? '+' : ''}=`;
    // Older versions of dash split the value of `export NAME=$x` into words.
    this.#expectPosix(value?.kind === 'literal' || value?.isOne === true, assignment.text);
    if (value === null) return { kind: 'runtime', why: 'variable', prefix: head, isOne: true, source: assignment.text };
    if (value.kind === 'literal') return { ...value, value: head + value.value, source: assignment.text };
    const { why, prefix, isOne } = value;
    return { kind: 'runtime', why, prefix: head + prefix, isOne, source: assignment.text };
  }

  #assignment(assignment: TreeAssignment, sink: WordSink): Assignment {
    this.#expectPosix(isPosixAssignment(assignment), assignment.text);
    if (assignment.index !== undefined && !/^\d+$/.test(assignment.index.text))
      this.#refuse(because('evaluates-index'), assignment.text);
    if (assignment.value.type === 'Word') return { name: assignment.name, value: readWord(assignment.value, sink) };
    for (const element of assignment.value.elements) {
      // bash evaluates the index in `a=([INDEX]=x)`, even a quoted index.
      if (/\]\+?=/.test(element.text) && !/^\[\d+\]\+?=/.test(element.text))
        this.#refuse(because('evaluates-index'), assignment.text);
      const word = readWord(element, sink);
      // bash may replace this element by file names. Then bash reads a directory that no command of the line shows.
      if (word.kind === 'runtime' && (word.why === 'glob' || word.why === 'braces' || !word.isOne))
        this.#refuse(because('lists-names'), assignment.text);
    }
    return { name: assignment.name, value: null };
  }

  /**
   * Refuses a copy of a descriptor above 2, except if an enclosing command or this command has opened the descriptor before. Otherwise the
   * caller or an earlier line may have opened the descriptor, for an unknown file.
   */
  #redirections(list: readonly TreeRedirection[], within: readonly Nesting[], sink: WordSink): readonly Redirection[] {
    const opened = new Set(this.#opened);
    return list.flatMap((redirection) => {
      const copied = copiedBy(redirection);
      if (copied > LAST_STANDARD_DESCRIPTOR && copied <= MAX_DESCRIPTOR && !opened.has(copied))
        this.#refuse(because('descriptor-of-caller', String(copied)), String(copied));
      for (const number of openedBy(redirection)) opened.add(number);
      return this.#redirection(redirection, within, sink);
    });
  }

  #redirection(redirection: TreeRedirection, within: readonly Nesting[], sink: WordSink): readonly Redirection[] {
    this.#expectPosix(isPosixRedirection(redirection, this.#source(redirection)), this.#source(redirection));
    const { descriptor: tree } = redirection;
    if (tree?.type === 'FileDescriptorVariable') this.#refuse(because('opens-named-descriptor'), `{${tree.name}}`);
    const descriptor = tree?.type === 'FileDescriptor' ? tree.value : null;
    if (descriptor !== null && descriptor > MAX_DESCRIPTOR)
      this.#refuse(because('high-descriptor'), String(descriptor));
    if (redirection.type === 'HereDoc') {
      // bash 5.2 rewrites the text of `$(…)` before it runs this text. The rewriting loses a `;` after a here-document.
      if (within.some(isSubstitution) && !within.slice(-1).some(isSubstitution))
        this.#refuse(because('here-document-in-substitution'), redirection.operator);
      if (redirection.closing === undefined) this.#refuse(because('here-document-open'), redirection.operator);
      const draft: TreeWord = {
        type: 'Word',
        text: redirection.body.text,
        value: redirection.body.text,
        pos: redirection.body.pos,
        end: redirection.body.end,
      };
      const parts = redirection.delimiter?.quoted === true ? undefined : redirection.body.parts;
      const target: Word =
        parts === undefined
          ? { kind: 'literal', value: draft.value, source: shown(draft.text) }
          : readWord(
              {
                ...draft,
                parts: [
                  { type: 'DoubleQuoted', text: draft.text, pos: draft.pos, end: draft.end, parts: parts as never },
                ],
              },
              sink,
            );
      return [{ operator: '<<', descriptor, target }];
    }
    if (/^\/dev\/(?:tcp|udp)\//.test(redirection.target?.value ?? ''))
      this.#refuse(because('opens-connection'), redirection.target?.text ?? '');
    if (redirection.target === undefined) {
      this.#refuse(because('redirects-nowhere'), redirection.operator);
      return [];
    }
    if (/^[<>]&$/.test(redirection.operator)) {
      if (!PLAIN_DUPLICATE.test(redirection.target.text))
        this.#refuse(because('duplicate-not-plain'), redirection.target.text);
      if (Number.parseInt(redirection.target.text, 10) > MAX_DESCRIPTOR)
        this.#refuse(because('high-descriptor'), redirection.target.text);
    }
    return [{ operator: redirection.operator, descriptor, target: readWord(redirection.target, sink) }];
  }

  /**
   * Reads `[[ … ]]`. Refuses `-eq` and the like if an operand is not a number: bash evaluates the operand as arithmetic. Refuses
   * `-v` and `-R`: for `-v NAME[INDEX]`, bash evaluates the index.
   */
  #test(expression: TestExpression, within: readonly Nesting[]): void {
    const sink = this.#sink(within);
    switch (expression.type) {
      case 'TestUnary':
        if (expression.operator === '-v' || expression.operator === '-R')
          this.#refuse(because('tests-variable-name'), this.#source(expression));
        readWord(expression.operand, sink);
        return;
      case 'TestBinary':
        for (const word of [expression.left, expression.right]) {
          readWord(word, sink);
          if (/^-(?:eq|ne|lt|le|gt|ge)$/.test(expression.operator) && !/^-?\d+$/.test(word.text))
            this.#refuse(because('computes-with-variables'), this.#source(expression));
        }
        return;
      case 'TestLogical':
        for (const operand of expression.operands) this.#test(operand, within);
        return;
      case 'TestNot':
        this.#test(expression.operand, within);
        return;
      case 'TestGroup':
        this.#test(expression.expression, within);
        return;
      default:
        this.#refuse(unknownNode(expression), this.#source(expression));
    }
  }

  #source(node: { readonly pos: number; readonly end: number }): string {
    return this.#text.slice(node.pos, node.end);
  }

  /**
   * Whether the words of a command have only blanks between them (a redirection may follow without a blank). The parser makes this check
   * necessary: it skips text that it does not understand. Also, the parser ends a word after `<(…)`, but bash continues the word.
   */
  #hasOnlyBlanksBetween(command: Command): boolean {
    const children = [...command.prefix, ...(command.name === undefined ? [] : [command.name]), ...command.suffix].sort(
      (left, right) => left.pos - right.pos,
    );
    let at = command.pos;
    for (const child of children) {
      if (!BLANKS.test(this.#text.slice(at, Math.max(at, child.pos)))) return false;
      const mustBeApart = child.type === 'Word' || child.type === 'Assignment';
      if (mustBeApart && child !== children[0] && child.pos <= at) return false;
      at = Math.max(at, child.end);
      // bash must end the word here too. In `<(a)#b`, bash's word continues, and `#b` is no comment.
      if (!WORD_END.test(this.#text.slice(at, at + 2))) return false;
    }
    // `ls (` is invalid in bash, but the parser ignores the parenthesis.
    const next = /(?:[ \t]|\\\n)*(\(?)/y;
    next.lastIndex = command.end;
    return BLANKS.test(this.#text.slice(at, command.end)) && next.exec(this.#text)?.[1] !== '(';
  }
}

/** Splits the words after the name of a program into sub-command, options and operands, as the program itself does. */

import { type Word, wordFrom } from '../reading/reading.ts';
import { because, type Reason } from '../reasons/reason.ts';
import type { CommandRule, OptionRule } from '../rules/rule.ts';
import { isHomeWord, mayBeOption, type OptionContext, shapeOf } from './word-shape.ts';

/**
 * One option in the line. An option with a pair of values has two entries, one for each value.
 * @property name           the option as written, without its value
 * @property value          null: the option has no value, or takes all words that follow
 * @property operandsBefore how many operands are in front of the option
 */
export interface OptionUse {
  readonly name: string;
  readonly rule: OptionRule;
  readonly value: Word | null;
  readonly operandsBefore: number;
}

/** The words of a command, split by the rule file. */
export interface Arguments {
  /** The rule of the innermost sub-command that the line names; if the line names no sub-command, the rule of the tool. */
  readonly command: CommandRule;
  readonly uses: readonly OptionUse[];
  readonly operands: readonly Word[];
  /** The number of operands in front of `--`; without `--`, the number of all operands. */
  readonly beforeDashes: number;
}

/** Returns a reason if the words are not understood. */
export function readArguments(root: CommandRule, words: readonly Word[], context: OptionContext): Arguments | Reason {
  const atFile = words.find(mayBeAtFile);
  if (atFile !== undefined && root.hasAtFiles) return because('at-file', atFile.source);
  const reader = new ArgumentReader(root, words, context);
  const fault = reader.read();
  if (fault !== null) return fault;
  const found = reader.result();
  return atFile !== undefined && found.command.hasAtFiles ? because('at-file', atFile.source) : found;
}

/** Whether the value of the option may be arbitrary text, and never names a file or another resource. Example: a format of git. */
const hasTextValue = ({ value, oneOf }: OptionRule): boolean =>
  oneOf === null && (value === null || value.kind === 'git-format' || value.kind === 'git-ref-format');
/** Whether the value may be in the same word as the name: `--name=VALUE`. */
const mayHaveValueInWord = ({ takes }: OptionRule): boolean => takes === 'value' || takes === 'attached';

class ArgumentReader {
  readonly #words: readonly Word[];
  readonly #context: OptionContext;
  /** The tool's root command and the sub-commands that the line names, the innermost last. */
  readonly #chain: CommandRule[];
  readonly #uses: OptionUse[] = [];
  readonly #operands: Word[] = [];
  #at = 0;
  #beforeDashes: number | null = null;

  constructor(root: CommandRule, words: readonly Word[], context: OptionContext) {
    this.#words = words;
    this.#context = context;
    this.#chain = [root];
  }

  get #command(): CommandRule {
    return this.#chain.at(-1) as CommandRule;
  }

  result(): Arguments {
    return {
      command: this.#command,
      uses: this.#uses,
      operands: this.#operands,
      beforeDashes: this.#beforeDashes ?? this.#operands.length,
    };
  }

  /** Returns null if all words are understood, else the reason why a word is not understood. */
  read(): Reason | null {
    for (let word = this.#next(); word !== undefined; word = this.#next()) {
      const fault = this.#word(word);
      if (fault !== null) return fault;
    }
    return null;
  }

  #next(): Word | undefined {
    return this.#words[this.#at++];
  }

  #word(word: Word): Reason | null {
    const { style, isOldStyle } = this.#command;
    if (style === 'none' || this.#areOptionsOver()) return this.#operand(word);
    if (word.kind === 'literal') {
      if (word.value === '--' && style === 'gnu') {
        if (this.#command.passesDashes) return because('dashes-passed-on', this.#command.operation);
        this.#beforeDashes = this.#operands.length;
        return null;
      }
      const isFirst = this.#at === 1;
      if (isOldStyle && isFirst && !word.value.startsWith('-')) return this.#oldBundle(word.value);
      if (!word.value.startsWith('-') || word.value === '-' || this.#isDashedCommand(word.value))
        return this.#operand(word);
      return style === 'single' ? this.#singleDash(word, word.value) : this.#gnu(word, word.value);
    }
    // In the old style, each letter of the first word is an option, even a letter that bash adds at run time. If the first word is a glob
    // and vanishes (`nullglob`), the next word becomes the first word.
    if (isOldStyle && this.#at === 1) return because('may-become-option', word.source);
    if (!mayBeOption(word, this.#context)) return this.#operand(word);
    const pattern = this.#harmlessPattern(word);
    if (pattern !== null) return this.#use(pattern.name, pattern.rule, pattern.value);
    if (shapeOf(word) !== 'one' || !word.prefix.startsWith('-')) return because('may-become-option', word.source);
    return style === 'single' ? this.#singleDash(word, word.prefix) : this.#gnu(word, word.prefix);
  }

  /**
   * Reads a glob such as `--include=*.ts`. bash may replace the glob by several names. The program then gets the option several times. The
   * repetition is harmless if the option's value names nothing. Returns null if the word is no glob, or if the glob is not harmless.
   */
  #harmlessPattern(word: Word): { name: string; rule: OptionRule; value: Word } | null {
    if (word.kind === 'literal' || shapeOf(word) !== 'many') return null;
    const name = /^--[\w-]+(?==)/.exec(word.prefix)?.[0] ?? '';
    const rule = this.#find(name);
    if (rule === null || !mayHaveValueInWord(rule) || !hasTextValue(rule)) return null;
    if ((rule.value === null && rule.effect !== null) || rule.directory !== null) return null;
    return { name, rule, value: wordFrom(word, name.length + 1) };
  }

  #areOptionsOver(): boolean {
    return this.#beforeDashes !== null || (this.#command.isOptionsFirst && this.#operands.length > 0);
  }

  /**
   * Whether the rule file lists this option as a sub-command, for example `-m` in `python -m pytest`. All later words then belong to this
   * sub-command.
   */
  #isDashedCommand(name: string): boolean {
    return this.#operands.length === 0 && Object.hasOwn(this.#command.commands, name);
  }

  #operand(word: Word): Reason | null {
    const { commands, operands: operandRules, operation } = this.#command;
    if (this.#operands.length === 0 && Object.keys(commands).length > 0) {
      if (word.kind !== 'literal' || this.#beforeDashes !== null) return because('sub-command-unclear');
      const next = Object.hasOwn(commands, word.value) ? commands[word.value] : undefined;
      if (next !== undefined) {
        this.#chain.push(next);
        return null;
      }
      if (operandRules.length === 0) return because('sub-command-not-in-rules', word.value, operation);
    }
    this.#operands.push(word);
    return null;
  }

  /** Finds the rule of an option in the innermost sub-command, else in an outer command with `isSpread`. Null: the option has no rule. */
  #find(name: string): OptionRule | null {
    for (let depth = this.#chain.length - 1; depth >= 0; depth--) {
      const command = this.#chain[depth] as CommandRule;
      if (depth < this.#chain.length - 1 && !command.isSpread) continue;
      const rule = Object.hasOwn(command.options, name) ? command.options[name] : undefined;
      if (rule !== undefined) return rule;
    }
    return null;
  }

  #unknown = (name: string): Reason => because('option-not-in-rules', name, this.#command.operation);

  #use(name: string, rule: OptionRule, value: Word | null): null {
    this.#uses.push({ name, rule, value, operandsBefore: this.#operands.length });
    return null;
  }

  /**
   * Takes the next word as the option's value. Refuses a value that looks like an option (`git log -U --output=FILE`). The rule file may
   * wrongly say that the option takes a value. The program would then read this word as an option.
   */
  #useNext(name: string, rule: OptionRule): Reason | null {
    const value = this.#next();
    if (value === undefined) return because('option-lacks-value', name);
    if (looksLikeOption(value, this.#context) && !(this.#command.style === 'single' && isSize(value)))
      return because('value-like-option', value.source, name);
    if (shapeOf(value) !== 'one') return because('option-value-splits', value.source, name);
    return this.#use(name, rule, value);
  }

  /** Reads the option's values: no word, the next word, the next two words, or all words that follow. */
  #useNextWords(name: string, rule: OptionRule): Reason | null {
    switch (rule.takes) {
      case 'nothing':
      case 'attached':
        return this.#use(name, rule, null);
      case 'value':
        return this.#useNext(name, rule);
      case 'pair':
        return this.#useNext(name, rule) ?? this.#useNext(name, rule);
      case 'rest':
        return this.#useRest(name);
    }
  }

  /**
   * Takes all words that follow as values of the option. The values have no effect. So they are not kept. Refuses a word that may end
   * the list of values: later words would be operands.
   */
  #useRest(name: string): Reason | null {
    const rule = this.#find(name);
    if (rule === null) return this.#unknown(name);
    const mayEnd = (word: Word) =>
      word.kind === 'literal'
        ? /^(?:-|@)/.test(word.value)
        : shapeOf(word) !== 'one' || mayBeOption(word, this.#context);
    const values = this.#words.slice(this.#at);
    this.#at = this.#words.length;
    const end = values.find(mayEnd);
    if (end !== undefined) return because('value-like-option', end.source, name);
    return values.length === 0 ? because('option-lacks-value', name) : this.#use(name, rule, null);
  }

  /**
   * Reads `--name`, a name with one dash and several letters (`-name`), or a bundle of letters.
   * @param known the text of the word, or its known beginning
   */
  #gnu(word: Word, known: string): Reason | null {
    const isWhole = word.kind === 'literal';
    if (known.startsWith('--')) return this.#long(word, known, isWhole);
    const rule = isWhole ? this.#find(known) : null;
    // An option of one letter can begin a bundle. An option that takes all words that follow cannot begin a bundle.
    if (rule !== null && (known.length > 2 || rule.takes === 'rest')) return this.#useNextWords(known, rule);
    if (isWhole && this.#command.hasNumbers && /^-\d+$/.test(known)) return null;
    return this.#bundle(word, known, isWhole);
  }

  #long(word: Word, known: string, isWhole: boolean): Reason | null {
    const equals = known.indexOf('=');
    const name = equals < 0 ? known : known.slice(0, equals);
    if (equals < 0 && !isWhole) return because('option-known-at-run-time', word.source);
    const found = this.#find(name);
    if (found === null) return this.#unknown(name);
    if (equals >= 0)
      return mayHaveValueInWord(found)
        ? this.#use(name, found, wordFrom(word, equals + 1))
        : because('option-takes-no-value-there', name);
    return this.#useNextWords(name, found);
  }

  #bundle(word: Word, known: string, isWhole: boolean): Reason | null {
    for (let at = 1; at < known.length; at++) {
      const name = `-${known[at]}`;
      const found = this.#find(name);
      if (found === null) return this.#unknown(name);
      const isApart = found.takes === 'rest' || found.takes === 'pair';
      if (isApart && (known.length > 2 || !isWhole)) return because('value-not-apart', word.source, name);
      const hasRest = at + 1 < known.length || !isWhole;
      if (found.takes === 'nothing') this.#use(name, found, null);
      else if (hasRest && this.#command.areValuesApart) return because('value-not-apart', word.source, name);
      // If the value in this word is empty at run time, the program takes the next word as the value: `curl -A"$x" -o HOST URL`.
      else if (found.takes === 'value' && at + 1 === known.length && !isWhole)
        return because('value-not-apart', word.source, name);
      else if (hasRest) return this.#use(name, found, wordFrom(word, at + 1));
      else return this.#useNextWords(name, found);
    }
    return isWhole ? null : because('options-known-at-run-time', word.source);
  }

  #singleDash(word: Word, known: string): Reason | null {
    const isWhole = word.kind === 'literal';
    const equals = known.indexOf('=');
    const exact = isWhole ? this.#find(known) : null;
    if (exact !== null) return this.#useNextWords(known, exact);
    if (equals < 0) return isWhole ? this.#unknown(known) : because('option-known-at-run-time', word.source);
    const name = known.slice(0, equals);
    const found = this.#find(name);
    if (found === null) return this.#unknown(name);
    if (!mayHaveValueInWord(found)) return because('option-takes-no-value', name);
    return this.#use(name, found, wordFrom(word, equals + 1));
  }

  /** Reads options as in `tar xzf FILE`: letters without a dash. The values of the letters follow in the same order. */
  #oldBundle(letters: string): Reason | null {
    for (const letter of letters) {
      const found = this.#find(`-${letter}`);
      if (found === null) return this.#unknown(`-${letter}`);
      const fault = this.#useNextWords(`-${letter}`, found);
      if (fault !== null) return fault;
    }
    return null;
  }
}

/** Whether the word looks like an option. `-` and negative numbers (`head -n -5`) do not look like options. */
const looksLikeOption = (word: Word, context: OptionContext): boolean =>
  word.kind === 'literal' ? /^-(?![\d.]*$)/.test(word.value) : mayBeOption(word, context);

/** Whether the word is a value such as `-10M` in `find -size -10M`. No tool with single-dash options has an option of this form. */
const isSize = (word: Word): boolean => word.kind === 'literal' && /^-\d+[A-Za-z]{1,2}$/.test(word.value);

/**
 * Whether the word may be `@FILE`. Some tools replace this word by the content of the file before they read options. These tools replace
 * the word even after `--`, and even if the word is an option's value.
 */
const mayBeAtFile = (word: Word): boolean =>
  word.kind === 'literal'
    ? word.value.startsWith('@')
    : (word.prefix === '' && !isHomeWord(word)) || word.prefix.startsWith('@');

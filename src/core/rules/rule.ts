/** What a rule file says once it is read. */
import type { Access, ResourceKind, Risk } from '../effects/permission.ts';

/** Words that a rule reads with a grammar of their own; see `word-grammars.ts`. */
export type Grammar =
  | 'text'
  | 'sed-script'
  | 'awk-program'
  | 'jq-program'
  | 'printf-format'
  | 'refspec'
  | 'copy-source'
  | 'copy-target'
  | 'clone-source'
  | 'at-file'
  | 'form-field'
  | 'dd-operand'
  | 'assignment'
  | 'test-expression'
  | 'http-method'
  | 'number'
  | 'write-out'
  | 'date-format'
  | 'setting-name'
  | 'dig-words'
  | 'dig-extras'
  | 'socket-address'
  | 'socket-or-file'
  | 'split-prefix'
  | 'saved-url'
  | 'codegen-setting'
  | 'target-name'
  | 'yq-edit'
  | 'packed-file'
  | 'followed-tree'
  | 'zip-archive'
  | 'unzip-archive'
  | 'header'
  | 'github-path'
  | 'suffix'
  | 'module'
  | 'go-program'
  | 'rev-or-path'
  | 'yq-program'
  | 'cluster-objects'
  | 'described-objects'
  | 'deleted-objects'
  | 'labelled-objects'
  | 'logged-object'
  | 'object-format'
  | 'chart'
  | 'chart-values'
  | 'cloud-value'
  | 'cmake-setting'
  | 'compiled-file'
  | 'makefile'
  | 'new-repository'
  | 'fetched-url'
  | 'python-file';

/** `mode`: what the command line says elsewhere, as `tar -x` and `tar -c` say what `-f` is. */
export type RuleAccess = Access | 'mode';

/**
 * What a word means.
 * @property kind  `tree` is a path with all that is below it
 * @property count once, at most once, any number, at least once
 */
export type WordRule =
  | { readonly kind: ResourceKind | 'tree'; readonly access: RuleAccess; readonly count: Count }
  | { readonly kind: Grammar; readonly access: null; readonly count: Count };
export type Count = '1' | '?' | '*' | '+';

/** A resource that is always meant. `.` is the directory it works in, `@repository` the repository around that. */
export interface FixedResource {
  readonly kind: ResourceKind | 'tree';
  readonly access: RuleAccess;
  readonly value: string;
}

/**
 * What an option, or the presence of operands, changes. Everything here adds up in any order; where two say different
 * things about the same, the command is opaque.
 * @property risk      at least this
 * @property does      a sentence more; in place of the command's own when `operation` is given
 * @property operation what is done instead, behind the tool's name
 * @property adds      resources
 * @property operands  what the operands mean instead
 * @property access    the operands are accessed in this way as well
 * @property isTree    operands are meant with all that is below them
 * @property mode      what `mode` stands for
 * @property isOnly    this alone is done: what the command does otherwise, and its risk, fall away
 * @property opaque    why nothing can be said
 */
export interface RuleEffect {
  readonly risk?: Risk;
  readonly does?: string;
  readonly operation?: string;
  readonly adds?: readonly FixedResource[];
  readonly operands?: readonly WordRule[];
  readonly access?: Access;
  readonly isTree?: boolean;
  readonly isOnly?: boolean;
  readonly mode?: Access;
  readonly opaque?: string;
}

/**
 * One way to write an option.
 * @property canonical the name it has in a permission
 * @property takes     a value: none; in the same word, if at all; in the same word or the next one; the next two words,
 *                     which mean nothing; all words that follow
 * @property value     what the value means
 * @property oneOf     the values that are understood; null for all
 * @property directory the value is where relative operands, or all relative paths, begin
 * @property effect    null for none
 * @property rank      place in the rule file, so that sentences keep one order
 */
export interface OptionRule {
  readonly canonical: string;
  readonly takes: 'nothing' | 'attached' | 'value' | 'pair' | 'rest';
  readonly value: WordRule | null;
  readonly oneOf: readonly string[] | null;
  readonly directory: 'operands' | 'all' | null;
  readonly effect: RuleEffect | null;
  readonly rank: number;
}

/** `gnu`: -abc, -nVALUE, --name, --name=VALUE · `single`: -name VALUE, -name=VALUE · `none`: every word is an operand */
export type OptionStyle = 'gnu' | 'single' | 'none';

/**
 * @property operation      tool and sub-commands, as they were typed
 * @property does           null when the command says nothing by itself: an option must say what is done
 * @property isOptionsFirst the first operand ends the options
 * @property passesDashes   what stands behind `--` is given to another command without the `--`: it may be options there
 * @property areValuesApart a letter's value is the next word; what stands behind the letter in its own word are letters
 * @property hasNumbers     `-5` is an option
 * @property isOldStyle     the first operand is a bundle of options without a dash
 * @property requires       opaque without these options
 * @property isSpread       its options are understood behind sub-commands as well
 * @property hasAtFiles     `@FILE` anywhere stands for the words in that file
 * @property behindDashes what operands behind `--` mean; null for the same as in front of it
 * @property bareWords      operands that mean nothing, as the parentheses of find
 */
export interface CommandRule {
  readonly operation: string;
  readonly does: string | null;
  readonly risk: Risk;
  readonly style: OptionStyle;
  readonly isOptionsFirst: boolean;
  readonly passesDashes: boolean;
  readonly areValuesApart: boolean;
  readonly hasNumbers: boolean;
  readonly isOldStyle: boolean;
  readonly isSpread: boolean;
  readonly hasAtFiles: boolean;
  readonly options: Readonly<Record<string, OptionRule>>;
  readonly operands: readonly WordRule[];
  readonly adds: readonly FixedResource[];
  readonly requires: readonly string[];
  readonly behindDashes: readonly WordRule[] | null;
  readonly bareWords: readonly string[];
  readonly withOperands: RuleEffect | null;
  readonly withoutOperands: RuleEffect | null;
  readonly commands: Readonly<Record<string, CommandRule>>;
}

/**
 * @property names  its names: `python` and `python3` are one tool
 * @property login  the file with the account it acts as when it contacts others; null where no file of the home
 *                  directory has it
 * @property readsLoginAtStart whatever it is asked to do
 * @property others tools with the same rules and operations of their own: a grant for `chgrp` is none for `chown`
 */
export interface ToolRule {
  readonly tool: string;
  readonly names: readonly string[];
  readonly login: string | null;
  readonly readsLoginAtStart: boolean;
  readonly others: readonly ToolRule[];
  readonly root: CommandRule;
}

/** Finds the rules of a tool by the name a command has. */
export interface RuleBook {
  readonly find: (name: string) => ToolRule | null;
}

/** The types for the content of a rule file. */
import type { Access, ResourceKind, Risk } from '../effects/permission.ts';

/** The grammars of words that are not simply a resource; see `word-grammars.ts`. */
export type Grammar =
  | 'text'
  | 'sed-script'
  | 'awk-program'
  | 'jq-program'
  | 'printf-format'
  | 'push-refspec'
  | 'fetch-refspec'
  | 'copy-source'
  | 'copy-target'
  | 'clone-source'
  | 'at-file'
  | 'form-field'
  | 'dd-operand'
  | 'assignment'
  | 'test-expression'
  | 'http-method'
  | 'git-format'
  | 'git-ref-format'
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
  | 'python-package'
  | 'debian-package'
  | 'deleted-debian-package'
  | 'shown-debian-package'
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
  | 'manifests'
  | 'test-files'
  | 'cloud-value'
  | 'own-argument'
  | 'uploaded-tree'
  | 'upload-target'
  | 'cmake-setting'
  | 'compiled-source'
  | 'kept-file'
  | 'outputs-beside'
  | 'ts-project'
  | 'makefile'
  | 'new-repository'
  | 'linked-work-tree'
  | 'fetched-url'
  | 'python-file';

/** `mode`: an option decides the access. In tar, `-x` and `-c` decide the access to the file of `-f`. */
export type RuleAccess = Access | 'mode';

/**
 * What a word means.
 * @property kind  `tree`: a path and everything below the path
 * @property count `1`: once; `?`: at most once; `*`: any number; `+`: at least once
 */
export type WordRule =
  | { readonly kind: ResourceKind | 'tree'; readonly access: RuleAccess; readonly count: Count }
  | { readonly kind: Grammar; readonly access: null; readonly count: Count };
export type Count = '1' | '?' | '*' | '+';

/**
 * A resource that no word of the call names. `.` is the working directory. `@repository` is the repository around this directory.
 * `@project NAME…` is the project of the tool: see `project-root.ts`.
 */
export interface FixedResource {
  readonly kind: ResourceKind | 'tree';
  readonly access: RuleAccess;
  readonly value: string;
}

/**
 * What an option (`effect`) or the operands (`withOperands`, `withoutOperands`) change in the effects of the command. An absent property
 * changes nothing. The effects of several options add up; the order does not matter. If two effects contradict each other, the command is
 * opaque.
 * @property risk      the command has at least this risk
 * @property does      a further sentence. If there is an `operation`, `does` replaces the command's own sentence
 * @property operation replaces the command's own operation; has no tool name: `tag list`, not `git tag list`
 * @property adds      further resources
 * @property operands  what the operands mean; replaces the command's own `operands`
 * @property access    a further access to the operands
 * @property isTree    whether an operand also means everything below its path
 * @property mode      the access that replaces `mode` in the rules (`RuleAccess`)
 * @property isOnly    whether the command's own `adds` and `risk` are ignored; the operands still count
 * @property opaque    why the command is opaque with this option
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
 * One name of an option.
 * @property canonical the name of the option in a permission
 * @property takes     `nothing`; `attached`: an optional value in the same word; `value`: a value in the same word or the next word;
 *                     `pair`: the next two words, which have no effect; `rest`: all words that follow
 * @property value     what the value means; null: the value has no effect
 * @property oneOf     the values that are understood; null: all values. A value that is not understood makes the command opaque
 * @property directory null: the value is no start directory. `operands`: relative operands start in the directory that the value names.
 *                     `all`: relative option values start in this directory, too. `outputs`: as `operands`; also, curl joins the value of
 *                     `--output` to this directory, even if the value is an absolute path (`withJoinedOutputs`)
 * @property effect    null: the option has no effect
 * @property rank      the position of the option in the rule file; sentences are sorted by this number
 */
export interface OptionRule {
  readonly canonical: string;
  readonly takes: 'nothing' | 'attached' | 'value' | 'pair' | 'rest';
  readonly value: WordRule | null;
  readonly oneOf: readonly string[] | null;
  readonly directory: 'operands' | 'all' | 'outputs' | null;
  readonly effect: RuleEffect | null;
  readonly rank: number;
}

/** `gnu`: -abc, -nVALUE, --name, --name=VALUE · `single`: -name VALUE, -name=VALUE · `none`: every word is an operand */
export type OptionStyle = 'gnu' | 'single' | 'none';

/**
 * A command or sub-command.
 * @property operation       tool and sub-commands: `git log`
 * @property does            the sentence for the approver; null: no sentence, and the call is opaque unless an effect has an `operation`
 * @property isOptionsFirst  the first operand ends the options
 * @property passesDashes    the tool passes the words after `--` to another command as possible options: a call with `--` is opaque
 * @property areValuesApart  the value of a one-letter option is the next word: a call with `-n5` is opaque
 * @property hasNumbers      a number with a dash (`-5`) is an option
 * @property isOldStyle      the first operand is a bundle of options without a dash
 * @property options         the key is a name of the option, with the dashes
 * @property requires        canonical names of options; if one of these options is missing, the command is opaque
 * @property isSpread        options of this command are also understood after its sub-commands
 * @property hasAtFiles      the tool replaces each word `@FILE` with the words in FILE: a call with such a word is opaque
 * @property operands        what the operands mean, in their order
 * @property behindDashes    what operands after `--` mean; null: the same as operands before `--`
 * @property adds            resources of every call, except a call with the effect `isOnly`
 * @property bareWords       operands without an effect, such as the parentheses of find
 * @property withOperands    the effect of a call with operands; ignored if an option has an `operation`; null: no effect
 * @property commands        the sub-commands; the key is a name of the sub-command, one word
 * @property withoutOperands the effect of a call without operands; null: no effect. Patterns (`*.c`) do not count as operands: bash may
 *                           remove patterns
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
 * @property tool   the name of the tool in permissions and operations
 * @property names  the command names that mean the tool: `python` and `python3` are one tool
 * @property login  the file or directory (`~/…`) with the login that the tool uses for connections; null: no login
 * @property readsLoginAtStart whether the tool reads its login at each start
 * @property others tools with the same rules but their own operations: a grant for `chgrp` does not cover `chown`
 */
export interface ToolRule {
  readonly tool: string;
  readonly names: readonly string[];
  readonly login: string | null;
  readonly readsLoginAtStart: boolean;
  readonly others: readonly ToolRule[];
  readonly root: CommandRule;
}

/** Finds the rules of a tool by the name of a command; null: no rule file has this name. */
export interface RuleBook {
  readonly find: (name: string) => ToolRule | null;
}

/** The reasons why the text of a line makes the line opaque. */
import type { ReasonEntry } from './advice.ts';

/** @property hidesWords whether some words of the line were not read. One of these words may be the name of a command. */
interface ScriptReason extends ReasonEntry {
  readonly hidesWords: boolean;
}

export const SCRIPT_REASONS = {
  'line-too-long': { says: 'is longer than 64 Ki characters', advice: 'split', hidesWords: true },
  'invisible-character': { says: 'contains a character that cannot be seen', advice: 'apart', hidesWords: true },
  'torn-word': { says: 'continues a line in the middle of a word', advice: 'apart', hidesWords: true },
  'final-backslash': { says: 'ends in a backslash', advice: 'check-quoting', hidesWords: true },
  'too-many-here-documents': { says: 'has too many here-documents', advice: 'check-quoting', hidesWords: true },
  unparsable: { says: 'cannot be parsed', advice: 'check-quoting', hidesWords: true },
  'invalid-bash': { says: 'is not valid bash, or not understood', advice: 'check-quoting', hidesWords: true },
  'backslash-in-backticks': {
    says: 'contains backslashes between backticks',
    advice: 'check-quoting',
    hidesWords: true,
  },
  'unknown-syntax': { says: 'has syntax that is not known', advice: 'write-commands', hidesWords: true },
  'substitution-unreadable': {
    says: 'contains a substitution that cannot be read',
    advice: 'run-inner',
    hidesWords: true,
  },
  'shell-dependent-pattern': {
    says: 'has a word that only some shells read as a pattern',
    advice: 'apart',
    hidesWords: true,
  },
  'loop-over-no-variable': {
    says: 'has a loop whose variable has no valid name',
    advice: 'write-rounds',
    hidesWords: false,
  },
  'arithmetic-loop': { says: 'contains an arithmetic loop', advice: 'write-number', hidesWords: false },
  'select-loop': { says: 'contains a select loop', advice: 'write-rounds', hidesWords: false },
  'defines-function': { says: 'defines a function', advice: 'write-commands', hidesWords: false },
  coprocess: { says: 'starts a coprocess', advice: 'write-commands', hidesWords: false },
  'gap-between-words': {
    says: 'has something between its words that cannot be read',
    advice: 'check-quoting',
    hidesWords: true,
  },
  'too-many-commands': {
    says: (most: string) => `runs more than ${most} commands`,
    advice: 'split',
    hidesWords: true,
  },
  'lists-names': {
    says: 'fills an array with words that are only known at run time, such as names of files',
    advice: 'apart',
    hidesWords: false,
  },
  'evaluates-index': { says: 'evaluates an array index', advice: 'run-inner', hidesWords: false },
  'high-descriptor': {
    says: 'uses a descriptor above 9, where the shell keeps descriptors of its own',
    advice: 'apart',
    hidesWords: false,
  },
  'descriptor-of-caller': {
    says: (number: string) =>
      `uses descriptor ${number}, which may lead to anything that was opened before this command`,
    advice: 'apart',
    hidesWords: false,
  },
  'names-gate-variable': {
    says: 'names a variable of the gate, whose text this shell evaluates',
    advice: 'apart',
    hidesWords: false,
  },
  'opens-named-descriptor': {
    says: 'opens a descriptor and puts its number into a variable',
    advice: 'apart',
    hidesWords: false,
  },
  'here-document-in-substitution': {
    says: 'has a here-document among other commands of a substitution',
    advice: 'run-inner',
    hidesWords: false,
  },
  'here-document-open': { says: 'has a here-document without its end', advice: 'check-quoting', hidesWords: false },
  'opens-connection': { says: 'opens a network connection', advice: 'apart', hidesWords: false },
  'redirects-nowhere': { says: 'has a redirection without a target', advice: 'apart', hidesWords: false },
  'duplicate-not-plain': {
    says: 'has a word after >& or <& that is not a number, dash or simple file name',
    advice: 'apart',
    hidesWords: true,
  },
  'tests-variable-name': { says: 'tests a variable by name', advice: 'apart', hidesWords: false },
  'computes-with-variables': { says: 'does arithmetic with variables', advice: 'write-number', hidesWords: false },
  'word-unreadable': {
    says: 'has a word that cannot be read with certainty',
    advice: 'check-quoting',
    hidesWords: true,
  },
  'braces-unreadable': {
    says: 'has braces that cannot be read with certainty',
    advice: 'check-quoting',
    hidesWords: true,
  },
  'escape-not-plain': {
    says: "has an escape in $'…' whose meaning may depend on the version or locale of bash",
    advice: 'apart',
    hidesWords: true,
  },
  'quotes-in-expansion': {
    says: 'has quotes or backslashes inside a quoted expansion',
    advice: 'apart',
    hidesWords: false,
  },
  'shell-dependent-substitution': {
    says: 'has a substitution that only some shells know',
    advice: 'run-inner',
    hidesWords: true,
  },
  'begins-like-arithmetic': {
    says: 'has a substitution that begins like arithmetic',
    advice: 'run-inner',
    hidesWords: true,
  },
  'empty-process-substitution': {
    says: 'has a process substitution without a command',
    advice: 'run-inner',
    hidesWords: false,
  },
  'expands-by-name': {
    says: 'expands a variable by a name that is only known at run time',
    advice: 'run-inner',
    hidesWords: false,
  },
  'assigns-in-passing': { says: 'assigns a variable inside an expansion', advice: 'apart', hidesWords: false },
  'evaluates-offset': { says: 'evaluates the offset or length of a substring', advice: 'run-inner', hidesWords: false },
  'transforms-variable': {
    says: 'transforms a variable in a way that may run code',
    advice: 'run-inner',
    hidesWords: false,
  },
  'computes-with-unknown': {
    says: 'does arithmetic with something that is only known at run time',
    advice: 'write-number',
    hidesWords: false,
  },
} as const satisfies Readonly<Record<string, ScriptReason>>;

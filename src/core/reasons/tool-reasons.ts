/** Why the words of a command do not fit the rules of its tool. */
import type { ReasonTable } from './advice.ts';

export const TOOL_REASONS = {
  /** The reason is a text in the rule file. */
  rule: { says: (text: string) => text, advice: 'apart' },
  'tool-without-rules': { says: (tool: string) => `is ${tool}, for which there are no rules`, advice: 'apart' },
  'lacks-required-option': { says: (missing: string) => `is understood only with ${missing}`, advice: 'apart' },
  'option-twice': { says: (twice: string) => `has the option ${twice} twice`, advice: 'apart' },
  'says-no-operation': { says: (tool: string) => `does not say what ${tool} should do`, advice: 'apart' },
  'repository-unsure': {
    says: 'may work in a repository other than the one of the nearest .git; the settings of that repository can name programs to run',
    advice: 'apart',
  },
  'options-conflict': { says: 'has options that do not go together', advice: 'apart' },
  'moves-twice': { says: 'changes the directory more than once', advice: 'split' },
  'moves-nowhere': { says: 'names no directory for the option that changes the directory', advice: 'apart' },
  'moves-between-operands': { says: 'changes the directory between its operands', advice: 'whole-options' },
  'output-unclear': {
    says: (word: string) =>
      `writes ${word} below a directory that another option names, and one of the two is not certain`,
    advice: 'apart',
  },
  'option-value-not-in-rules': {
    says: (word: string, name: string) => `has ${word} as the value of ${name}, but its rules know only other values`,
    advice: 'apart',
  },
  'too-few-operands': { says: 'has fewer operands than are needed', advice: 'whole-options' },
  'operand-splits': { says: (word: string) => `has ${word}, which may become several words`, advice: 'apart' },
  'operand-not-in-rules': {
    says: (word: string) => `has the operand ${word}, which its rules do not know`,
    advice: 'whole-options',
  },
  'some-word-splits': { says: 'has a word that may become several words', advice: 'apart' },
  'tool-name-unknown': {
    says: (word: string) => `has a name that is only known when it runs (${word})`,
    advice: 'apart',
  },
  'other-program-of-name': {
    says: (word: string) => `is ${word}, which is not the usual program of that name`,
    advice: 'apart',
  },
  'program-without-rules': { says: (word: string) => `runs ${word}, for which there are no rules`, advice: 'apart' },
  'at-file': {
    says: (word: string) => `has ${word}, which may stand for the words in a file; write ./ in front of it`,
    advice: 'apart',
  },
  'dashes-passed-on': {
    says: (operation: string) => `has --, after which ${operation} still takes options`,
    advice: 'apart',
  },
  'may-become-option': {
    says: (word: string) =>
      `has ${word}, which may become an option when it runs; put -- in front of it, or write it out`,
    advice: 'apart',
  },
  'sub-command-unclear': { says: 'has a sub-command that is not certain', advice: 'apart' },
  'sub-command-not-in-rules': {
    says: (word: string, operation: string) =>
      `has the sub-command ${word}, which the rules of ${operation} do not know`,
    advice: 'apart',
  },
  'option-not-in-rules': {
    says: (name: string, operation: string) => `has the option ${name}, which the rules of ${operation} do not know`,
    advice: 'apart',
  },
  'option-lacks-value': { says: (name: string) => `has the option ${name} without its value`, advice: 'apart' },
  'value-like-option': {
    says: (word: string, name: string) =>
      `has ${word} as the value of ${name}, but ${word} looks like an option; write both in one word`,
    advice: 'apart',
  },
  'option-value-splits': {
    says: (word: string, name: string) => `has ${word}, which may become several words, as the value of ${name}`,
    advice: 'apart',
  },
  'option-known-at-run-time': {
    says: (word: string) => `has ${word}, an option that is only known when it runs`,
    advice: 'apart',
  },
  'option-takes-no-value-there': {
    says: (name: string) => `has a value after the = of the option ${name}, which takes no value there`,
    advice: 'apart',
  },
  'value-not-apart': {
    says: (word: string, name: string) => `has ${word}: the value of ${name} must be the next word`,
    advice: 'apart',
  },
  'options-known-at-run-time': {
    says: (word: string) => `has ${word}, options that are only known when it runs`,
    advice: 'apart',
  },
  'option-takes-no-value': {
    says: (name: string) => `has a value for the option ${name}, which takes no value`,
    advice: 'apart',
  },
} as const satisfies ReasonTable;

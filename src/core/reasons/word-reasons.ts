/** Why the meaning of one word, or of one redirection, is not known. */
import type { ReasonTable } from './advice.ts';

export const WORD_REASONS = {
  'object-format-unknown': {
    says: (word: string) => `has the format ${word}, which is only known when it runs`,
    advice: 'apart',
  },
  'object-format-file': { says: (word: string) => `has the format ${word}, which may name a file`, advice: 'apart' },
  'chart-unknown': { says: (word: string) => `has ${word}, a chart that is only known when it runs`, advice: 'apart' },
  'chart-from-plugin': { says: (word: string) => `has the chart ${word}, which a plugin may fetch`, advice: 'apart' },
  'chart-values-unclear': {
    says: (word: string) => `has ${word}, which may be fetched, or may name several files`,
    advice: 'apart',
  },
  'host-unknown': { says: (word: string) => `has ${word}, a host that is only known when it runs`, advice: 'apart' },
  'host-malformed': { says: (word: string) => `has ${word} where a host is expected`, advice: 'apart' },
  'url-scheme': {
    says: (scheme: string) => `has a URL with the scheme ${scheme}, which is not understood`,
    advice: 'apart',
  },
  'url-scheme-guessed': {
    says: (word: string) => `has ${word}, for which the tool may guess another scheme than http`,
    advice: 'apart',
  },
  'url-host-unclear': { says: (word: string) => `has the URL ${word}, whose host is not certain`, advice: 'apart' },
  'url-splits': { says: (word: string) => `has the URL ${word}, which may become several URLs`, advice: 'apart' },
  'url-host-unknown': {
    says: (word: string) => `has the URL ${word}, whose host is only known when it runs`,
    advice: 'apart',
  },
  'value-may-be-file': {
    says: (word: string) => `has the value ${word}, which may be the content of a file`,
    advice: 'apart',
  },
  'setting-malformed': { says: (text: string) => `has ${text} where a setting is expected`, advice: 'apart' },
  'setting-names-program': {
    says: (text: string) => `has the setting ${text}, which may name a program elsewhere`,
    advice: 'apart',
  },
  'sets-deciding-name': { says: (name: string) => `sets ${name}, which changes what programs do`, advice: 'apart' },
  'copies-descriptor': { says: (word: string) => `copies a descriptor from ${word}`, advice: 'apart' },
  'redirects-into-substitution': { says: 'redirects into a process substitution', advice: 'run-inner' },
  'redirects-to-connection': {
    says: (word: string) => `redirects to ${word}, which may be a connection`,
    advice: 'apart',
  },
  'opens-named-connection': { says: (path: string) => `opens the connection ${path}`, advice: 'apart' },
  'test-ambiguous': { says: 'has a test that may be read in several ways', advice: 'apart' },
  'test-not-known': { says: 'has a test that is not known', advice: 'apart' },
  'number-malformed': { says: (word: string) => `has ${word} where a number is expected`, advice: 'apart' },
  'suffix-malformed': { says: (word: string) => `has the suffix ${word}, which is not understood`, advice: 'apart' },
  'sed-script-unsafe': { says: 'has a sed script that may run programs or write files', advice: 'apart' },
  'awk-program-unsafe': { says: 'has an awk program that may run programs or touch files', advice: 'apart' },
  'word-known-at-run-time': {
    says: (word: string) => `has ${word}, which is only known when it runs`,
    advice: 'apart',
  },
  'format-assigns': { says: 'has a format that assigns a variable', advice: 'apart' },
  'revision-unclear': { says: (word: string) => `has ${word} where a revision or a path is expected`, advice: 'apart' },
  'format-names-file': { says: 'has a format that names a file', advice: 'apart' },
  'sets-clock': { says: 'sets the clock', advice: 'apart' },
  'setting-name-malformed': {
    says: (word: string) => `has ${word} where the name of a setting is expected`,
    advice: 'apart',
  },
  'may-be-name-or-host': { says: (word: string) => `has ${word}, which may be another name or host`, advice: 'apart' },
  'completes-file-name': {
    says: (prefix: string) =>
      `has the prefix ${prefix}, to which letters are added, so any name can result; end the prefix with - or _`,
    advice: 'apart',
  },
  'archive-unclear': {
    says: (word: string) => `has ${word} where the name of an archive is expected`,
    advice: 'apart',
  },
  'names-any-work-tree': {
    says: (word: string) =>
      `has ${word}, which may name any work tree whose path ends with it; write a path with ./ or ../`,
    advice: 'apart',
  },
  'path-has-magic': {
    says: (word: string) => `has ${word}, which names files by git's rules for pathspecs, not by their names`,
    advice: 'apart',
  },
  'path-may-be-several': {
    says: (word: string) =>
      `has ${word}, which the program itself expands to several paths; write the paths one by one`,
    advice: 'apart',
  },
  'process-substitution': { says: 'has a process substitution; run the inner command by itself', advice: 'run-inner' },
  'may-be-at-other-host': { says: (word: string) => `has ${word}, which may be at another host`, advice: 'apart' },
  'field-may-be-file': { says: (word: string) => `has the field ${word}, which may be a file`, advice: 'apart' },
  'variable-unclear': { says: (word: string) => `has ${word} where a variable is expected`, advice: 'apart' },
  'module-malformed': { says: (word: string) => `has ${word} where a module is expected`, advice: 'apart' },
  'may-be-any-file': { says: (word: string) => `has ${word}, which may be any file`, advice: 'apart' },
  'query-unsafe': { says: 'has a program that may read files or the environment', advice: 'apart' },
  'may-be-other-host': { says: (word: string) => `has ${word}, which may be another host`, advice: 'apart' },
  'place-unclear': {
    says: (word: string) => `has the remote location ${word}, which is not understood`,
    advice: 'apart',
  },
  'repository-malformed': { says: (word: string) => `has ${word} where a repository is expected`, advice: 'apart' },
  'transport-runs-command': { says: 'has a transport of git that may run a command', advice: 'apart' },
  'dd-word-unclear': { says: (word: string) => `has ${word}, which is not understood`, advice: 'apart' },
  'file-known-at-run-time': {
    says: (word: string) => `has ${word}, a file that is only known when it runs`,
    advice: 'apart',
  },
  'dd-operand-not-known': {
    says: (name: string) => `has the operand ${name}=, which is not understood`,
    advice: 'whole-options',
  },
  'file-use-unsaid': { says: 'does not say what is done with the file', advice: 'apart' },
  'may-be-on-other-host': { says: (word: string) => `has ${word}, which may be on another host`, advice: 'apart' },
  'names-secrets': {
    says: (word: string) => `has the pattern ${word}, which names files with secrets`,
    advice: 'apart',
  },
  'empty-path': { says: 'has an empty path', advice: 'apart' },
  'path-is-url': { says: (word: string) => `has the URL ${word} where a path is expected`, advice: 'apart' },
  'program-from-input': {
    says: (word: string) => `reads its program from ${word}, which is not a regular file; write the program to a file`,
    advice: 'apart',
  },
  'package-unclear': { says: (word: string) => `has ${word} where a package is expected`, advice: 'apart' },
  'package-not-plain': { says: (word: string) => `has ${word}, which is not just a package's name`, advice: 'apart' },
  'unit-not-plain': { says: (word: string) => `has ${word}, which is not just a unit's name`, advice: 'apart' },
  'target-unclear': { says: (word: string) => `has ${word} where a target is expected`, advice: 'apart' },
  'target-not-plain': { says: (word: string) => `has ${word}, which is not just a target's name`, advice: 'apart' },
  'target-outside': {
    says: (word: string) => `has the target ${word}, a file outside of the directory`,
    advice: 'apart',
  },
  'makefile-unclear': { says: (word: string) => `has ${word} where a makefile is expected`, advice: 'apart' },
  'makefile-from-input': {
    says: (word: string) =>
      `reads its makefile from ${word}, which is not a regular file; write the makefile to a file`,
    advice: 'apart',
  },
  'makefile-outside': {
    says: (word: string) => `has the makefile ${word}, a file outside of the directory`,
    advice: 'apart',
  },
  'not-python-file': { says: (word: string) => `has ${word}, which is no Python file`, advice: 'apart' },
  'label-or-object': { says: 'has a word that may be a label or an object', advice: 'apart' },
} as const satisfies ReasonTable;

/** Reasons for an opaque line that come from the request as a whole, or from what a command name means on the host. */
import type { ReasonTable } from './advice.ts';

export const REQUEST_REASONS = {
  'bash-unsure': { says: 'is not certainly valid bash (bash -n)', advice: 'check-quoting' },
  'runs-file-first': { says: 'runs the commands of a file first', advice: 'full-path-program' },
  'through-other-program': {
    says: (name: string) => `goes through ${name}, which may be another program here`,
    advice: 'apart',
  },
  'shell-steered': {
    says: (steering: string) => `is read by a shell, and ${steering} changes how this shell behaves`,
    advice: 'apart',
  },
  'odd-character-set': {
    says: (odd: string) => `is read in the character set of ${odd}, in which quotes may end elsewhere`,
    advice: 'utf-8',
  },
  'bash-with-options': { says: 'is given to a bash that gets other options than -c', advice: 'apart' },
  'not-looked-up': { says: 'was not looked up by its host', advice: 'apart' },
  'host-facts-incomplete': { says: 'needs a fact that its host did not look up', advice: 'apart' },
  'no-plain-program': { says: 'is no plain program with its arguments', advice: 'apart' },
  'session-opens-unknown-file': {
    says: 'makes the session itself open a file whose name is only known at run time',
    advice: 'write-beside',
  },
  'session-opens-beside-writer': {
    says: 'makes the session itself open a file, beside a program that writes files',
    advice: 'write-beside',
  },
  'session-opens-beside-state': {
    says: 'makes the session itself open a file, beside a command that changes the directory or variables of the session',
    advice: 'apart',
  },
  'changed-options': {
    says: (options: string) => `is read by a bash with other options than usual (${options})`,
    advice: 'usual-shell',
  },
  'changed-attributes': {
    says: (attributes: string) => `sets a variable whose attributes change the assigned value (${attributes})`,
    advice: 'usual-shell',
  },
  'writes-program-directory': {
    says: (path: string) => `writes ${path}, in a directory of PATH: files there run in the place of programs`,
    advice: 'apart',
  },
  'touches-own-files': {
    says: (path: string) => `uses ${path}, where ape-shell has its own keys, settings, record or programs`,
    advice: 'other-place',
  },
  'name-unknown': { says: 'has a name that is only known at run time', advice: 'run-inner' },
  redefined: { says: (kind: string) => `is redefined by this shell (${kind})`, advice: 'full-path' },
  'changeable-by-others': {
    says: (path: string) => `runs ${path}, which other users can change`,
    advice: 'root-program',
  },
  /** The host gives `why` when it looks up the program. */
  'program-missing': { says: (why: string) => why, advice: 'check-name' },
  'program-unsure': { says: (why: string) => why, advice: 'apart' },
} as const satisfies ReasonTable;

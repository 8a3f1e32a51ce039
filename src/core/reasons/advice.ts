/** Advice for an agent whose line is opaque: what the agent can do instead. */

/** The advice by code. Each advice is one sentence that begins with a verb. */
export const ADVICE = {
  apart: 'ask for each command by itself',
  'plain-assignment': 'write NAME=VALUE without declare',
  'usual-shell': 'undo this change of the shell first, or leave this shell and start another one',
  'write-beside': 'write the file in a separate line, with a command that names its full path: printf … | tee FILE',
  'other-place': 'leave the files of ape-shell out of the line',
  'run-inner': 'run the inner command by itself, look at what it prints, and write that into the line',
  'write-number': 'write the number itself',
  'write-rounds': 'write out the commands of each round in place of the loop',
  'write-commands': 'write the commands themselves',
  'no-terminal':
    'do without a terminal: no script, unbuffer, setsid -c, xargs -o, ssh -t or docker exec -t, and -T for docker compose exec',
  'fewer-wrappers': 'use fewer wrappers, or ask for the inner command by itself',
  'write-word': 'write the word out, in quotes, instead of a variable',
  'no-variable': 'call the program with an option, or by its full path, instead of setting that variable',
  'full-path-program':
    'call the program in that environment by its full path: .venv/bin/python instead of source .venv/bin/activate',
  'no-string': 'write the command itself instead of a string that is evaluated',
  'utf-8': 'use a UTF-8 locale, or the locale C',
  'bash-text': 'use bash -c, or ask for the inner command by itself',
  'give-commands': 'give the commands with -c, or ask for them one by one',
  'whole-options': 'write options in full and separately, or ask for the inner command by itself',
  'check-name': 'check the name: bash does not find a program of this name',
  'full-path': 'call the program by its full path',
  'root-program': 'call a program that only root can change',
  split: 'split it into several calls',
  'check-quoting': 'check the quoting with bash -n, or write it more simply',
} as const;

type AdviceCode = keyof typeof ADVICE;

/** @property says the end of a sentence that begins "it …"; a function if the sentence names a part of the line */
export interface ReasonEntry {
  readonly says: string | ((...details: never[]) => string);
  readonly advice: AdviceCode;
}

/** Reasons why a line is opaque, by code. */
export type ReasonTable = Readonly<Record<string, ReasonEntry>>;

/** Makes the questions of the impact preview from the commands of a line. */
import { normalizePath } from '../effects/command-context.ts';
import type { Resolution } from '../reading/resolution.ts';
import type { ActualCommand } from '../reading/unwrapping.ts';
import { fileQuestions, found, redirectionQuestions } from './file-questions.ts';
import { gitQuestions } from './git-questions.ts';
import { otherQuestions } from './other-questions.ts';
import type { Question } from './question.ts';
import type { WordsOfCall } from './words.ts';

/** The most questions of a line: more answers would be too much for a card. */
const MAX_QUESTIONS = 16;

/** @property resolution absent or null: not looked up. A redefined name is another command. */
export type ImpactCommand = ActualCommand & { readonly resolution?: Resolution | null };

/** @param cwd absolute  @param home what `~` becomes; null: not known */
export function questionsOf(
  commands: readonly ImpactCommand[],
  { cwd, home }: { readonly cwd: string; readonly home: string | null },
): readonly Question[] {
  const questions: Question[] = [];
  let before: WordsOfCall | null = null;
  for (const each of commands) {
    const call = callOf(each, cwd, home);
    questions.push(...questionsAbout(each, call, before));
    before = call.name === '' ? before : call;
  }
  return questions.slice(0, MAX_QUESTIONS);
}

const ELSEWHERE: ReadonlySet<string> = new Set(['host', 'container', 'root directory', 'namespace']);

function questionsAbout(each: ImpactCommand, call: WordsOfCall, before: WordsOfCall | null): readonly Question[] {
  const asked = [...(asks(call, each, before) ?? []), ...redirectionQuestions(call)];
  const place = each.through.flatMap(({ settings }) => settings).find(({ kind }) => ELSEWHERE.has(kind));
  if (place !== undefined) return asked.map((question) => unknown(question, `it runs in another ${place.kind}`));
  const isOther = each.resolution?.kind === 'alias' || each.resolution?.kind === 'function';
  return isOther ? asked.map((question) => unknown(question, `${call.name} is redefined in this shell`)) : asked;
}

const unknown = ({ what }: Question, note: string): Question => ({ kind: 'unknown', what, note });

function asks(call: WordsOfCall, each: ImpactCommand, before: WordsOfCall | null): readonly Question[] | null {
  const wrapper = each.through.at(-1)?.name;
  const isFed = each.command.words.some((word) => word.kind === 'runtime' && word.why === 'input');
  if (isFed && before?.name === 'find' && (wrapper === 'find -exec' || wrapper === 'xargs')) {
    const what = ON_EACH[call.name];
    return what === undefined ? null : [found(what, before, call.source)];
  }
  if (call.name === 'git') return gitQuestions(call);
  return fileQuestions(call) ?? otherQuestions(call);
}

const ON_EACH: Readonly<Record<string, string>> = {
  rm: 'files deleted',
  unlink: 'files deleted',
  mv: 'files moved',
  chmod: 'files and directories changed',
  chown: 'files and directories changed',
  chgrp: 'files and directories changed',
  shred: 'files overwritten',
  truncate: 'files overwritten',
};

function callOf({ command, directory }: ActualCommand, cwd: string, home: string | null): WordsOfCall {
  const [first, ...words] = command.words;
  const name = first?.kind === 'literal' ? (first.value.split('/').at(-1) ?? '') : '';
  return { name, words, command, home, directory: placeOf(directory, cwd), source: shown(command.source) };
}

const placeOf = (directory: string | null, cwd: string): string | null => {
  if (directory === null || directory.startsWith('/')) return directory;
  return directory === '' ? cwd : normalizePath(`${cwd}/${directory}`);
};

const shown = (source: string): string => (source.length > 80 ? `${source.slice(0, 79)}…` : source);

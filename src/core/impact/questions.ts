/** Makes the questions of the impact preview from the commands of a line. */
import { normalizePath } from '../effects/command-context.ts';
import type { SimpleCommand } from '../reading/reading.ts';
import type { Resolution } from '../reading/resolution.ts';
import type { ActualCommand, Layer } from '../reading/unwrapping.ts';
import { fileQuestions, questionOfFind, redirectionQuestions } from './file-questions.ts';
import { gitQuestions } from './git-questions.ts';
import { otherQuestions } from './other-questions.ts';
import type { Question } from './question.ts';
import type { WordsOfCall } from './words.ts';

/** The most questions about a line: a card has no room for more answers. */
const MAX_QUESTIONS = 16;

/** @property resolution what the command's name means in the session's shell, which may redefine the name; absent or null: not looked up */
export type ImpactCommand = ActualCommand & { readonly resolution?: Resolution | null };

/**
 * Returns at most `MAX_QUESTIONS` questions, in the order of the commands.
 * @param commands the commands of one line
 * @param cwd      absolute
 * @param home     what `~` becomes; null: not known
 */
export function questionsOf(
  commands: readonly ImpactCommand[],
  { cwd, home }: { readonly cwd: string; readonly home: string | null },
): readonly Question[] {
  const questions: Question[] = [];
  let before: WordsOfCall | null = null;
  for (const command of commands) {
    const call = callOf(command, cwd, home);
    questions.push(...questionsAbout(command, call, before));
    before = call.name === '' ? before : call;
  }
  return questions.slice(0, MAX_QUESTIONS);
}

/** Why the impact of a command cannot be looked up. The key is the kind of a setting (`SettingKind`) of the command's wrapper. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  host: 'it runs on another host',
  container: 'it runs in a container',
  'root directory': 'it runs under another root directory',
  namespace: 'it runs in another namespace',
};

/** @param before the nearest earlier call with a known name: for a command of `find -exec`, this is `find`. Null: there is no such call */
function questionsAbout(command: ImpactCommand, call: WordsOfCall, before: WordsOfCall | null): readonly Question[] {
  const questions = [...(questionsOfCall(call, command, before) ?? []), ...redirectionQuestions(call)];
  const [elsewhere] = command.through.flatMap(({ settings }) => settings.flatMap(({ kind }) => ELSEWHERE[kind] ?? []));
  if (elsewhere !== undefined) return questions.map((question) => unknown(question, elsewhere));
  const isRedefined = command.resolution?.kind === 'alias' || command.resolution?.kind === 'function';
  if (!isRedefined) return questions;
  return questions.map((question) => unknown(question, `this shell redefines ${call.name}`));
}

const unknown = ({ what }: Question, note: string): Question => ({ kind: 'unknown', what, note });

function questionsOfCall(
  call: WordsOfCall,
  { command, through }: ImpactCommand,
  before: WordsOfCall | null,
): readonly Question[] | null {
  const wrapper = through.at(-1);
  const isFed = command.words.some((word) => word.kind === 'runtime' && word.why === 'input');
  const feeding = isFed && wrapper !== undefined ? feedingCall(wrapper, call, before) : null;
  if (feeding?.name === 'find') {
    const what = ON_FOUND_FILES[call.name];
    return what === undefined ? null : [questionOfFind(what, feeding, call.source)];
  }
  if (call.name === 'git') return gitQuestions(call);
  return fileQuestions(call) ?? otherQuestions(call);
}

/** Returns the call whose output the wrapper puts into the words of its command; null: not known. */
function feedingCall(wrapper: Layer, { command, ...call }: WordsOfCall, before: WordsOfCall | null) {
  if (wrapper.name === 'find -exec') return before;
  const isPiped = wrapper.name === 'xargs' && wrapper.reads.length === 0;
  return isPiped && command.input !== undefined ? { ...call, ...wordsOf(command.input) } : null;
}

const ON_FOUND_FILES: Readonly<Record<string, string>> = {
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
  return { ...wordsOf(command), home, directory: placeOf(directory, cwd) };
}

function wordsOf(command: SimpleCommand): Omit<WordsOfCall, 'home' | 'directory'> {
  const [first, ...words] = command.words;
  const name = first?.kind === 'literal' ? (first.value.split('/').at(-1) ?? '') : '';
  return { name, words, command, source: shown(command.source) };
}

const placeOf = (directory: string | null, cwd: string): string | null => {
  if (directory === null || directory.startsWith('/')) return directory;
  return directory === '' ? cwd : normalizePath(`${cwd}/${directory}`);
};

const shown = (source: string): string => (source.length > 80 ? `${source.slice(0, 79)}…` : source);

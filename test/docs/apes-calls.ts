/** Finds the calls of `apes` in the documents, and reads the verbs and options from the `--help` of the programs. */
import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { codeSpansOf, type Document, ROOT } from './markdown.ts';

/**
 * @property words   the words after `apes`, up to the first that is no plain word
 * @property options options such as `--json`
 */
export interface Call {
  readonly place: string;
  readonly text: string;
  readonly words: readonly string[];
  readonly options: readonly string[];
}

/** @property verbs the sub-commands; empty for a verb without sub-commands */
export interface Help {
  readonly verbs: readonly string[];
  readonly options: ReadonlySet<string>;
}

const SHELLS = ['console', 'sh'];

/** Finds the calls in code spans and in blocks for a shell. `a | b` and `a \| b` in a span are alternatives for the last verb. */
export function callsOf(document: Document): readonly Call[] {
  const spans = codeSpansOf(document).filter((code) => /^(?:[\w/]*\/)?apes /.test(code));
  const lines = document.fences
    .filter(({ language }) => SHELLS.includes(language))
    .flatMap(({ language, lines }) => (language === 'sh' ? lines : lines.filter((line) => line.startsWith('$ '))))
    .flatMap((line) => [...line.replace(/ +#.*$/, '').matchAll(/(?:^|[\s;&|(])(apes [^;&|]*)/g)])
    .map(([, call = '']) => call);
  return [...spans.flatMap(alternatives), ...lines].map((text) => callOf(document.name, text));
}

/** Splits alternatives: `apes sessions list | show ID [--json]` is `apes sessions list` and `apes sessions show ID [--json]`. */
function alternatives(code: string): readonly string[] {
  const [first = '', ...others] = code.split(' | ');
  const before = first.replace(/^(apes(?: [a-z-]+)*) [a-z-]+\b.*$/, '$1');
  return [first, ...others.map((other) => (other.startsWith('apes ') ? other : `${before} ${other}`))];
}

function callOf(place: string, text: string): Call {
  const own = text.split(/ -- | "/)[0] ?? '';
  const words = own
    .replace(/[[\]…]/g, ' ')
    .split(/\s+/)
    .slice(1)
    .filter(Boolean);
  const end = words.findIndex((word) => !/^[a-z][a-z-]*$/.test(word));
  return {
    place,
    text,
    words: end < 0 ? words : words.slice(0, end),
    options: words.filter((word) => word.startsWith('-')).map((word) => word.replace(/[=,;:.].*$/, '')),
  };
}

const known = new Map<string, Help>();

/** Reads the help of the real program, once for each verb. */
export function helpOf(verbs: readonly string[]): Help {
  const key = verbs.join(' ');
  const found =
    known.get(key) ??
    readHelp(execFileSync(path.join(ROOT, 'dist/bin/apes'), [...verbs, '--help'], { encoding: 'utf8' }));
  known.set(key, found);
  return found;
}

/** Sections of a help that list no verbs. Sections that list verbs have titles of their own (`Ask and decide:`). */
const NO_VERBS: ReadonlySet<string> = new Set(['Options', 'Arguments', 'Examples', 'Outcomes']);

function readHelp(text: string): Help {
  const sections = [...text.matchAll(/^([A-Z][\w ,]*):\n((?:(?: .*)?\n)*)/gm)];
  const lines = sections.flatMap(([, title = '', body = '']) => (NO_VERBS.has(title) ? [] : [body]));
  return {
    verbs: lines.flatMap((body) =>
      [...body.matchAll(/^ {2}([a-z|-]+)(?= |$)/gm)].flatMap(([, verbs = '']) => verbs.split('|')),
    ),
    options: new Set(
      sections
        .filter(([, title]) => title === 'Options')
        .flatMap(([, , body = '']) => [...body.matchAll(/^ {2}(?:-\w, )?(--?[\w-]+)/gm)])
        .map(([, option = '']) => option),
    ),
  };
}

/** Returns what is wrong with the call according to the help, or null. */
export function faultOf(call: Call, help: (verbs: readonly string[]) => Help): string | null {
  const verbs: string[] = [];
  for (const word of call.words) {
    const { verbs: below } = help(verbs);
    if (below.length === 0) break; // a plain word after a verb without sub-commands is its argument
    if (!below.includes(word)) return `${call.place}: ${call.text}: no verb ${[...verbs, word].join(' ')}`;
    verbs.push(word);
  }
  const { options } = help(verbs);
  const unknown = call.options.find((option) => option !== '--' && option !== '-' && !options.has(option));
  return unknown === undefined ? null : `${call.place}: ${call.text}: no option ${unknown} of apes ${verbs.join(' ')}`;
}

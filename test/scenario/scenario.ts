/**
 * A scenario file: a plain text with the commands that a user types and the expected output, in order.
 *
 *   # a comment
 *   ## A sentence that names the next steps (one test)
 *   $ apes grants list          run by bash, in the scenario's scratch directory; must end before the next step
 *   > no grants                 a whole line of standard output; without such lines there must be no output
 *   2> apes: …                  a line of standard error
 *   = 77                        the exit status (default 0)
 *   & waiter apes grants run …  starts a command in the background under the name `waiter`
 *   see waiter waiting for      waits until this background command has printed `waiting for`
 *   wait waiter                 waits for its end; the expected output and status follow
 *
 * In an expected line `…` stands for any text, and a line of only `…` for any number of lines. `{id}` stands for one word, which is
 * stored under this name; later it stands for the stored word, also in commands. `$ ` lines may go on with `  | ` lines.
 */

export interface Step {
  readonly line: number;
  readonly kind: 'run' | 'start' | 'see' | 'wait';
  /** The name of a background command; empty for other commands. */
  readonly name: string;
  /** The command; for `see` the text for which the step waits. */
  readonly command: string;
  readonly out: readonly string[];
  readonly err: readonly string[];
  readonly status: number | null;
}

export interface Section {
  readonly title: string;
  readonly steps: readonly Step[];
}

type Draft = { -readonly [K in keyof Step]: K extends 'out' | 'err' ? string[] : Step[K] };

/** Throws at a line that it does not understand, so that a misspelt expectation is not ignored. */
export function readScenario(text: string, fileName: string): readonly Section[] {
  const sections: { title: string; steps: Draft[] }[] = [];
  for (const [index, raw] of text.split('\n').entries()) {
    const fault = (why: string) => new Error(`${fileName}:${index + 1}: ${why}: ${raw}`);
    const line = raw.trimEnd();
    if (line === '' || /^#(?!#)/.test(line)) continue;
    if (line.startsWith('## ')) {
      sections.push({ title: line.slice(3), steps: [] });
      continue;
    }
    const steps = sections.at(-1)?.steps;
    if (steps === undefined) throw fault('no section yet');
    const fresh = firstLineOf(line, index + 1);
    if (fresh !== null) steps.push(fresh);
    else if (!goOn(steps.at(-1), line)) throw fault('not understood');
  }
  return sections;
}

function firstLineOf(line: string, number: number): Draft | null {
  const step = { line: number, name: '', command: '', out: [], err: [], status: 0 };
  const run = /^\$ (.+)$/.exec(line);
  if (run !== null) return { ...step, kind: 'run', command: run[1] ?? '' };
  const start = /^& (\w+) (.+)$/.exec(line);
  if (start !== null) return { ...step, kind: 'start', name: start[1] ?? '', command: start[2] ?? '' };
  const see = /^see (\w+) (.+)$/.exec(line);
  if (see !== null) return { ...step, kind: 'see', name: see[1] ?? '', command: see[2] ?? '' };
  const wait = /^wait (\w+)$/.exec(line);
  return wait === null ? null : { ...step, kind: 'wait', name: wait[1] ?? '' };
}

function goOn(step: Draft | undefined, line: string): boolean {
  const found = /^(2?>|=| {2}\|)(?: (.*))?$/.exec(line);
  if (step === undefined || found === null) return false;
  const text = found[2] ?? '';
  if (found[1] === '>') step.out.push(text);
  else if (found[1] === '2>') step.err.push(text);
  else if (found[1] === '=') step.status = text === 'any' ? null : Number(text);
  else step.command += `\n${text}`;
  return found[1] !== '=' || text === 'any' || /^\d+$/.test(text);
}

/** The stored words, by their names. */
export type Kept = Map<string, string>;

export const fillIn = (text: string, kept: Kept): string =>
  text.replace(/\{([a-z]\w*)\}/g, (whole, name: string) => kept.get(name) ?? whole);

/** Returns why the text does not fit the expected lines, or null if it fits. Puts the words for `{name}` into `kept`. */
export function mismatch(expected: readonly string[], text: string, kept: Kept): string | null {
  const actual = text === '' ? [] : text.replace(/\n$/, '').split('\n');
  let at = 0;
  for (const [index, pattern] of expected.entries()) {
    if (pattern === '…') {
      const next = expected[index + 1];
      if (next === undefined) return null;
      while (at < actual.length && matchLine(next, actual[at] ?? '', kept) === null) at++;
      continue;
    }
    const line = actual[at];
    if (line === undefined) return `missing: ${fillIn(pattern, kept)}`;
    const found = matchLine(pattern, line, kept);
    if (found === null) return `expected: ${fillIn(pattern, kept)}\n     got: ${line}`;
    for (const [name, word] of found) kept.set(name, word);
    at++;
  }
  return at < actual.length ? `not expected: ${actual[at]}` : null;
}

function matchLine(pattern: string, line: string, kept: Kept): readonly (readonly [string, string])[] | null {
  const names: string[] = [];
  const source = pattern
    .split(/(…|\{[a-z]\w*\})/)
    .map((part) => {
      if (part === '…') return '.*';
      const name = /^\{([a-z]\w*)\}$/.exec(part)?.[1];
      if (name === undefined) return literal(part);
      const known = kept.get(name);
      if (known !== undefined) return literal(known);
      if (names.includes(name)) return `\\${names.indexOf(name) + 1}`;
      names.push(name);
      return '([A-Za-z0-9_.:/-]+)';
    })
    .join('');
  const found = new RegExp(`^${source}$`, 's').exec(line);
  return found === null ? null : names.map((name, index) => [name, found[index + 1] ?? ''] as const);
}

const literal = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');

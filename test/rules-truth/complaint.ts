/**
 * The error message of a real program about an option that no program has. The message names the first unknown option. So with two
 * of them after an option under test, it shows whether that option took the first one as its value.
 */
import { spawnSync } from 'node:child_process';

/** @property run standard output and standard error of the program with these words, in a directory of its own */
export interface Program {
  readonly name: string;
  readonly run: (words: readonly string[]) => string;
}

/** Longer than any program needs to read its words. Some programs never end, such as `top`. */
const MAX_MS = 5_000;

/** @param before words in front of the program: those of a sandbox */
export function programAt(path: string, name: string, cwd: string, before: readonly string[] = []): Program {
  const [command = path, ...rest] = [...before, path];
  const env = { PATH: '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin', HOME: cwd, LC_ALL: 'C', TERM: 'dumb', ...QUIET };
  const known = new Map<string, string>();
  const run = (words: readonly string[]): string => {
    const key = JSON.stringify(words);
    const found = known.get(key);
    if (found !== undefined) return found;
    const { stdout, stderr } = spawnSync(command, [...rest, ...words], {
      cwd,
      env,
      input: '',
      encoding: 'utf8',
      timeout: MAX_MS,
      killSignal: 'SIGKILL',
      maxBuffer: 1 << 22,
    });
    const said = `${stdout ?? ''}\n${stderr ?? ''}`;
    known.set(key, said);
    return said;
  };
  return { name, run };
}

const QUIET = { GIT_PAGER: 'cat', PAGER: 'cat', GIT_EDITOR: 'true', NO_UPDATE_NOTIFIER: '1', GIT_TERMINAL_PROMPT: '0' };

/** Lines that hold the mark, with the mark itself blotted out. */
const linesWith = (said: string, mark: string): readonly string[] =>
  said
    .split(/[\r\n]/)
    .filter((line) => line.includes(mark))
    .map((line) => line.replaceAll(mark, '\u0000'));

/**
 * What a program reports about its options.
 * @property reportsUnknown whether the program reports an unknown option; if not, this check cannot find out anything
 */
export interface Complaints {
  readonly reportsUnknown: boolean;
  /** Whether the program reports `mark` as an unknown option. */
  readonly complains: (words: readonly string[], mark: string) => boolean;
  /** Whether the program reports that the last word lacks its value. */
  readonly misses: (words: readonly string[]) => boolean;
}

/**
 * @param before  the sub-command
 * @param unknown a word with `mark` in it that is no option of the program
 */
export function complaintsOf(program: Program, before: readonly string[], unknown: string, mark: string): Complaints {
  const usual = linesWith(program.run([...before, unknown]), mark).filter((line) => COMPLAINT.test(line));
  const complains = (words: readonly string[], of: string): boolean =>
    linesWith(program.run([...before, ...words]), of).some(
      (line) => usual.includes(line) || line.includes('must come before non-option'),
    );
  const misses = (words: readonly string[]): boolean => MISSING.test(program.run([...before, ...words]));
  return { reportsUnknown: usual.length > 0, complains, misses };
}

const COMPLAINT =
  /unrecogni[sz]ed|unknown|\bbad\b|invalid|illegal|not supported|not defined|not understood|wasn't expected|isn't valid|unexpected|not expected|no such option|There is no|ambiguous/i;

/** Some programs refuse a value that looks like an option, with the message for an unknown option. */
const MISSING =
  /(?:requires|needs|expects|takes) (?:an? |one )?(?:SPEC format )?(?:value|argument|parameter|package name)|requires at least|missing (?:value|argument)|a value is required/i;

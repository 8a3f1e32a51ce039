/**
 * A sandbox in which any command line may run. Every program except `sh` is a stand-in that notes its arguments, and bash cannot see
 * the rest of the machine. This needs Linux, and root or user namespaces. Without them `isContained` is false, and only lines that name no
 * path may run.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';

/**
 * What one line did.
 * @property started the arguments of every program that started, its name first, in the order of their starts
 * @property files   names of the files that appeared in the working directory
 * @property end     `exit N`, `signal N`, or `timeout` after 3 s
 */
export interface Happening {
  readonly started: readonly (readonly string[])[];
  readonly files: readonly string[];
  readonly end: string;
}

export interface Sandbox {
  readonly isContained: boolean;
  /**
   * Returns one happening for each line, in the order of the lines. A line must not contain a NUL.
   * @param hasExtglob whether bash runs with extglob, as most interactive shells do; default false, as in scripts
   */
  readonly run: (lines: readonly string[], hasExtglob?: boolean) => readonly Happening[];
  readonly remove: () => void;
}

/** The files that are in the working directory before each line, for globs. A line has made every other file. */
const FILES = ['=f1', '=f2', '=a b'];

/** @param sources the folder with the two C programs */
export function makeSandbox(sources: string, programs: readonly string[]): Sandbox {
  const root = mkdtempSync(path.join(tmpdir(), 'ape-lines-'));
  const bash = process.env['APE_TEST_BASH'] ?? '/bin/bash';
  const sh = process.env['APE_TEST_SH'] ?? '/bin/sh';
  for (const folder of ['bin', 'work', 'sh', 'proc', 'dev', 'tmp', 'etc', 'out']) mkdirSync(path.join(root, folder));
  for (const folder of ['work', 'tmp']) chmodSync(path.join(root, folder), 0o777);
  chmodSync(root, 0o755);
  for (const file of FILES) writeFileSync(path.join(root, 'work', file), '');
  // The log has a name that cannot be guessed, in a folder that cannot be listed, so that no line finds it.
  const log = path.join('out', randomBytes(16).toString('hex'));
  for (const file of [log, 'dev/null']) {
    writeFileSync(path.join(root, file), '');
    chmodSync(path.join(root, file), 0o666);
  }
  const runner = path.join(root, 'out/run-lines');
  execFileSync('cc', ['-O1', '-o', runner, path.join(sources, 'run-lines.c')]);
  copyShell(root, bash, 'sh/bash');
  copyShell(root, sh, 'bin/sh');
  symlinkSync('.', path.join(root, 'usr'));
  symlinkSync('/proc/self/fd', path.join(root, 'dev/fd'));
  chmodSync(path.join(root, 'out'), 0o711);
  const compile = (at: string) => compileStandIns(root, path.join(sources, 'stand-in.c'), path.join(at, log), programs);
  compile('/');
  const isContained = spawnSync(runner, [root, bash, 'contained', log, '+extglob'], { input: 'true\0' }).status === 0;
  if (!isContained) compile(root);
  return {
    isContained,
    run: (lines, hasExtglob = false) => {
      const option = hasExtglob ? '-extglob' : '+extglob';
      const run = spawnSync(runner, [root, bash, isContained ? 'contained' : 'open', log, option], {
        input: lines.map((line) => `${line}\0`).join(''),
        maxBuffer: 1 << 30,
      });
      if (run.status !== 0) throw new Error(`run-lines: status ${run.status}: ${run.stderr}`);
      const happenings = readHappenings(run.stdout.toString('utf8'));
      if (happenings.length !== lines.length)
        throw new Error(`${lines.length} lines, but ${happenings.length} happenings`);
      return happenings;
    },
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
}

function compileStandIns(root: string, source: string, log: string, programs: readonly string[]): void {
  const standIn = path.join(root, 'out/stand-in');
  execFileSync('cc', ['-O1', '-static', `-DLOG="${log}"`, '-o', standIn, source]);
  for (const program of programs) {
    const place = path.join(root, 'bin', program);
    rmSync(place, { force: true });
    linkSync(standIn, place);
  }
}

/** Copies a shell to the place `to` in the sandbox, and the libraries that it needs, because it cannot see those of the machine. */
function copyShell(root: string, shell: string, to: string): void {
  copyFileSync(shell, path.join(root, to));
  chmodSync(path.join(root, to), 0o755);
  const libraries = spawnSync('ldd', [shell]).stdout?.toString() ?? '';
  for (const [, library = ''] of libraries.matchAll(/(\/[^\s:]+)/g)) {
    const place = path.join(root, library);
    mkdirSync(path.dirname(place), { recursive: true });
    copyFileSync(library, place);
  }
  const locale = '/usr/lib/locale/C.utf8';
  if (!existsSync(locale)) return;
  mkdirSync(path.join(root, 'lib/locale'), { recursive: true });
  cpSync(locale, path.join(root, 'lib/locale/C.utf8'), { recursive: true });
}

function readHappenings(text: string): Happening[] {
  const fields = text.split('\0');
  const happenings: Happening[] = [];
  let started: string[][] = [];
  let files: string[] = [];
  for (let at = 0; at < fields.length - 1; ) {
    const [kind, value = ''] = [fields[at], fields[at + 1]];
    at += 2;
    if (kind === 'P') {
      started.push(fields.slice(at, at + Number(value)));
      at += Number(value);
    } else if (kind === 'F') files.push(value);
    else if (kind === 'E') {
      happenings.push({ started, files, end: value });
      [started, files] = [[], []];
    } else throw new Error(`unexpected field ${JSON.stringify(kind)}`);
  }
  return happenings;
}

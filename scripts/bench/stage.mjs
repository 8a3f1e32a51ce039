/** A temporary installation with its own APES_HOME, and an owner key that approves. Its programs are started as a user starts them. */
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { removeDirectory } from '../remove-directory.mjs';

export const root = fileURLToPath(new URL('../..', import.meta.url));
const bin = (name) => path.join(root, 'dist/bin', name);
export const APE_SHELL = bin('ape-shell');
export const APES = bin('apes');

/** The environment of all programs: small, and without NODE_EXTRA_CA_CERTS (29 ms at every start). */
function environmentOf(home) {
  return {
    PATH: process.env.PATH ?? '/usr/bin:/bin',
    HOME: path.join(home, 'user'),
    APES_HOME: path.join(home, 'apes'),
    LANG: 'C.UTF-8',
    TERM: 'xterm',
    APES_QUIET: '1',
  };
}

export class Stage {
  #home = mkdtempSync(path.join(realpathSync(tmpdir()), 'ape-bench-'));
  env = environmentOf(this.#home);
  cwd = path.join(this.#home, 'work');

  /** @param settings environment variables for every program of this stage */
  constructor(settings = {}) {
    Object.assign(this.env, settings);
    for (const directory of [this.cwd, this.env.HOME]) mkdirSync(directory);
    // The same prompt for every shell, so that the benches can wait for one text.
    for (const name of ['.bashrc', '.bash_profile']) writeFileSync(path.join(this.env.HOME, name), "PS1='ready> '\n");
    this.run(APES, ['up', '--port', '0', '--json']);
    this.run(APES, ['owner', 'key', 'create', '--here']);
  }

  /** Runs a program and returns its standard output; throws for another status than `statuses`. */
  run(file, words, { statuses = [0] } = {}) {
    const { status, stdout, stderr, error } = spawnSync(file, words, {
      ...this.place,
      encoding: 'utf8',
      timeout: 60_000,
    });
    if (error || status === null || !statuses.includes(status))
      throw new Error(`${path.basename(file)} ${words.join(' ')}: ${error?.message ?? `status ${status}`}\n${stderr}`);
    return stdout;
  }

  get place() {
    return { env: this.env, cwd: this.cwd };
  }

  inbox() {
    return JSON.parse(this.run(APES, ['grants', 'inbox', '--json'])).data;
  }

  approveAll(term = 'always') {
    const waiting = this.inbox();
    for (const { id } of waiting) this.run(APES, ['grants', 'approve', '--term', term, id]);
    return waiting;
  }

  /** Asks for `ape-shell -c TEXT`, approves it for `always`, and checks that it then runs. */
  cover(text) {
    this.run(APE_SHELL, ['-c', text], { statuses: [75] });
    this.approveAll();
    this.run(APE_SHELL, ['-c', text]);
  }

  url() {
    return JSON.parse(this.run(APES, ['up', '--json'])).data.url;
  }

  /** Reads the stored token of the role `requester` or `owner`, as the next process would. */
  token(role) {
    const { subjectId } = JSON.parse(readFileSync(path.join(this.env.APES_HOME, 'keys', `${role}.json`), 'utf8'));
    return JSON.parse(readFileSync(path.join(this.env.APES_HOME, 'state', `token-${subjectId}.json`), 'utf8')).token;
  }

  /** The path of the SQLite database. */
  databaseFile() {
    const folder = path.join(this.env.APES_HOME, 'data');
    const name = readdirSync(folder).find((each) => each.endsWith('.sqlite'));
    if (name === undefined) throw new Error(`no SQLite database in ${folder}`);
    return path.join(folder, name);
  }

  /** Starts a program in the background, with a pipe for its standard output. */
  start(file, words) {
    return spawn(file, words, { ...this.place, stdio: ['ignore', 'pipe', 'ignore'] });
  }

  close() {
    spawnSync(APES, ['down'], { ...this.place, stdio: 'ignore', timeout: 30_000 });
    removeDirectory(this.#home);
  }
}

/** A temporary installation with a server, a host key and an owner key of its own. `approve` and `deny` decide with the owner key. */
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { removeDirectory } from '../platform/remove-directory.mjs';
import { findProcesses, runProgram } from './processes.mjs';

export const DIST = fileURLToPath(new URL('../../dist', import.meta.url));
const APES = join(DIST, 'bin/apes');
const SYSTEM_PATH = '/usr/local/bin:/usr/bin:/bin';
const CALL_MS = 30_000;

export class TrialInstallation {
  /** How often the approver has approved something. */
  approvals = 0;
  /**
   * What the last `apes hooks install` did: the harness, the environment and the written files; null: nothing was installed.
   * @type {{ name: string, env: Record<string, string>, files: string[] } | null}
   */
  installed = null;
  /** How many cases and variants of cases were started with this installation. */
  caseCount = 0;
  #isFrozen = false;

  /**
   * @param directory the constructor makes this directory; `close` and `destroy` remove the directory
   * @param path      the PATH of the agents
   */
  constructor(directory, path = SYSTEM_PATH) {
    this.directory = directory;
    this.path = path;
    this.apesHome = join(directory, 'apes');
    mkdirSync(join(directory, 'owner'), { recursive: true });
  }

  /** Starts the server and makes the owner's key. Throws if the server does not start. */
  async open() {
    if (!existsSync(APES)) throw new Error('dist/ is missing: npm run build');
    await this.#apes('up', '--port', '0', '--json');
    await this.#apes('owner', 'key', 'create', '--here');
    return this;
  }

  async #apes(...words) {
    const env = { HOME: join(this.directory, 'owner'), APES_HOME: this.apesHome, PATH: SYSTEM_PATH, LC_ALL: 'C.UTF-8' };
    const done = await runProgram(APES, words, { cwd: this.directory, env, timeoutMs: CALL_MS });
    if (done.status !== 0) throw new Error(`apes ${words.join(' ')}: ${done.err.trim() || `status ${done.status}`}`);
    return done.out;
  }

  /** The variables that make an agent's gate use this installation. */
  get variables() {
    return { APES_HOME: this.apesHome };
  }

  approve(id, term = 'once') {
    this.approvals += 1;
    return this.#apes('grants', 'approve', id, '--term', term);
  }

  deny(id, reason) {
    return this.#apes('grants', 'deny', id, '--reason', reason);
  }

  /** Returns the requests that wait for a decision. */
  async inbox() {
    return JSON.parse(await this.#apes('grants', 'inbox', '--json')).data;
  }

  /** Returns the entries of the host's journal in order: `{event, text, …}`. */
  journal() {
    const directory = join(this.apesHome, 'state/audit');
    if (!existsSync(directory)) return [];
    return readdirSync(directory)
      .sort()
      .flatMap((name) => readFileSync(join(directory, name), 'utf8').trim().split('\n'))
      .filter(Boolean)
      .map((line) => JSON.parse(line));
  }

  /** Stops the server with SIGSTOP. Until `resume`, a client can connect but gets no answer. */
  freeze() {
    this.#signal('SIGSTOP');
    this.#isFrozen = true;
  }

  resume() {
    if (this.#isFrozen) this.#signal('SIGCONT');
    this.#isFrozen = false;
  }

  #signal(name) {
    const text = readFileSync(join(this.apesHome, 'state/server.json'), 'utf8');
    process.kill(JSON.parse(text).pid, name);
  }

  async close() {
    try {
      this.resume();
      await this.#apes('down');
    } catch {
      // The server never started, has ended, or does not stop. `destroy` kills it.
    }
    this.destroy();
  }

  /** Kills every process of this installation (server, gates, processes that an agent left behind), and removes the directory. */
  destroy() {
    const variable = `APES_HOME=${this.apesHome}`;
    const end = () => {
      for (const pid of this.#pids()) endProcess(pid);
      for (const pid of findProcesses(variable, () => true)) endProcess(pid);
    };
    end();
    removeDirectory(this.directory, end);
  }

  #pids() {
    return ['run/gate.pid', 'state/server.json'].flatMap((file) => {
      try {
        return [Number(/\d+/.exec(readFileSync(join(this.apesHome, file), 'utf8'))?.[0])].filter((pid) => pid > 1);
      } catch {
        return []; // no such file: the process has ended
      }
    });
  }
}

function endProcess(pid) {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // The process has ended.
  }
}

/**
 * Runs programs with a time limit. Each program gets a new process group. If this process ends while a program runs, it first kills the
 * program's group.
 */
import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';

/** @type {Set<number>} */
const groups = new Set();
let hasExitHandlers = false;

function killGroupsAtExit() {
  if (hasExitHandlers) return;
  hasExitHandlers = true;
  process.on('exit', endAll);
  // If this process already has a handler for the signal, that handler has to end the process.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
    if (process.listenerCount(signal) === 0) process.on(signal, () => process.exit(1));
}

/** Kills the process group of every running program that `runProgram` started. */
export function endAll() {
  for (const pid of groups) killGroup(pid);
}

/** @param {number} pid */
function killGroup(pid) {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // The group has ended.
  }
}

/**
 * Runs a program until the program ends, `timeoutMs` have passed, or `enough` is aborted. Then kills the whole process group.
 * @param {string} file
 * @param {readonly string[]} argv
 * @param {{ cwd?: string, env: NodeJS.ProcessEnv, timeoutMs: number, enough?: AbortSignal }} options
 *   an abort of `enough` counts as a time-out; an abort before the call has no effect
 * @returns {Promise<{ status: number | null, signal: string | null, out: string, err: string, isTimedOut: boolean, tookMs: number }>}
 *   `status` is 127 if the program cannot be started, and null if a signal ended the program or this function killed it
 */
export function runProgram(file, argv, { cwd, env, timeoutMs, enough }) {
  killGroupsAtExit();
  const beganAt = performance.now();
  const child = spawn(file, argv, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  if (child.pid !== undefined) groups.add(child.pid);
  const text = { out: '', err: '' };
  child.stdout.setEncoding('utf8').on('data', (chunk) => {
    text.out += chunk;
  });
  child.stderr.setEncoding('utf8').on('data', (chunk) => {
    text.err += chunk;
  });
  return new Promise((resolve) => {
    let isTimedOut = false;
    let isEnded = false;
    let hasExited = false;
    /** @type {(status: number | null, signal: NodeJS.Signals | null, endedAt?: number) => void} */
    const end = (status, signal, endedAt = performance.now()) => {
      if (isEnded) return;
      isEnded = true;
      clearTimeout(timer);
      if (child.pid !== undefined) {
        killGroup(child.pid);
        groups.delete(child.pid);
      }
      child.stdout.destroy();
      child.stderr.destroy();
      resolve({ status, signal, isTimedOut, tookMs: endedAt - beganAt, ...text });
    };
    const stop = () => {
      if (hasExited) return;
      isTimedOut ||= !isEnded;
      end(null, 'SIGKILL');
    };
    const timer = setTimeout(stop, timeoutMs);
    enough?.addEventListener('abort', stop, { once: true });
    child.once('error', (error) => {
      text.err += error.message;
      end(127, null);
    });
    // Waits for `exit`, not for `close`: a daemon that the program left behind can keep the output open.
    child.once('exit', (status, signal) => {
      hasExited = true;
      setTimeout(end, 50, status, signal, performance.now());
    });
  });
}

/**
 * Finds the other processes that have `variable` (NAME=VALUE) in their environment and a command line that `fits` accepts. Returns their
 * ids. Returns an empty list on systems without /proc.
 * @param {string} variable
 * @param {(argv: readonly string[]) => boolean} fits gets the words of the command line; an empty string follows the last word
 */
export function findProcesses(variable, fits) {
  if (!existsSync('/proc/self/environ')) return [];
  return readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name) || Number(name) === process.pid) return [];
    try {
      const argv = readFileSync(`/proc/${name}/cmdline`, 'utf8').split('\0');
      if (!fits(argv)) return [];
      return readFileSync(`/proc/${name}/environ`, 'utf8').split('\0').includes(variable) ? [Number(name)] : [];
    } catch {
      return []; // the process has ended, or is another user's
    }
  });
}

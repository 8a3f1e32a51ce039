/** Runs an installed hook line as a harness does: a shell runs the line, and the event is on standard input. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** @property status the exit status; null if the line did not start (`err` says why), or if a signal such as our SIGKILL ended the line */
export interface LineOutcome {
  readonly status: number | null;
  readonly out: string;
  readonly err: string;
}

/**
 * @property input  the text for standard input; null: standard input stays open and empty
 * @property during called once after the attempt to start. If the start failed, `pid` is undefined. The returned promise must not reject
 * @property mostMs after this time (ms), the line and its processes are killed
 */
export interface LineRun {
  readonly line: string;
  readonly input: string | null;
  readonly cwd: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly during?: (child: ChildProcess) => Promise<void>;
  readonly mostMs: number;
}

export function runLine(run: LineRun): Promise<LineOutcome> {
  const child = spawn('/bin/sh', ['-c', run.line], {
    cwd: run.cwd,
    env: { ...run.environment },
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true,
  });
  const text = { out: '', err: '' };
  const failed = new Promise<LineOutcome>((resolve) =>
    child.on('error', (error) => resolve({ status: null, out: text.out, err: error.message })),
  );
  if (child.pid === undefined) {
    void run.during?.(child);
    return failed; // The spawn failed. If this process has no free descriptor, `child.stdout` is undefined.
  }
  child.stdout.setEncoding('utf8').on('data', (part: string) => {
    text.out += part;
  });
  child.stderr.setEncoding('utf8').on('data', (part: string) => {
    text.err += part;
  });
  child.stdin.on('error', () => undefined); // the line possibly ends before it reads
  if (run.input !== null) child.stdin.end(run.input);
  const ended = new Promise<LineOutcome>((resolve) => {
    const timer = setTimeout(() => killGroup(child), run.mostMs);
    child.on('close', (status) => {
      clearTimeout(timer);
      child.stdin.destroy();
      resolve({ status, ...text });
    });
    void run.during?.(child);
  });
  return Promise.race([ended, failed]);
}

function killGroup(child: ChildProcess): void {
  try {
    process.kill(-(child.pid ?? 0), 'SIGKILL');
  } catch {
    // The group has ended by itself.
  }
}

/**
 * Waits for a descendant of `pid` whose name begins with `name`, and returns its process id. Returns null if `pid` is undefined, or if no
 * such descendant appears within five seconds.
 * @param name at most 15 characters: Linux cuts longer names of processes
 */
export async function awaitDescendant(pid: number | undefined, name: string): Promise<number | null> {
  for (let tries = 0; pid !== undefined && tries < 250; tries++) {
    const found = descendantsOf(pid).find((child) => nameOf(child).startsWith(name));
    if (found !== undefined) return found;
    await sleep(20);
  }
  return null;
}

/** Returns the descendants of `pid`; each one comes before its own children. */
function descendantsOf(pid: number): number[] {
  const children = childrenOf(pid);
  return [...children, ...children.flatMap(descendantsOf)];
}

function childrenOf(pid: number): number[] {
  try {
    return numbers(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8'));
  } catch {
    try {
      return numbers(
        execFileSync('pgrep', ['-P', String(pid)], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }),
      );
    } catch {
      return []; // there are no children, or pgrep is missing
    }
  }
}

const numbers = (text: string): number[] => text.split(/\s+/).filter(Boolean).map(Number);

function nameOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/comm`, 'utf8').trim();
  } catch {
    try {
      const path = execFileSync('ps', ['-o', 'comm=', '-p', String(pid)], { encoding: 'utf8' }).trim();
      return path.split('/').at(-1) ?? '';
    } catch {
      return '';
    }
  }
}

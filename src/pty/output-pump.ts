/** Starts the pump (`bin/pump.c`), which carries bulk output to the person's terminal while this process sleeps. */
import type { Duplex } from 'node:stream';
import { coveredStdio } from './covered-descriptors.ts';

/**
 * @property path     the path of the built pump
 * @property master   descriptor of the pseudo-terminal's master; no other code must read it while the pump runs
 * @property terminal descriptor of the person's terminal
 * @property onCopy   gets the pieces of output that possibly switch the terminal's modes, and at the end the last MiB of the output
 */
export interface PumpParts {
  readonly path: string;
  readonly master: number;
  readonly terminal: number;
  readonly onCopy: (chunk: Buffer) => void;
}

/**
 * @property unshown output that the pump has read but not shown; this process must print it
 * @property canPump whether to use the pump again for later bulk output; false if it could not start, or its exit status is not 0. A pump
 *                    that a signal has ended can be used again
 */
export interface PumpEnding {
  readonly unshown: Buffer;
  readonly canPump: boolean;
}

/**
 * Runs the pump until it ends. Never rejects.
 * @param recalled when it aborts, the pump ends at once; a pump that is stopped (SIGSTOP) is killed after 2 s
 */
export async function pumpOutput(parts: PumpParts, recalled: AbortSignal): Promise<PumpEnding> {
  const { spawn } = await import('node:child_process');
  const stdio = [...(coveredStdio(['ignore', 'ignore', 'ignore']) as unknown[])];
  stdio[MASTER] = parts.master;
  stdio[TERMINAL] = parts.terminal;
  stdio[COPY] = 'pipe';
  stdio[LINE] = 'pipe';
  return new Promise((resolve) => {
    let kill: NodeJS.Timeout | undefined;
    const child = spawn(parts.path, [], { stdio: stdio as [], env: {}, cwd: '/' });
    const ends: readonly (Duplex | null | undefined)[] = [...(child.stdio as unknown as Duplex[])];
    const unshown: Buffer[] = [];
    const recall = () => {
      ends[LINE]?.end();
      kill = setTimeout(() => child.kill('SIGKILL'), KILL_AFTER_MS);
    };
    const end = (canPump: boolean) => {
      recalled.removeEventListener('abort', recall);
      clearTimeout(kill);
      resolve({ unshown: Buffer.concat(unshown), canPump });
    };
    for (const [place, take] of [
      [COPY, parts.onCopy],
      [LINE, (chunk: Buffer) => void unshown.push(chunk)],
    ] as const)
      ends[place]?.on('data', take).on('error', () => undefined);
    child.once('error', () => end(false)); // it did not start
    child.once('close', (status) => end(status === 0 || status === null));
    if (recalled.aborted) recall();
    else recalled.addEventListener('abort', recall, { once: true });
  });
}

/** A recalled pump ends at once. It takes longer than this only if it was stopped (SIGSTOP). */
const KILL_AFTER_MS = 2_000;

/** Descriptors of the pump. All are above 2: Node makes 0 to 2 of a new process blocking, and the master must stay non-blocking. */
const [MASTER, TERMINAL, COPY, LINE] = [3, 4, 5, 6] as const;

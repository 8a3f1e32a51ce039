/** Starts `bin/pump.c`, which carries bulk output to the person's terminal while this process sleeps, and takes the end of it. */
import type { Duplex } from 'node:stream';
import { coveredStdio } from './covered-descriptors.ts';

/**
 * @property path     the built `bin/pump.c`
 * @property master   of the pseudo-terminal; no other part reads it meanwhile
 * @property terminal descriptor of the person's terminal
 * @property onCopy   gets the last MiB at the end, and before that what may have switched the terminal's modes
 */
export interface PumpParts {
  readonly path: string;
  readonly master: number;
  readonly terminal: number;
  readonly onCopy: (chunk: Buffer) => void;
}

/**
 * @property unshown read from the pseudo-terminal, and not on the terminal: this process must print it
 * @property canPump whether to try it with other bulk output: false where it could not even begin with this
 */
export interface PumpEnding {
  readonly unshown: Buffer;
  readonly canPump: boolean;
}

/** Fulfilled, never rejected, when the bulk output or the process is over. @param recalled makes it end soon */
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

/** The pump waits for this process alone, so it takes longer only where it was stopped (SIGSTOP). */
const KILL_AFTER_MS = 2_000;

/** Above 2: what a new process is given there is made blocking, and the master must not become so. */
const [MASTER, TERMINAL, COPY, LINE] = [3, 4, 5, 6] as const;

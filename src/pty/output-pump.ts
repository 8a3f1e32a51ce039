/** Starts the pump (`bin/pump.c`), which carries bulk output to the person's terminal while this process sleeps. */
import type { Duplex } from 'node:stream';
import { coveredStdio } from './covered-descriptors.ts';

/**
 * @property path     the path of the built pump
 * @property master   descriptor of the pseudo-terminal's master; only the pump may read it while the pump runs
 * @property terminal descriptor of the person's terminal
 * @property onCopy   gets output that possibly switches the terminal's modes or sets the terminal's title. At the end, gets the last MiB
 *                    of the output, too
 */
export interface PumpParts {
  readonly path: string;
  readonly master: number;
  readonly terminal: number;
  readonly onCopy: (chunk: Buffer) => void;
}

/**
 * @property unshown output that the pump has read but not shown; this process must print it
 * @property canPump whether later bulk output may use the pump; false if the pump did not start, or if its exit status is not 0; else true,
 *                    also if a signal ended the pump
 */
export interface PumpEnding {
  readonly unshown: Buffer;
  readonly canPump: boolean;
}

/**
 * Runs the pump until it ends. Never rejects.
 * @param recalled ends the pump; a stopped pump (SIGSTOP) is killed after 2 s
 */
export async function pumpOutput(parts: PumpParts, recalled: AbortSignal): Promise<PumpEnding> {
  const { spawn } = await import('node:child_process');
  const stdio = [...(coveredStdio(['ignore', 'ignore', 'ignore']) as unknown[])];
  stdio[MASTER] = parts.master;
  stdio[TERMINAL] = parts.terminal;
  stdio[COPY] = 'pipe';
  stdio[LINE] = 'pipe';
  let child: ReturnType<typeof spawn>;
  try {
    child = spawn(parts.path, [], { stdio: stdio as [], env: {}, cwd: '/' });
  } catch {
    return { unshown: Buffer.alloc(0), canPump: false }; // spawn throws most errors, and emits only some of them
  }
  return new Promise((resolve) => {
    let kill: NodeJS.Timeout | undefined;
    const ends: readonly (Duplex | null | undefined)[] = [...((child.stdio as unknown as Duplex[] | undefined) ?? [])];
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
    child.once('error', () => end(false)); // the pump did not start
    child.once('close', (status) => end(status === 0 || status === null));
    if (recalled.aborted) recall();
    else recalled.addEventListener('abort', recall, { once: true });
  });
}

/** A recalled pump ends at once, unless it is stopped (SIGSTOP). */
const KILL_AFTER_MS = 2_000;

/** Descriptors of the pump. Node sets descriptors 0, 1 and 2 of a new process to blocking, and the master must stay non-blocking. */
const [MASTER, TERMINAL, COPY, LINE] = [3, 4, 5, 6] as const;

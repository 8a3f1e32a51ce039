/** Runs one program in its own pseudo-terminal. The program gets only the terminal, as descriptors 0, 1 and 2. */
import type { Socket } from 'node:net';
import { type Failure, failure, nothingRan } from '../core/failure.ts';
import { failed, type Result, success } from '../core/result.ts';
import type { TerminalSize } from '../terminal/user-terminal.ts';
import { openPrivateSocket } from './private-socket.ts';
import { type ProcessEnd, PseudoTerminal } from './pseudo-terminal.ts';
import { encodeStart, type Start } from './start-block.ts';

/** How long pty-leader may take to connect to the private socket. */
const START_DEADLINE_MS = 10_000;

/**
 * @property leaderPath       the built `pty-leader`
 * @property runtimeDirectory the directory for the private socket; has mode 0700 and a short path
 */
export interface ProgramOptions {
  readonly start: Start;
  readonly size: TerminalSize;
  readonly leaderPath: string;
  readonly runtimeDirectory: string;
  readonly onOutput: (chunk: Buffer) => void;
}

export interface ProgramSession {
  readonly terminal: PseudoTerminal;
  /** Fulfilled when the program has ended and `onOutput` has got all output (`PseudoTerminal.finish`). */
  readonly ended: Promise<ProcessEnd>;
}

/** Why a program could not be started. `status` is 126 or 127, as in a shell, or 71 for an error of the system. */
export interface StartFault {
  readonly status: number;
  readonly failure: Failure;
}

/**
 * Starts the program. Fails if pty-leader ends early or cannot become the program. Rejects if the private socket cannot be made, or if
 * pty-leader does not connect to the socket in time.
 */
export async function startProgram(options: ProgramOptions): Promise<Result<ProgramSession, StartFault>> {
  const socket = await openPrivateSocket(options.runtimeDirectory, START_DEADLINE_MS);
  const terminal = new PseudoTerminal(
    {
      file: options.leaderPath,
      argv: [socket.path, String(process.pid), 'program'],
      environment: { APE_LEADER_NONCE: socket.nonce },
    },
    options.size,
    options.onOutput,
  );
  terminal.reportExitAtOnce();
  const connections = await Promise.race([socket.connected, terminal.exited.then(() => null)]);
  const why =
    connections === null
      ? { status: 71, text: 'the program: its starter ended' }
      : await startIn(connections, options.start);
  if (connections === null) socket.close();
  if (why === null) return success({ terminal, ended: terminal.exited.then(() => terminal.finish()) });
  await terminal.finish();
  const code = why.status === 71 ? 'system' : 'usage';
  return failed({ status: why.status, failure: nothingRan(failure(code, `cannot start ${why.text}`)) });
}

/**
 * Returns null if pty-leader has become the program: a successful exec closes the channel without data. If pty-leader has written to the
 * channel, returns the status and the text from the channel.
 */
async function startIn(
  { tick, channel }: { readonly tick: Socket; readonly channel: Socket },
  start: Start,
): Promise<{ readonly status: number; readonly text: string } | null> {
  for (const socket of [tick, channel]) socket.on('error', () => undefined);
  const chunks: Buffer[] = [];
  channel.on('data', (chunk: Buffer) => chunks.push(chunk));
  const closed = new Promise<void>((resolve) => channel.once('close', () => resolve()));
  channel.write(encodeStart(start));
  channel.resume();
  tick.destroy();
  await closed;
  const bytes = Buffer.concat(chunks);
  return bytes.length === 0 ? null : { status: bytes[0] ?? 71, text: bytes.toString('utf8', 1) };
}

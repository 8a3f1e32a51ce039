/** The process that has one program's terminal: it starts the program, serves the session's socket, and ends with the program. */
import { dirname, join } from 'node:path';
import { type Journal, openJournal } from '../../audit/journal.ts';
import { exitStatusOf, type Failure } from '../../core/failure.ts';
import { systemClock } from '../../platform/clock.ts';
import { type ProgramSession, startProgram } from '../../pty/program-session.ts';
import { placeForSocket, removeSocket } from '../registry.ts';
import { HostedSession, type HostedTerminal } from './hosted-session.ts';
import { publishSession } from './publish-session.ts';
import { type StartAnswer, type StartOrder, startFailed } from './start-order.ts';

/**
 * Calls `answer` once. Returns early if the program cannot be started. Otherwise returns when the program has ended and the session is
 * closed. If `startProgram` rejects, this function also rejects, and does not call `answer`.
 */
export async function hostProgram(order: StartOrder, answer: (answer: StartAnswer) => void): Promise<void> {
  const refuse = (failure: Failure) => answer(startFailed({ status: exitStatusOf(failure), failure }));
  const place = placeForSocket(order.directory, order.id);
  if (!place.ok) return refuse(place.failure);
  let program: ProgramSession | null = null;
  const terminal: HostedTerminal = {
    pid: () => program?.terminal.pid ?? null,
    device: () => program?.terminal.device() ?? null,
    write: (keys) => void program?.terminal.write(keys, () => undefined),
    readOutput: () => program?.terminal.readOutput(),
    resize: (size) => program?.terminal.resize(size),
    recall: () => Promise.resolve(),
    hangUp: () => program?.terminal.hangUp(),
    kill: () => program?.terminal.kill(),
  };
  const session = new HostedSession(factsOf(order), terminal, order.size, true);
  const started = await startProgram({
    start: {
      directory: order.cwd,
      file: order.file,
      argv: order.argv,
      environment: order.environment.map((entry) => Buffer.from(entry, 'base64')),
    },
    size: order.size,
    leaderPath: join(order.dist, 'bin', 'pty-leader'),
    runtimeDirectory: dirname(place.value),
    onOutput: (chunk) => session.take(chunk),
  });
  if (!started.ok) {
    removeSocket(order.directory, place.value);
    return answer(startFailed(started.failure));
  }
  program = started.value;
  await serve(order, session, program, place.value, answer);
}

async function serve(
  order: StartOrder,
  session: HostedSession,
  program: ProgramSession,
  path: string,
  answer: (answer: StartAnswer) => void,
): Promise<void> {
  const opened = await publishSession({
    session,
    directory: order.directory,
    path,
    peerPath: join(order.dist, 'bin', 'peer-uid'),
    journal: () => journalAt(order.journal),
  });
  if (!opened.ok) {
    program.terminal.kill(); // no client could reach the session
    await program.ended;
    return answer(startFailed({ status: exitStatusOf(opened.failure), failure: opened.failure }));
  }
  answer({ ok: true, id: order.id });
  await opened.value.close(await program.ended, true);
}

/** Opens the journal; null if this fails. The host lives long and writes few entries. So it opens the journal again for each entry. */
function journalAt(directory: string): Journal | null {
  const opened = openJournal(directory, systemClock);
  return opened.ok ? opened.value : null;
}

const factsOf = (order: StartOrder) => ({
  id: order.id,
  name: order.name,
  kind: 'program' as const,
  program: order.argv,
  cwd: order.cwd,
  startedAtMs: systemClock.nowMs(),
});

/** Starts the host of a program's session as a detached process. The host goes on when the user's terminal ends. */
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { failure, nothingRan } from '../../core/failure.ts';
import type { Permit } from '../../core/grant/authorization.ts';
import { failed, type Result, success } from '../../core/result.ts';
import type { StartFault } from '../../pty/program-session.ts';
import { environmentForProgram } from '../../pty/start-block.ts';
import type { TerminalSize } from '../../terminal/user-terminal.ts';
import type { StartAnswer, StartOrder } from '../host/start-order.ts';

/**
 * @property name        null: the session has no name
 * @property directory   the directory with the records of this installation's sessions
 * @property journal     the directory of the journal
 * @property dist        the directory of this package's built files
 * @property environment the environment of the process that starts the session. The program does not get ape-shell's own variables, except
 *                       those that name the installation
 */
export interface StartPlace {
  readonly name: string | null;
  readonly directory: string;
  readonly journal: string;
  readonly dist: string;
  readonly size: TerminalSize;
  readonly environment: ReadonlyMap<string, Buffer>;
}

/** The program's TERM, if TERM is missing, empty or `dumb` in `StartPlace.environment`. The screen mirror emulates this terminal. */
const OWN_TERM = 'xterm-256color';

/**
 * Starts the host and returns the session's id. Fails if the host or its program cannot be started. Takes a Permit, like every function that
 * starts a program.
 */
export async function startHost(permit: Permit, place: StartPlace): Promise<Result<string, StartFault>> {
  const { argv, cwd } = permit.request;
  const id = `s_${randomBytes(10).toString('hex')}`;
  const term = place.environment.get('TERM')?.toString('latin1') ?? 'dumb';
  const extra = { APES_SESSION: id, ...(term === 'dumb' || term === '' ? { TERM: OWN_TERM } : {}) };
  const order: StartOrder = {
    id,
    name: place.name,
    directory: place.directory,
    journal: place.journal,
    dist: place.dist,
    size: place.size,
    file: argv[0] ?? '',
    argv,
    cwd,
    environment: environmentForProgram(place.environment, extra).map((entry) => entry.toString('base64')),
  };
  const answer = await answerOfHost(order);
  return answer.ok ? success(answer.id) : failed(answer);
}

function answerOfHost(order: StartOrder): Promise<StartAnswer> {
  return new Promise((resolve) => {
    const host = spawn(process.execPath, [join(order.dist, 'main', 'program.cjs'), 'session-host', order.id], {
      detached: true,
      stdio: ['pipe', 'pipe', 'ignore'],
      cwd: '/',
      env: {},
    });
    const parts: Buffer[] = [];
    host.on('error', (error) => resolve(noHost(error.message)));
    if (host.pid === undefined) return; // The spawn failed. If this process has no free descriptor, `host.stdout` is undefined.
    host.stdout.on('data', (part: Buffer) => parts.push(part));
    host.stdout.on('close', () => {
      resolve(readAnswer(Buffer.concat(parts).toString('utf8')));
      host.unref();
    });
    host.stdin.on('error', () => undefined);
    host.stdin.end(`${JSON.stringify(order)}\n`);
  });
}

const noHost = (why: string): StartAnswer => ({
  ok: false,
  status: 71,
  failure: nothingRan(failure('system', `the session's host did not start (${why})`)),
});

function readAnswer(text: string): StartAnswer {
  try {
    return JSON.parse(text) as StartAnswer;
  } catch {
    return noHost('it ended without an answer');
  }
}

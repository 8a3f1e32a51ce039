/**
 * The resident gate: for each user, one process that answers `ape-shell -c` calls. So a covered command does not wait for the start of
 * Node. The gate decides exactly as a new process would. The launcher of a permitted call then becomes the command.
 *
 * The protocol uses a private Unix-domain socket, and frames as in `bin/launcher.c`. The launcher sends 'V' (build), 'N' (mount namespace),
 * 'D' (working directory), 'A' (argv), 'E' (environment) and 'G' (flags). The gate sends 'a' (the gate is alive) and 'e' (text for the
 * launcher's standard error). At the end the gate sends 'f' (start Node), or the frames that a new process would send.
 */

import { chmodSync, lstatSync, renameSync, rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { type Failure, failure } from '../core/failure.ts';
import { type Invocation, readInvocation } from '../core/grant/invocation.ts';
import { failed, type Result, success } from '../core/result.ts';
import { systemClock } from '../platform/clock.ts';
import { FrameDecoder } from '../platform/frame-decoder.ts';
import { encodeFrame, type Frame, takeList, takeVariables } from '../platform/frames.ts';
import { CALLER_LIMITS, isDashed, type LauncherCaller, readGo, replacementFrames } from '../platform/launcher.ts';
import { mountNamespace } from '../platform/mount-namespace.ts';
import { errorCode } from '../platform/private-files.ts';
import { decodeUtf8 } from '../platform/utf8.ts';
import { answerOneShot, type OneShotCall, type OneShotEnd } from './one-shot-answer.ts';

/**
 * @property path     the path of the socket, in a private directory
 * @property build    the build of this process. After a call from another build, this process ends; the launcher of that call gets 'f'
 * @property dist     the directory of the built programs of this installation
 * @property idleMs   the gate ends after this time without a call
 * @property open     called for each call that needs a gate: reads the settings of the caller, and opens a gate with these settings
 * @property onOver   called once, when the gate ends: it was idle too long, or its socket was removed or replaced
 * @property isNeeded returns true while an approver may act on a running session or command, or on a hold. An idle gate then does not end
 * @property onBecome called right before a launcher becomes the command of a grant; `pid` is the process id of the launcher
 */
export interface ResidentParts {
  readonly path: string;
  readonly build: string;
  readonly dist: string;
  readonly idleMs: number;
  readonly open: (caller: LauncherCaller) => ReturnType<OneShotCall['open']>;
  readonly onOver: () => void;
  readonly isNeeded: () => boolean;
  readonly onBecome: (grantId: string, pid: number) => void;
}

const CHECK_INTERVAL_MS = 3000;
/** A call that is incomplete after this time is dropped. */
const RECEIVE_TIMEOUT_MS = 5000;
/** The longest payload of each type of frame, in bytes. */
const CALL_LIMITS = { V: 256, N: 32, D: 4096, ...CALLER_LIMITS };

/**
 * Listens on a path of its own, then renames the socket to the shared path. If an older gate had the shared path, the new gate gets the
 * later calls, and the older gate ends at its next check. Fails if the gate cannot listen, or cannot take the shared path.
 */
export function openResidentGate(parts: ResidentParts): Promise<Result<Server, Failure>> {
  const own = `${parts.path}.${process.pid}`;
  let lastCallMs = systemClock.elapsedMs();
  const server = createServer((socket) => {
    lastCallMs = systemClock.elapsedMs();
    void serveCall(socket, parts);
  });
  return new Promise((resolve) => {
    const fail = (path: string, error: unknown) =>
      resolve(failed(failure('system', `cannot listen on ${path} (${errorCode(error)})`)));
    server.on('error', (error) => fail(own, error));
    server.listen(own, () => {
      const taken = takePath(own, parts.path);
      if (!taken.ok) {
        server.close();
        return fail(parts.path, taken.failure);
      }
      const ino = taken.value;
      const check = setInterval(() => {
        const isIdle = systemClock.elapsedMs() - lastCallMs > parts.idleMs && !parts.isNeeded();
        if (!isIdle && inodeOf(parts.path) === ino) return;
        clearInterval(check);
        if (inodeOf(parts.path) === ino) rmSync(parts.path, { force: true });
        server.close();
        parts.onOver();
      }, CHECK_INTERVAL_MS);
      resolve(success(server));
    });
  });
}

/** Moves a socket to `path`, with mode 600. Returns the inode of the socket. On failure, removes the socket. */
function takePath(own: string, path: string): Result<number, unknown> {
  try {
    chmodSync(own, 0o600);
    const { ino } = lstatSync(own);
    renameSync(own, path);
    return success(ino);
  } catch (error) {
    rmSync(own, { force: true });
    return failed(error);
  }
}

function inodeOf(path: string): number | null {
  try {
    return lstatSync(path).ino;
  } catch {
    return null;
  }
}

interface ReceivedCall {
  readonly build: string;
  readonly namespace: string;
  readonly cwd: string | null;
  readonly caller: LauncherCaller;
}

async function serveCall(socket: Socket, parts: ResidentParts): Promise<void> {
  socket.on('error', () => socket.destroy());
  const received = await receiveCall(socket);
  if (received === null) return void socket.destroy();
  if (received.build !== parts.build) {
    socket.end(encodeFrame('f'));
    // Without the socket, the next call starts a gate of its own build. `force`: another call has possibly removed the socket already.
    rmSync(parts.path, { force: true });
    return;
  }
  // A caller in another mount namespace can have other pins and settings. This gate knows only its own ones, so it does not answer.
  if (received.namespace !== mountNamespace()) return void socket.end(encodeFrame('f'));
  socket.write(encodeFrame('a'));
  const call = readCall(received, parts, socket);
  if (call === null) return void socket.end(encodeFrame('f'));
  const end = await answerOneShot(call);
  const { pid } = received.caller;
  if (end.kind === 'become' && end.grantId !== null && pid !== null) parts.onBecome(end.grantId, pid);
  socket.end(endFrames(end));
}

function endFrames(end: OneShotEnd): Buffer {
  if (end.kind === 'become') return replacementFrames(end.replacement);
  return end.kind === 'status' ? encodeFrame('q', Uint8Array.of(end.status & 255)) : encodeFrame('f');
}

/**
 * Returns null if the call needs a new process: it is no `-c` call, is not UTF-8, or names no directory. `answerOneShot` finds the
 * other calls that need a new process, such as calls that wait for the approval (the setting `shell.wait`).
 */
function readCall(received: ReceivedCall, parts: ResidentParts, socket: Socket): OneShotCall | null {
  const argv = received.caller.argv.map(decodeUtf8);
  if (received.cwd === null || !argv.every((word) => word !== null)) return null;
  const invocation: Result<Invocation, Failure> = readInvocation(argv);
  if (!invocation.ok || invocation.value.kind !== 'command') return null;
  const { caller } = received;
  return {
    invocation: invocation.value,
    environment: caller.environment,
    cwd: received.cwd,
    isDashed: isDashed(caller),
    dist: parts.dist,
    open: () => parts.open(caller),
    explain: (text) => void socket.write(encodeFrame('e', text)),
    interruption: null,
  };
}

function receiveCall(socket: Socket): Promise<ReceivedCall | null> {
  return new Promise((resolve) => {
    const decoder = new FrameDecoder(CALL_LIMITS);
    const all: Frame[] = [];
    const deadline = setTimeout(() => resolve(null), RECEIVE_TIMEOUT_MS);
    const finish = (received: ReceivedCall | null) => {
      clearTimeout(deadline);
      resolve(received);
    };
    socket.on('close', () => finish(null));
    socket.on('data', (chunk: Buffer) => {
      const frames = decoder.takeOrNull(chunk);
      if (frames === null) return finish(null);
      all.push(...frames);
      if (all.some((frame) => frame.type === 'G')) finish(toReceivedCall(all));
    });
  });
}

function toReceivedCall(frames: readonly Frame[]): ReceivedCall {
  const payload = (type: string): Buffer => frames.find((frame) => frame.type === type)?.payload ?? Buffer.alloc(0);
  const directory = payload('D');
  return {
    build: payload('V').toString('latin1'),
    namespace: payload('N').toString('latin1'),
    cwd: directory.length === 0 ? null : decodeUtf8(directory),
    caller: { argv: takeList(payload('A')), environment: takeVariables(payload('E')), ...readGo(payload('G')) },
  };
}

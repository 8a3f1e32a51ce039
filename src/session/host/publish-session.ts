/** Makes the socket and the record of a session, and cleans up when the session has ended. */
import type { Journal } from '../../audit/journal.ts';
import type { Failure } from '../../core/failure.ts';
import { failed, type Result, success } from '../../core/result.ts';
import { systemClock } from '../../platform/clock.ts';
import { removeEntry, removeSocket, type SessionEntry, writeEntry } from '../registry.ts';
import type { HostedSession } from './hosted-session.ts';
import type { SessionEnding } from './live-session.ts';
import { openSessionSocket } from './session-socket.ts';

/**
 * @property directory the directory of the session records
 * @property path      the path of the socket, from `placeForSocket`
 * @property peerPath  the path of the built `peer-uid`
 * @property journal   opens the journal; returns null if it cannot be opened
 */
export interface PublishParts {
  readonly session: HostedSession;
  readonly directory: string;
  readonly path: string;
  readonly peerPath: string;
  readonly journal: () => Journal | null;
}

export interface PublishedSession {
  /**
   * Call this function when the session has ended. It notifies all clients.
   * @param isRemembered true: listings show the ended session for ten more minutes; false: listings no longer show the session
   */
  close(ending: SessionEnding, isRemembered: boolean): Promise<void>;
}

/** How long a client may take to read the last frames. */
const LAST_FRAMES_MS = 2_000;

/** Fails if the socket or the record cannot be made. After a failure, this process does not listen on the socket. */
export async function publishSession(parts: PublishParts): Promise<Result<PublishedSession, Failure>> {
  const { session, directory, path } = parts;
  const socket = await openSessionSocket(parts);
  if (!socket.ok) return socket;
  const entry: SessionEntry = { ...session.facts, pid: process.pid, socket: path, ended: null };
  const unwritten = writeEntry(directory, entry);
  if (unwritten !== null) {
    await socket.value.close(0);
    removeSocket(directory, path);
    return failed(unwritten);
  }
  return success({
    close: async (ending, isRemembered) => {
      if (isRemembered) writeEntry(directory, { ...entry, ended: { ...ending, atMs: systemClock.nowMs() } });
      session.ended(ending);
      await new Promise((resolve) => setImmediate(resolve)); // the client that asked for the end gets its answer first
      await socket.value.close(LAST_FRAMES_MS);
      if (isRemembered) removeSocket(directory, path);
      else removeEntry(directory, entry);
    },
  });
}

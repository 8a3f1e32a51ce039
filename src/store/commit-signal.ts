/**
 * Several servers on one PostgreSQL database notify each other of commits by LISTEN and NOTIFY. NOTIFY is sent on a separate connection.
 * Inside the transactions, NOTIFY would make the commits wait for each other. A notice only names its sender. The receiver reads the new
 * events from the database. A server that missed a notice finds the events a little later by itself.
 */
import { randomBytes } from 'node:crypto';
import type { Client } from 'pg';

const CHANNEL = 'ape_events';
const RECONNECT_MS = 1_000;

/** @property committed the store calls this function after each commit that recorded events; no notice is sent before the first `listen` */
export interface CommitSignal {
  committed(): void;
  /**
   * Calls `onCommit` when another server has committed. Also calls `onCommit` after each connection to the database: earlier notices were
   * possibly missed. Returns a function that ends the calls.
   */
  listen(onCommit: () => void): () => void;
  close(): void;
}

/** @param newClient makes a client that is not connected yet */
export function openCommitSignal(newClient: () => Client): CommitSignal {
  const ownName = randomBytes(9).toString('base64url'); // A server ignores its own notices, because it knows of its own commits.
  const listeners = new Set<() => void>();
  let client: Client | null = null;
  let isConnecting = false;
  let isClosed = false;
  let isSending = false;
  let isOwed = false;
  let retry: NodeJS.Timeout | null = null;

  async function connect(): Promise<void> {
    if (isConnecting || isClosed || client !== null) return;
    isConnecting = true;
    const newConnection = newClient();
    let isOver = false;
    const lost = () => {
      if (isOver) return;
      isOver = true;
      if (client === newConnection) client = null;
      void newConnection.end().catch(() => {});
      if (isClosed) return;
      retry = setTimeout(() => void connect(), RECONNECT_MS);
      retry.unref();
    };
    newConnection.on('error', lost);
    newConnection.on('end', lost);
    newConnection.on('notification', ({ payload }) => {
      if (payload !== ownName) for (const onCommit of listeners) onCommit();
    });
    try {
      await newConnection.connect();
      await newConnection.query(`listen ${CHANNEL}`);
      if (!isOver) client = newConnection;
    } catch {
      lost();
    }
    isConnecting = false;
    if (isClosed) return lost();
    if (client === null) return;
    for (const onCommit of listeners) onCommit();
    if (isOwed) void send(); // for commits that happened while there was no connection
  }

  /** Sends one notice at a time. All commits during the sending share the next notice. */
  async function send(): Promise<void> {
    if (client === null || isSending) {
      isOwed = true;
      return;
    }
    isSending = true;
    let isSent: boolean;
    do {
      isOwed = false;
      isSent = await client.query('select pg_notify($1, $2)', [CHANNEL, ownName]).then(
        () => true,
        () => false,
      );
    } while (isSent && isOwed && client !== null);
    if (!isSent) isOwed = true; // the next connection or the next commit sends it
    isSending = false;
  }

  return {
    committed: () => void send(),
    listen(onCommit) {
      listeners.add(onCommit);
      void connect();
      return () => listeners.delete(onCommit);
    },
    close() {
      isClosed = true;
      if (retry !== null) clearTimeout(retry);
      void client?.end().catch(() => {});
    },
  };
}

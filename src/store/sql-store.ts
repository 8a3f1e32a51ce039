/** Makes a `Store` from a kysely database: runs transactions, tries them again after conflicts, and turns faults into failures. */

import { setTimeout as sleep } from 'node:timers/promises';
import type { Kysely } from 'kysely';
import { type Failure, failure } from '../core/failure.ts';
import { failed, type Result, success } from '../core/result.ts';
import { systemClock } from '../platform/clock.ts';
import type { CommitSignal } from './commit-signal.ts';
import { inconsistencies } from './consistency.ts';
import type { IsLike } from './history-rows.ts';
import { LateNumbers } from './late-numbers.ts';
import { type Execute, PreparedQueries } from './prepared-query.ts';
import { newReadOnce } from './read-once.ts';
import type { SharedRowsOn } from './shared-rows.ts';
import { migrate, SCHEMA_VERSION } from './sql-migrations.ts';
import { type SqlConnection, SqlReader } from './sql-reader.ts';
import type { Tables } from './sql-tables.ts';
import { SqlWriter } from './sql-writer.ts';
import { type DecideUses, type StandingQuestion, type UseStanding, useInTransaction } from './standing-uses.ts';
import type { Committed, Store, StoreReader, StoreWriter } from './store.ts';
import { isConflict, storeFailure } from './store-fault.ts';

/** Where statements run: on a connection without a transaction, or in one transaction. */
export interface SqlPlace {
  readonly db: Kysely<Tables>;
  readonly execute: Execute;
}

/**
 * `name`, `isShared`, `isInProcess` and `copyTo` are as in `Store`.
 * @property transaction commits all changes of `work`, or no change
 * @property lock    locks the key until the transaction of `db` ends; other transactions wait for the lock. Does nothing if only one
 *                   transaction can write at a time
 * @property hasOtherWriters whether two transactions can write at the same time
 * @property retryForMs how long reads and transactions are tried again after a conflict
 * @property signal     notifies other servers of commits; absent: the database cannot notify
 * @property close      called after `db` was destroyed; closes the connection of `signal`, or the database file if the file is still open
 */
export interface SqlBackend extends SqlPlace {
  readonly name: string;
  readonly isShared: boolean;
  readonly isInProcess: boolean;
  readonly transaction: <T>(work: (place: SqlPlace) => Promise<T>) => Promise<T>;
  readonly lock: (db: Kysely<Tables>, key: string) => Promise<void>;
  readonly hasOtherWriters: boolean;
  readonly shared: SharedRowsOn;
  readonly isLike: IsLike;
  /** Uses standing grants in the way that suits this database. Absent: the store uses `useInTransaction`. */
  readonly useStanding?: UseStanding;
  /**
   * Called at the beginning of the transaction that migrates. Removes the time limit of statements: a statement of a migration can take
   * long. For example, it indexes millions of rows, or waits for another server's migration.
   */
  readonly beforeMigration?: (db: Kysely<Tables>) => Promise<void>;
  readonly retryForMs: number;
  readonly signal?: CommitSignal;
  readonly copyTo?: (path: string) => Promise<void>;
  /** Returns the faults that the database itself finds in its file; an empty list if there are none. Absent: there is no such check. */
  readonly damages?: () => readonly string[];
  readonly close?: () => void;
}

/** Migrates and opens the database. Closes the database and fails if it cannot be used, or if a newer version of this program wrote it. */
export async function openSqlStore(backend: SqlBackend): Promise<Result<Store, Failure>> {
  try {
    const outcome = await backend.transaction(async ({ db }) => {
      await backend.beforeMigration?.(db);
      await backend.lock(db, 'ape-migrate');
      return migrate(db);
    });
    if (outcome.kind === 'current') return success(new SqlStore(backend));
    await closeBackend(backend);
    return failed(
      failure(
        'configuration',
        `the database ${backend.name} was written by a newer version (schema ${outcome.version}; this version knows schema ${SCHEMA_VERSION})`,
        'update ape-shell on this host',
        'store.newer',
      ),
    );
  } catch (error) {
    await closeBackend(backend);
    return failed(storeFailure(error, backend.name));
  }
}

async function closeBackend({ db, close }: SqlBackend): Promise<void> {
  await db.destroy();
  close?.();
}

class SqlStore implements Store {
  readonly name: string;
  readonly isShared: boolean;
  readonly isInProcess: boolean;
  readonly copyTo: Store['copyTo'];
  readonly #backend: SqlBackend;
  readonly #prepared: PreparedQueries;
  readonly #lateNumbers: LateNumbers | null;
  readonly #listeners = new Set<() => void>();

  constructor(backend: SqlBackend) {
    this.#backend = backend;
    this.name = backend.name;
    this.isShared = backend.isShared;
    this.isInProcess = backend.isInProcess;
    const { copyTo } = backend;
    this.copyTo =
      copyTo === undefined
        ? null
        : (path) =>
            this.#attempt(async () => {
              await copyTo(path);
              return null;
            });
    this.#prepared = new PreparedQueries(backend.db);
    this.#lateNumbers = backend.hasOtherWriters
      ? new LateNumbers(backend, this.#prepared, () => this.#notifyOfNumbered())
      : null;
  }

  async read<T>(work: (rows: StoreReader) => Promise<T>): Promise<Result<T, Failure>> {
    const connection = this.#connectionAt(this.#backend);
    return this.#attempt(() => {
      let settled: Promise<void> | undefined; // one `read` calls `settle` at most once
      return work(new SqlReader(connection, async () => (settled ??= this.#lateNumbers?.settle()), newReadOnce()));
    });
  }

  async write<T>(work: (rows: StoreWriter) => Promise<T>): Promise<Result<Committed<T>, Failure>> {
    const written = await this.#attempt(() =>
      this.#backend.transaction(async ({ db, execute }) => {
        const connection = this.#connectionAt({ db, execute });
        const rows = new SqlWriter(connection, (key) => this.#backend.lock(db, key), this.#backend.hasOtherWriters);
        const value = await work(rows);
        return { value, ...(await rows.appendRecorded()) };
      }),
    );
    if (!written.ok) return written;
    const { value, events, late, numbered } = written.value;
    if (numbered > 0) this.#notifyOfNumbered();
    else if (events.length > 0) this.#backend.signal?.committed();
    if (late > 0) this.#lateNumbers?.soon();
    return success({ value, events });
  }

  async useStanding<T>(question: StandingQuestion, decide: DecideUses<T>) {
    const { useStanding, execute } = this.#backend;
    if (useStanding === undefined) return this.write((rows) => useInTransaction(rows, question, decide));
    const used = await this.#attempt(() => useStanding(execute, question, decide));
    if (!used.ok) return used;
    if (used.value.counted.size > 0) this.#lateNumbers?.soon();
    return success({ value: used.value, events: [] });
  }

  onUnseenEvents(listener: () => void): () => void {
    this.#listeners.add(listener);
    const leave = this.#backend.signal?.listen(listener);
    return () => {
      this.#listeners.delete(listener);
      leave?.();
    };
  }

  #connectionAt({ db, execute }: SqlPlace): SqlConnection {
    const prepared = this.#prepared;
    const { shared, isLike } = this.#backend;
    return { db, execute, prepared, shared: shared(prepared, execute), isLike };
  }

  #notifyOfNumbered(): void {
    for (const listener of this.#listeners) listener();
    this.#backend.signal?.committed();
  }

  check(): Promise<Result<readonly string[], Failure>> {
    return this.#attempt(async () => {
      await this.#lateNumbers?.settle();
      const damages = this.#backend.damages?.() ?? [];
      return damages.length > 0 ? damages : inconsistencies(this.#backend.db);
    });
  }

  async close(): Promise<void> {
    await this.#backend.db.destroy();
    this.#backend.close?.();
  }

  async #attempt<T>(work: () => Promise<T>): Promise<Result<T, Failure>> {
    const startedMs = systemClock.elapsedMs();
    for (let pauseMs = 2; ; pauseMs = Math.min(pauseMs * 2, 100)) {
      try {
        return success(await work());
      } catch (error) {
        if (!isConflict(error) || systemClock.elapsedMs() - startedMs > this.#backend.retryForMs)
          return failed(storeFailure(error, this.name));
        // The pauses are random, so that two servers do not collide again.
        await sleep(pauseMs * (0.5 + Math.random()));
      }
    }
  }
}

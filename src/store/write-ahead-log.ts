/** SQLite's write-ahead log on the disk: what was committed before a call lasts once the call is fulfilled. */
import { type FileHandle, open } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * `synchronous = full` would have SQLite do the same within each commit, and the whole server stands still meanwhile. Here
 * the disk works beside it, once for all who wait. What SQLite itself has to order (a checkpoint, the log's restart) it
 * still does, with `synchronous = normal`. https://www.sqlite.org/pragma.html#pragma_synchronous
 */
export class WriteAheadLog {
  readonly #path: string;
  #file: Promise<FileHandle> | null = null;
  #running: Promise<void> = Promise.resolve();
  #next: Promise<void> | null = null;

  /** @param database path of the database; the log lies beside it, and stays while a connection is open */
  constructor(database: string) {
    this.#path = `${database}-wal`;
  }

  /** Rejects as fsync(2) does; then it is not known what lasts. */
  toDisk(): Promise<void> {
    // One that has begun already may be too early for the caller.
    this.#next ??= this.#running
      .catch(() => undefined)
      .then(() => {
        this.#next = null;
        this.#running = this.#flush();
        return this.#running;
      });
    return this.#next;
  }

  async close(): Promise<void> {
    const file = await this.#file?.catch(() => null);
    this.#file = null;
    await file?.close();
  }

  async #flush(): Promise<void> {
    this.#file ??= this.#open();
    const file = await this.#file;
    await file.datasync();
  }

  /** The name of a new file lasts only with its directory. */
  async #open(): Promise<FileHandle> {
    const file = await open(this.#path, 'r');
    const directory = await open(dirname(this.#path), 'r');
    await directory.sync().finally(() => directory.close());
    return file;
  }
}

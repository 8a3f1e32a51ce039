/** SQLite's write-ahead log on the disk: what was committed before a call lasts once the call is over. */
import { closeSync, fdatasyncSync, fsyncSync, openSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * `synchronous = full` would have SQLite do the same within each commit. Here it comes after the commit, so that a permit
 * can be on its way, and be checked, while the disk works. What SQLite itself has to order (a checkpoint, the log's restart)
 * it still does, with `synchronous = normal`. https://www.sqlite.org/pragma.html#pragma_synchronous
 *
 * Not in a thread: its two wake-ups cost a line more than most disks do.
 */
export class WriteAheadLog {
  readonly #path: string;
  #descriptor: number | null = null;

  /** @param database path of the database; the log lies beside it, and stays while a connection is open */
  constructor(database: string) {
    this.#path = `${database}-wal`;
  }

  /** Throws as fdatasync(2) does; then it is not known what lasts. */
  toDisk(): void {
    this.#descriptor ??= this.#open();
    fdatasyncSync(this.#descriptor);
  }

  close(): void {
    if (this.#descriptor !== null) closeSync(this.#descriptor);
    this.#descriptor = null;
  }

  /** The name of a new file lasts only with its directory. */
  #open(): number {
    const log = openSync(this.#path, 'r');
    const directory = openSync(dirname(this.#path), 'r');
    try {
      fsyncSync(directory);
    } finally {
      closeSync(directory);
    }
    return log;
  }
}

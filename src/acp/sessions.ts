/** Keeps the directory of each session of an agent. The editor names the directory in the request that makes or loads the session. */
import { isAbsolute } from 'node:path';
import { isJsonRecord, type JsonRecord } from '../rpc/messages.ts';

export class Sessions {
  readonly #directories = new Map<string, string>();

  /** Takes the `params` of a request that the editor sent. Ignores params without a session or without an absolute directory. */
  takeRequest(params: JsonRecord | null): void {
    this.#put(params?.['sessionId'], params?.['cwd']);
  }

  /** Takes the agent's `result` of a request. The directory is in the request's `params`; the id of the new session is in the result. */
  takeAnswer(params: JsonRecord | null, result: unknown): void {
    if (isJsonRecord(result)) this.#put(result['sessionId'], params?.['cwd']);
  }

  /** The directory always comes from the editor; the agent gives only the session's id. A later directory replaces an earlier one. */
  #put(sessionId: unknown, cwd: unknown): void {
    if (typeof sessionId === 'string' && typeof cwd === 'string' && isAbsolute(cwd))
      this.#directories.set(sessionId, cwd);
  }

  /** Returns the directory of the session; null: the editor named no directory. */
  directoryOf(sessionId: string): string | null {
    return this.#directories.get(sessionId) ?? null;
  }
}

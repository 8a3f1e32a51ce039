/** In which directory each session of an agent works: what the editor said when it made or loaded the session. */
import { isAbsolute } from 'node:path';
import { isJsonRecord, type JsonRecord } from '../mcp/proxy/messages.ts';

export class Sessions {
  readonly #directories = new Map<string, string>();

  /** @param params of a request of the editor that names a session and a directory */
  asked(params: JsonRecord | null): void {
    this.#put(params?.['sessionId'], params?.['cwd']);
  }

  /** @param result of the agent, for a request that named a directory: the session has its name from here */
  answered(params: JsonRecord | null, result: unknown): void {
    if (isJsonRecord(result)) this.#put(result['sessionId'], params?.['cwd']);
  }

  /** An agent cannot move a session of the editor's: the first directory counts until the editor says another. */
  #put(sessionId: unknown, cwd: unknown): void {
    if (typeof sessionId === 'string' && typeof cwd === 'string' && isAbsolute(cwd))
      this.#directories.set(sessionId, cwd);
  }

  directoryOf(sessionId: string): string | null {
    return this.#directories.get(sessionId) ?? null;
  }
}

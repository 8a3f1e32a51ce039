/** The directory of each session of an agent, as the editor named it when it made or loaded the session. */
import { isAbsolute } from 'node:path';
import { isJsonRecord, type JsonRecord } from '../mcp/proxy/messages.ts';

export class Sessions {
  readonly #directories = new Map<string, string>();

  /** Takes the `params` of a request that the editor sent. They have an effect only if they name a session and an absolute directory. */
  takeRequest(params: JsonRecord | null): void {
    this.#put(params?.['sessionId'], params?.['cwd']);
  }

  /** Takes the agent's `result` of a request with these `params`. The params have the directory, the result has the name of the new session. */
  takeAnswer(params: JsonRecord | null, result: unknown): void {
    if (isJsonRecord(result)) this.#put(result['sessionId'], params?.['cwd']);
  }

  /** A directory comes only from the editor; the agent only names the session. The directory that was named last counts. */
  #put(sessionId: unknown, cwd: unknown): void {
    if (typeof sessionId === 'string' && typeof cwd === 'string' && isAbsolute(cwd))
      this.#directories.set(sessionId, cwd);
  }

  /** Returns null if the editor named no directory for this session. */
  directoryOf(sessionId: string): string | null {
    return this.#directories.get(sessionId) ?? null;
  }
}

/** Claims the name of a new session, so that no other process starts a session with this name. */
import { join } from 'node:path';
import { type Failure, failure } from '../../core/failure.ts';
import { failed, type Result, success } from '../../core/result.ts';
import { takeLock } from '../../platform/lock-file.ts';
import { listSessions } from '../../session/client/find-session.ts';
import { SESSION_NAME } from '../../session/registry.ts';
import { valueParser } from '../option-values.ts';

/** Release the claim when the session is in the registry, or has failed to start. The end of this process also ends the claim. */
export interface NameClaim {
  readonly release: () => void;
}

/** Reads the value of `--name`. A name must not look like an id. */
export const sessionName = valueParser(
  (text) => (SESSION_NAME.test(text) && !text.startsWith('s_') ? text : null),
  (text) =>
    failure(
      'usage',
      `--name is ${JSON.stringify(text)}`,
      'write up to 64 letters, digits, dots, dashes, underscores; no s_ in front',
    ),
);

/**
 * Fails (64) if a running session has the name, or if another process is starting a session with this name. Also fails if the registry
 * cannot be read or written.
 * @param directory the directory of the registry
 * @param name      null: claims nothing
 */
export async function claimName(directory: string, name: string | null): Promise<Result<NameClaim, Failure>> {
  if (name === null) return success({ release: () => undefined });
  const lock = takeLock(join(directory, `${name}.name`));
  if (lock.kind === 'failed') return failed(lock.failure);
  if (lock.kind === 'held')
    return failed(
      failure(
        'usage',
        `a session called ${name} is being started already (process ${lock.pid})`,
        'wait, or choose another name',
      ),
    );
  const taken = await takenFailure(directory, name);
  if (taken === null) return success(lock);
  lock.release();
  return failed(taken);
}

/** Returns null if no running session has the name. */
async function takenFailure(directory: string, name: string): Promise<Failure | null> {
  const listed = await listSessions(directory);
  if (!listed.ok) return listed.failure;
  const other = listed.value.find(({ entry }) => entry.name === name && entry.ended === null);
  if (other === undefined) return null;
  return failure('usage', `a session called ${name} runs already`, `attach to it: apes sessions attach ${name}`);
}

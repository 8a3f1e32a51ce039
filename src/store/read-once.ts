/** Keeps the answers of statements that several parts of one page ask for. */

/**
 * Returns the answer to the question of this name: `read` is called for it, or was called before.
 * @param name the same for the same statement with the same values
 */
export type ReadOnce = <T>(name: string, read: () => Promise<T>) => Promise<T>;

/** For transactions that write: what was read before may not count any more. */
export const readAgain: ReadOnce = (_, read) => read();

export function newReadOnce(): ReadOnce {
  const answers = new Map<string, Promise<unknown>>();
  return <T>(name: string, read: () => Promise<T>) => {
    const answer = (answers.get(name) as Promise<T> | undefined) ?? read();
    answers.set(name, answer);
    return answer;
  };
}

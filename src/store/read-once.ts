/** Caches the answers of statements that several parts of one page need. */

/**
 * Returns the cached answer with this name; at the first call, calls `read` and caches its answer. A failure is cached too.
 * @param name names the statement and its values, so that the same name always means the same answer
 */
export type ReadOnce = <T>(name: string, read: () => Promise<T>) => Promise<T>;

/** Caches nothing: for transactions that write, in which an earlier answer can be out of date. */
export const readAgain: ReadOnce = (_, read) => read();

export function newReadOnce(): ReadOnce {
  const answers = new Map<string, Promise<unknown>>();
  return <T>(name: string, read: () => Promise<T>) => {
    const answer = (answers.get(name) as Promise<T> | undefined) ?? read();
    answers.set(name, answer);
    return answer;
  };
}

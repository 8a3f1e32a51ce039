/** Caches what was read from the store. Several parts of one page need the same results. */

/**
 * Returns the cached result for `name`. The first call for a name calls `read`, and caches the result of `read`. Caches failures too.
 * @param name names what is read: different statements or values need different names
 */
export type ReadOnce = <T>(name: string, read: () => Promise<T>) => Promise<T>;

/** Caches nothing: in a transaction that writes, a cached result can be out of date. */
export const readAgain: ReadOnce = (_, read) => read();

export function newReadOnce(): ReadOnce {
  const answers = new Map<string, Promise<unknown>>();
  return <T>(name: string, read: () => Promise<T>) => {
    const answer = (answers.get(name) as Promise<T> | undefined) ?? read();
    answers.set(name, answer);
    return answer;
  };
}

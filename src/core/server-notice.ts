/** What is said to those who wait when the grant server goes away, and when it is there again. */
export const serverNotice = (isThere: boolean): string =>
  isThere ? 'the grant server answers again; still waiting' : 'the grant server cannot be reached; still waiting';

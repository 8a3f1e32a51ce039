/** The message for a waiting person or agent when the grant server is lost, and when it is back. */
export const serverNotice = (isThere: boolean): string =>
  isThere ? 'the grant server answers again; still waiting' : 'the grant server cannot be reached; still waiting';

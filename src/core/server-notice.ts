/** The message for a waiting person or agent when the connection to the grant server is lost, and when the server answers again. */
export const serverNotice = (isThere: boolean): string =>
  isThere ? 'the grant server answers again; still waiting' : 'the grant server cannot be reached; still waiting';

/** The message for a waiting person or agent when an approver pauses the requester, and when an approver resumes the requester. */
export const pauseNotice = (isPaused: boolean): string =>
  isPaused
    ? 'this requester is paused; the request waits until an approver resumes it'
    : 'an approver has resumed this requester; still waiting';

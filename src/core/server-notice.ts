/**
 * The message for a waiting person or agent when the connection to the grant server is lost, and when the server answers again (`isThere`).
 * `newPage` is the new address of the request's page if the address that was printed before leads nowhere; null: that address has not
 * changed.
 */
export const serverNotice = (isThere: boolean, newPage: string | null): string =>
  isThere
    ? `the grant server answers again; still waiting${newPage === null ? '' : `; the page of the request has a new address: ${newPage}`}`
    : 'the grant server cannot be reached; still waiting';

/** The message for a waiting person or agent when an approver pauses the requester, and when an approver resumes the requester. */
export const pauseNotice = (isPaused: boolean): string =>
  isPaused
    ? 'this requester is paused; the request waits until an approver resumes it'
    : 'an approver has resumed this requester; still waiting';

/** Notices for a waiting person or agent: about the grant server, a pause, and the end of the wait. */
import type { GrantView } from './wire/grant-view.ts';

/**
 * Tells a waiting person or agent that the grant server cannot be reached, or that the server answers again (`isThere`).
 * @param newPage the new address of the request's page; null: the printed address has not changed
 */
export const serverNotice = (isThere: boolean, newPage: string | null): string =>
  isThere
    ? `the grant server answers again; still waiting${newPage === null ? '' : `; the page of the request has a new address: ${newPage}`}`
    : 'the grant server cannot be reached; still waiting';

/**
 * Tells in which state the request is when the wait ends. While the requester is paused, an approval does not end the wait.
 * @param noun `request` or `plan`
 */
export function leftText({ id, state, paused }: Pick<GrantView, 'id' | 'state' | 'paused'>, noun: string): string {
  if (state !== 'approved') return `the ${noun} stays pending (grant ${id})`;
  return `the ${noun} is approved${paused === true ? ', but this requester is paused' : ''} (grant ${id})`;
}

/** Tells a waiting person or agent that an approver has paused or resumed the requester. */
export const pauseNotice = (isPaused: boolean): string =>
  isPaused
    ? 'this requester is paused; the request waits until an approver resumes it'
    : 'an approver has resumed this requester; still waiting';

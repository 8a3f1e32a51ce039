/**
 * While a request waits for an approver, sends progress to the client, and offers the page of the request to the person
 * at the client.
 */

import { pauseNotice, serverNotice } from '../core/server-notice.ts';
import { matchSuffix } from '../core/text/match-text.ts';
import { visibleLine } from '../core/text/visible-text.ts';
import type { GrantView } from '../core/wire/grant-view.ts';
import type { WaitOptions } from '../gate/wait.ts';
import type { Conversation, PageAnswer } from './conversation.ts';

/** How long `offerBriefly` offers the page. A tool call that uses `offerBriefly` does not wait for the decision. */
const OFFER_MS = 30_000;
const SHOWN_CHARACTERS = 300;

/**
 * @property waitOptions the options for the gate's wait
 * @property begin       to be called when the request is pending
 * @property finish      ends the offer, and returns the person's answer. Returns `unanswered` if there is no answer yet, and null if no
 *                       page was offered
 */
export interface DecisionWait {
  readonly waitOptions: WaitOptions & { readonly withdrawsOnCancel: false };
  readonly begin: (grant: GrantView) => void;
  readonly finish: () => Promise<PageAnswer | null>;
}

/** @param timeoutMs the longest time to wait for the decision */
export function openDecisionWait(talk: Conversation, timeoutMs: number): DecisionWait {
  const over = new AbortController();
  let offer: Promise<PageAnswer> | null = null;
  let waitingFor = 'a decision';
  return {
    waitOptions: {
      timeoutMs,
      cancelled: talk.cancelled,
      withdrawsOnCancel: false,
      onBeat: (waitedMs) => talk.progress(waitedMs, `still waiting for ${waitingFor}`),
      onServer: (isThere, newPage) => talk.progress(0, serverNotice(isThere, newPage)),
      onPause: (isPaused) => talk.progress(0, pauseNotice(isPaused)),
    },
    begin: (grant) => {
      waitingFor = `a decision on grant ${grant.id}: ${grant.url}${matchSuffix(grant)}`;
      talk.progress(0, `waiting for ${waitingFor}`);
      offer = offerPage(talk, grant, over.signal);
    },
    finish: () => {
      over.abort();
      return offer ?? Promise.resolve(null);
    },
  };
}

/** Offers the page for `OFFER_MS`. Returns null if the client does not support offers. */
export async function offerBriefly(talk: Conversation, grant: GrantView): Promise<PageAnswer | null> {
  return offerPage(talk, grant, AbortSignal.any([talk.cancelled, AbortSignal.timeout(OFFER_MS)]));
}

function offerPage(talk: Conversation, grant: GrantView, over: AbortSignal): Promise<PageAnswer> | null {
  const command = visibleLine(grant.request.text).slice(0, SHOWN_CHARACTERS);
  const message = `A command waits for your decision: ${command}`;
  return talk.offerPage?.({ id: grant.id, url: grant.url, message }, over) ?? null;
}

/**
 * The table of limits: what one requester, one address, and all together may take of the server. Who goes beyond one is answered
 * with 429 `server.too_many` (it is theirs), or 503 `server.busy` (it is everybody's).
 */

/** A command of 1 MB, its arguments and its environment fit, also when JSON escapes much of it. In bytes. */
export const MAX_ASK_BODY_BYTES = 4 * 1024 * 1024;

// What waits for an approver.

export const MAX_PENDING_PER_REQUESTER = 500;
export const MAX_PENDING_BYTES_PER_REQUESTER = 32 * 1024 * 1024;

// What pauses a requester, until an approver resumes it.

/** Denials: so many say that it tries what it must not. */
export const MAX_DENIALS = { atOnce: 10, perSecond: 1 / 60 };
/** New requests: more than a person can read. */
export const MAX_FILED = { atOnce: 600, perSecond: 1 };

// Connections that stay.

/** A caller that opens more streams, or keeps more connections, takes nothing from the others. */
export const MAX_STREAMS_PER_SUBJECT = 500;
export const MAX_STREAMS = 10_000;
/** Of all kinds together. */
export const MAX_CONNECTIONS = 16_000;
/** A client that asks for an upgrade and gets an answer instead has so long to take it. */
export const MAX_UPGRADE_MS = 10_000;

// Hosts that take orders of approvers, and what they answer.

/** What a host tells of itself: a screen of 1,000 rows, or all that runs there. */
export const MAX_ORDER_ANSWER_BYTES = 1024 * 1024;
/** An approver waits so long for what was ordered: a kill takes two seconds. */
export const MAX_HOST_ANSWER_MS = 5_000;
/** And so long for the list of what runs. */
export const MAX_HOST_LIST_MS = 1_500;
/** Of hosts that left, what was known of so many is shown. */
export const MAX_GONE_HOSTS = 200;
/** Looks at screens of one approver; a page that shows one looks once a second. */
export const MAX_SCREEN_LOOKS = { atOnce: 20, perSecond: 4 };
/** That an approver watches a screen is recorded once in so long. */
export const MAX_WATCHED_EVENTS = { atOnce: 1, perSecond: 1 / 300 };

// What is held in memory until a call is complete: bodies, and frames of kept connections.

export const MAX_HELD_BYTES_PER_REQUESTER = 32 * 1024 * 1024;
/** For callers without a credential. */
export const MAX_HELD_BYTES_PER_ADDRESS = 4 * 1024 * 1024;
export const MAX_HELD_BYTES = 256 * 1024 * 1024;
/** From its first byte to its last, while we read. */
export const MAX_FRAME_MS = 30_000;
/** Of answers that a reader does not take: nothing more is read from it meanwhile. */
export const MAX_UNREAD_ANSWER_BYTES = 8 * 1024 * 1024;

// Turns.

export const MAX_CALLS_UNDER_WAY = 32;
export const MAX_CALLS_WAITING = 1_000;

// What is written.

/** Reports of one requester; a shell sends two a line. */
export const MAX_REPORTS = { atOnce: 1_000, perSecond: 50 };
/** Bytes of requests longer than `LONG_REQUEST_BYTES` of one requester. */
export const MAX_LONG_REQUEST_BYTES = { atOnce: 64 * 1024 * 1024, perSecond: 1024 * 1024 };
export const LONG_REQUEST_BYTES = 64 * 1024;

/** Idempotency keys of one requester or approver in 24 hours; the answer to each has at most about `LONG_REQUEST_BYTES`. */
export const MAX_IDEMPOTENCY_KEYS = 1_000;

/** Also what a person can have on the page *Devices*. */
export const MAX_PASSKEYS_PER_PERSON = 30;
/** People who decide, and keys of theirs. */
export const MAX_APPROVERS = 200;

// Callers without a credential, by address.

/** Only those that fail: who has a key signs in whatever its neighbours do. */
export const MAX_FAILED_SIGN_INS = { atOnce: 60, perSecond: 1 };
export const MAX_ENROLMENTS_PER_ADDRESS = { atOnce: 20, perSecond: 20 / (15 * 60) };
/** These callers have not signed in, so they must not fill the approver's list. */
export const MAX_PENDING_ENROLMENTS = 50;

/** Lines of the log with the same message. */
export const MAX_LOG_LINES_PER_MINUTE = 60;

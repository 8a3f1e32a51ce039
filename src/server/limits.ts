/**
 * Limits how much one requester, one address, and all callers together may use. A caller beyond its own limit gets 429 `server.too_many`.
 * If the limit for all callers is reached, a caller gets 503 `server.busy`. A limit with `atOnce` and `perSecond` is a token bucket: it
 * begins full with `atOnce`, each use takes from it, and `perSecond` refills it.
 */

/** In bytes. A command of 1 MB fits, including its arguments and its environment, even if JSON escapes many characters. */
export const MAX_ASK_BODY_BYTES = 4 * 1024 * 1024;

// Requests that wait for an approver.

export const MAX_PENDING_PER_REQUESTER = 500;
/** Bytes of the requests as JSON. */
export const MAX_PENDING_BYTES_PER_REQUESTER = 32 * 1024 * 1024;

// Limits that pause a requester, until an approver resumes it.

/** Denials of one requester. A requester with more denials keeps asking for things that it must not do. */
export const MAX_DENIALS = { atOnce: 10, perSecond: 1 / 60 };
/** New requests of one requester. No person can read more requests. */
export const MAX_FILED = { atOnce: 600, perSecond: 1 };

// Connections that stay open.

/** For one caller, and for each kind: event streams, streams of orders to a host, and persistent connections. */
export const MAX_STREAMS_PER_SUBJECT = 500;
/** For the event streams of all callers together. The streams of orders of all hosts together have their own limit of the same size. */
export const MAX_STREAMS = 10_000;
/** Connections of all kinds and callers together. */
export const MAX_CONNECTIONS = 16_000;
/** The longest time that a connection stays open after a request for an upgrade. A completed upgrade ends this limit. */
export const MAX_UPGRADE_MS = 10_000;

// Orders of approvers to hosts, and the hosts' answers.

/** The longest answer of a host to an order. A screen of 1,000 rows fits. The list of everything that runs on the host fits too. */
export const MAX_ORDER_ANSWER_BYTES = 1024 * 1024;
/** How long an approver waits for the answer to an order; a kill takes two seconds. */
export const MAX_HOST_ANSWER_MS = 5_000;
/** How long an approver waits for a host's list of everything that runs there. */
export const MAX_HOST_LIST_MS = 1_500;
/** The largest number of disconnected hosts whose last known state is shown. */
export const MAX_GONE_HOSTS = 200;
/** How often one approver may look at screens; a page with a screen looks once a second. */
export const MAX_SCREEN_LOOKS = { atOnce: 20, perSecond: 4 };
/** How often an event records that one approver watches one screen. */
export const MAX_WATCHED_EVENTS = { atOnce: 1, perSecond: 1 / 300 };

// Bytes that are held in memory until a call is complete: bodies, and frames of persistent connections.

/** For each caller with a credential: a requester, a person, or a key of `apes` on a command line. */
export const MAX_HELD_BYTES_PER_REQUESTER = 32 * 1024 * 1024;
/** For callers without a credential. */
export const MAX_HELD_BYTES_PER_ADDRESS = 4 * 1024 * 1024;
/** For all callers together. */
export const MAX_HELD_BYTES = 256 * 1024 * 1024;
/**
 * How long the server waits for the rest of a frame. While the server itself reads nothing, no time counts. When the server reads again,
 * the wait begins anew.
 */
export const MAX_FRAME_MS = 30_000;
/** When a persistent connection ends, the server sends the last answers for at most this long. Then the server closes the connection. */
export const MAX_LAST_ANSWERS_MS = 10_000;
/** While a client has more unread bytes of answers, the server reads no calls of this client. */
export const MAX_UNREAD_ANSWER_BYTES = 8 * 1024 * 1024;

// Calls of one caller at the same time: the calls that run, and the calls that wait for a running call to end.

export const MAX_CALLS_UNDER_WAY = 32;
export const MAX_CALLS_WAITING = 1_000;

// What is written.

/** Reports of one requester; a shell sends two for each line. */
export const MAX_REPORTS = { atOnce: 1_000, perSecond: 50 };
/** Bytes that one requester may send in requests longer than `LONG_REQUEST_BYTES`. */
export const MAX_LONG_REQUEST_BYTES = { atOnce: 64 * 1024 * 1024, perSecond: 1024 * 1024 };
/** A request with more bytes (as JSON) counts as long. */
export const LONG_REQUEST_BYTES = 64 * 1024;

/** Idempotency keys of one requester or approver in 24 hours. The answer stored with a key has at most about `LONG_REQUEST_BYTES`. */
export const MAX_IDEMPOTENCY_KEYS = 1_000;

/** The most devices of one person on the page *Devices*. */
export const MAX_PASSKEYS_PER_PERSON = 30;
/** The maximum of approvers, auditors and keys of `apes` on command lines, counted together. Revoked people and keys do not count. */
export const MAX_APPROVERS = 200;

// Callers without a credential, by address.

/** A valid sign-in does not count, and succeeds beyond the limit too. So no caller can block other callers at the same address. */
export const MAX_FAILED_SIGN_INS = { atOnce: 60, perSecond: 1 };
export const MAX_ENROLMENTS_PER_ADDRESS = { atOnce: 20, perSecond: 20 / (15 * 60) };
/** These callers have not signed in, so they must not fill the approver's list. */
export const MAX_PENDING_ENROLMENTS = 50;

/** The most warnings and errors with the same message. The log leaves out further lines with this message. */
export const MAX_LOG_LINES_PER_MINUTE = 60;

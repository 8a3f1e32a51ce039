/** The versions of the protocols between client and server. The schemas of their messages are in `core/wire/`. */

/** The version of the HTTP API. A client refuses answers of any other version. */
export const API_VERSION = 1;

/**
 * The protocol of a persistent connection (HTTP upgrade at `/v1/connection`): frames of JSON in both directions. Answers come in any
 * order. A client opens this connection only to an `http:` address, which is usually on the client's own host.
 */
export const PERSISTENT_CONNECTION = 'ape-gate/2';

/** The versions of the protocols between client and server. The shapes are in `core/wire/`. */

/** The version of the HTTP API; a client refuses the answers of another version. */
export const API_VERSION = 1;

/**
 * The protocol of a persistent connection (HTTP upgrade at `/v1/connection`): frames of JSON in both directions; answers
 * come in any order. A client opens such a connection only to a server with an `http:` address, which is usually on its own host.
 */
export const PERSISTENT_CONNECTION = 'ape-gate/2';

/** The names of what client and server speak. The shapes are in `core/wire/`. */

/** The version of the HTTP API; a client refuses another major. */
export const API_VERSION = 1;

/**
 * The protocol of a connection that is kept for many calls (HTTP upgrade at `/v1/connection`), only ever used on one
 * host. Both sides send frames with JSON in them; answers come in any order.
 */
export const KEPT_CONNECTION = 'ape-gate/2';

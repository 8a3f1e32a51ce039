/** What is signed when a host replaces its key: by both keys of the host, and then by the server. */

/**
 * Keys are raw Ed25519, base64url.
 * @property replaces  the key of the host until now
 * @property publicKey the new key
 */
export interface Rotation {
  readonly subjectId: string;
  readonly replaces: string;
  readonly publicKey: string;
}

/** Signed by the old and by the new private key. The text contains the server's key, so that no other server can use the signatures. */
export const rotationText = (
  serverPublicKey: string,
  { subjectId, replaces, publicKey }: Rotation,
  challenge: string,
): string => `ape-rotate/1\n${serverPublicKey}\n${subjectId}\n${replaces}\n${publicKey}\n${challenge}`;

/** Signed by the server when it has accepted the new key. Only with this signature may the host remove its old key. */
export const rotatedText = (serverPublicKey: string, { subjectId, replaces, publicKey }: Rotation): string =>
  `ape-rotated/1\n${serverPublicKey}\n${subjectId}\n${replaces}\n${publicKey}`;

/**
 * The two texts that are signed when a host replaces its key. First, the host signs `rotationText`. Then the server signs `rotatedText`.
 */

/**
 * One change of a key. Public keys are raw Ed25519, base64url.
 * @property subjectId the id of the requester
 * @property replaces  the old key
 * @property publicKey the new key
 */
export interface Rotation {
  readonly subjectId: string;
  readonly replaces: string;
  readonly publicKey: string;
}

/**
 * The host signs this text with its old and its new key. The text contains the server's key: no other server can use the signatures.
 * @param challenge made by the server
 */
export const rotationText = (
  serverPublicKey: string,
  { subjectId, replaces, publicKey }: Rotation,
  challenge: string,
): string => `ape-rotate/1\n${serverPublicKey}\n${subjectId}\n${replaces}\n${publicKey}\n${challenge}`;

/** The server signs this text when it has accepted the new key. The host may remove its old key only after it has the signature. */
export const rotatedText = (serverPublicKey: string, { subjectId, replaces, publicKey }: Rotation): string =>
  `ape-rotated/1\n${serverPublicKey}\n${subjectId}\n${replaces}\n${publicKey}`;

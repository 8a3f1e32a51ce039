/** Makes the text of a document. An Ed25519 key signs this text. A passkey signs the SHA-256 of the text, as the challenge. */
import { canonicalJson } from '../grant/canonical-json.ts';
import type { ApproversDocument, BatchDocument, DecisionDocument, PolicyDocument } from '../wire/sealed.ts';

export type SealableDocument = DecisionDocument | PolicyDocument | ApproversDocument;

/** Every signed text begins with this prefix. So a signature of another text is never valid for a document. */
const PREFIX = 'ape-sealed/1\n';

/** Returns null if JSON cannot express the document, or if the document is nested too deep. */
export function sealedText(document: SealableDocument | BatchDocument): string | null {
  const text = canonicalJson(document);
  return text === null ? null : `${PREFIX}${text}`;
}

/** Whether two documents have the same text; false if a document has no text (`sealedText`). */
export function isSameDocument(left: SealableDocument, right: SealableDocument): boolean {
  const text = sealedText(left);
  return text !== null && text === sealedText(right);
}

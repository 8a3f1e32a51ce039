/** The one text of a document. It is what an Ed25519 key signs; a passkey signs its SHA-256, as the challenge. */
import { canonicalJson } from '../grant/canonical-json.ts';
import type { ApproversDocument, DecisionDocument, PolicyDocument } from '../wire/sealed.ts';

export type SealableDocument = DecisionDocument | PolicyDocument | ApproversDocument;

/** In front of every document, so that no signature made for something else can be one of these. */
const PREFIX = 'ape-sealed/1\n';

/** Null for what JSON cannot say, or what is nested too deep. */
export function sealedText(document: SealableDocument): string | null {
  const text = canonicalJson(document);
  return text === null ? null : `${PREFIX}${text}`;
}

/** Whether two documents are signed by the same text. */
export function isSameDocument(left: SealableDocument, right: SealableDocument): boolean {
  const text = sealedText(left);
  return text !== null && text === sealedText(right);
}

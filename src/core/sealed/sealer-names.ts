/** Names everybody whose signature seals an approval. */
import type { SealedDecision } from '../wire/sealed.ts';

/** `Ada, Grace`: in the order in which they approved. A seal without a name has the id of its key. */
export const sealerNames = ({ also = [], ...last }: Pick<SealedDecision, 'seal' | 'by' | 'also'>): string =>
  [...also, last].map(({ by, seal }) => by ?? seal.keyId).join(', ');

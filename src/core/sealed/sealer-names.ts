/** Lists the names of the people whose signatures seal an approval. */
import type { SealedDecision } from '../wire/sealed.ts';

/** `Ada, Grace`: in the order of their approvals. For a seal without a name, the id of the key is listed. */
export const sealerNames = ({ also = [], ...last }: Pick<SealedDecision, 'seal' | 'by' | 'also'>): string =>
  [...also, last].map(({ by, seal }) => by ?? seal.keyId).join(', ');

/** Lists the names of the people whose signatures seal an approval. */
import type { SealedDecision } from '../wire/sealed.ts';

/** Returns names such as `Ada, Grace`, in the order of the approvals. A person without a name appears as the id of the key. */
export const sealerNames = ({ also = [], ...last }: Pick<SealedDecision, 'seal' | 'by' | 'also'>): string =>
  [...also, last].map(({ by, seal }) => by ?? seal.keyId).join(', ');

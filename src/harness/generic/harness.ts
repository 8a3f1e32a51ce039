/** What the gate knows about a harness that uses our own protocol. */
import { plainDialect } from '../dialect.ts';
import type { GatedHarness } from '../gated-harness.ts';
import { genericTools } from './tools.ts';

export const genericGate: GatedHarness<'generic'> = {
  name: 'generic',
  title: 'any other',
  tools: genericTools,
  dialect: plainDialect,
  shellGates: null,
  project: null,
  program: null,
  observed: [],
  sample: {
    event: null,
    shell: 'shell',
    write: (path) => ({ tool: 'write', input: { path: path, content: 'check\n' } }),
  },
};

/** What the gate knows about Kilo CLI. */
import { plainDialect } from '../dialect.ts';
import type { GatedHarness } from '../gated-harness.ts';
import { kiloTools } from './tools.ts';

export const kiloGate: GatedHarness<'kilo'> = {
  name: 'kilo',
  title: 'Kilo CLI',
  tools: kiloTools,
  dialect: plainDialect,
  shellGates: null,
  project: null,
  program: 'kilo',
  observed: ['7.7.9'],
  sample: {
    event: null,
    shell: 'bash',
    write: (path) => ({ tool: 'write', input: { filePath: path, content: 'check\n' } }),
  },
};

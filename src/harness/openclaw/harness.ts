/** What the gate knows about openclaw. */
import { plainDialect } from '../dialect.ts';
import type { GatedHarness } from '../gated-harness.ts';
import { openclawTools } from './tools.ts';

export const openclawGate: GatedHarness<'openclaw'> = {
  name: 'openclaw',
  title: 'openclaw',
  tools: openclawTools,
  dialect: plainDialect,
  shellGates: 'variable',
  project: null,
  program: 'openclaw',
  observed: ['2026.9.6'],
  lowest: '2026.9.5',
  sample: {
    event: null,
    shell: 'exec',
    write: (path) => ({ tool: 'write', input: { path: path, content: 'check\n' } }),
  },
};

/** What the gate knows about pi. */
import { plainDialect } from '../dialect.ts';
import type { GatedHarness } from '../gated-harness.ts';
import { piTools } from './tools.ts';

export const piGate: GatedHarness<'pi'> = {
  name: 'pi',
  title: 'pi',
  tools: piTools,
  dialect: plainDialect,
  shellGates: null,
  project: null,
  program: 'pi',
  observed: ['0.74.2', '0.87.1'],
  sample: {
    event: null,
    shell: 'bash',
    write: (path) => ({ tool: 'write', input: { path, content: 'check\n' } }),
  },
};

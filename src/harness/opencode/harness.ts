/** What the gate knows about opencode. */
import { plainDialect } from '../dialect.ts';
import type { GatedHarness } from '../gated-harness.ts';
import { opencodeTools } from './tools.ts';

export const opencodeGate: GatedHarness<'opencode'> = {
  name: 'opencode',
  title: 'opencode',
  tools: opencodeTools,
  dialect: plainDialect,
  shellGates: null,
  project: null,
  program: 'opencode',
  observed: ['1.18.33'],
  lowest: '1.14.41',
  sample: {
    event: null,
    shell: 'bash',
    write: (path) => ({ tool: 'write', input: { filePath: path, content: 'check\n' } }),
  },
};

/** Describes Hermes Agent for the gate. */
import type { GatedHarness } from '../gated-harness.ts';
import { hermesDialect } from './dialect.ts';
import { hermesTools } from './tools.ts';

export const hermesGate: GatedHarness<'hermes'> = {
  name: 'hermes',
  title: 'Hermes Agent',
  tools: hermesTools,
  dialect: hermesDialect,
  shellGates: null,
  project: null,
  program: 'hermes',
  observed: [],
  isTried: false,
  hasKnownDirectory: false,
  sample: {
    event: 'pre_tool_call',
    shell: 'terminal',
    write: (path) => ({ tool: 'write_file', input: { path, content: 'check\n' } }),
  },
};

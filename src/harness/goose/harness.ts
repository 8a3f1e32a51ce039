/** What the gate knows about Goose. */
import type { GatedHarness } from '../gated-harness.ts';
import { gooseDialect } from './dialect.ts';
import { gooseTools } from './tools.ts';

export const gooseGate: GatedHarness<'goose'> = {
  name: 'goose',
  title: 'Goose',
  tools: gooseTools,
  dialect: gooseDialect,
  shellGates: null,
  project: null,
  program: 'goose',
  observed: [],
  isTried: false,
  sample: {
    event: 'PreToolUse',
    shell: 'developer__shell',
    write: (path) => ({ tool: 'developer__write', input: { path, content: 'check\n' } }),
    make: (tool, input, cwd) => ({
      event: 'PreToolUse',
      session_id: 'check',
      matcher_context: tool,
      tool_call_id: 'check',
      tool_name: tool,
      tool_input: input,
      working_dir: cwd,
    }),
  },
};

/** What the gate knows about Cline CLI. */
import type { GatedHarness } from '../gated-harness.ts';
import { clineDialect } from './dialect.ts';
import { clineTools } from './tools.ts';

export const clineGate: GatedHarness<'cline'> = {
  name: 'cline',
  title: 'Cline CLI',
  tools: clineTools,
  dialect: clineDialect,
  shellGates: null,
  project: null,
  program: 'cline',
  observed: ['3.0.65'],
  obeysExitTwo: false,
  sample: {
    event: 'tool_call',
    shell: 'run_commands',
    command: (command) => ({ commands: [command] }),
    write: (path) => ({ tool: 'editor', input: { path, new_text: 'check\n' } }),
    make: (tool, input, cwd) => ({
      hookName: 'tool_call',
      workspaceRoots: [cwd],
      tool_call: { id: 'check', name: tool, input },
    }),
  },
};

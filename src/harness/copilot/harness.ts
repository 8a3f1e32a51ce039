/** What the gate knows about GitHub Copilot CLI. */
import type { GatedHarness } from '../gated-harness.ts';
import { copilotDialect } from './dialect.ts';
import { copilotTools } from './tools.ts';

export const copilotGate: GatedHarness<'copilot'> = {
  name: 'copilot',
  title: 'GitHub Copilot CLI',
  tools: copilotTools,
  dialect: copilotDialect,
  shellGates: null,
  isCalledDirectly: true,
  project: 'COPILOT_PROJECT_DIR',
  program: 'copilot',
  observed: ['1.0.102'],
  sample: {
    event: 'PreToolUse',
    shell: 'Bash',
    write: (path) => ({ tool: 'Write', input: { path, file_text: 'check\n' } }),
  },
};

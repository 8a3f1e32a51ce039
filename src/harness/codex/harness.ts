/** What the gate knows about Codex CLI. */
import { codexDialect } from '../dialect.ts';
import type { GatedHarness } from '../gated-harness.ts';
import { codexTools } from './tools.ts';

export const codexGate: GatedHarness<'codex'> = {
  name: 'codex',
  title: 'Codex CLI',
  tools: codexTools,
  dialect: codexDialect,
  shellGates: null,
  project: null,
  program: 'codex',
  observed: ['0.169.0'],
  lowest: '0.137.0',
  sample: {
    event: 'PreToolUse',
    shell: 'Bash',
    write: (path) => ({
      tool: 'apply_patch',
      input: { command: `*** Begin Patch\n*** Add File: ${path}\n+check\n*** End Patch` },
    }),
  },
};

/** Describes Kimi Code. Kimi Code accepts the same answers as Qwen Code, and runs `/bin/bash` whatever SHELL and PATH say. */
import { qwenDialect } from '../dialect.ts';
import type { GatedHarness } from '../gated-harness.ts';
import { kimiTools } from './tools.ts';

export const kimiGate: GatedHarness<'kimi'> = {
  name: 'kimi',
  title: 'Kimi Code',
  tools: kimiTools,
  dialect: qwenDialect,
  shellGates: null,
  project: null,
  program: 'kimi',
  observed: ['2.1.0'],
  sample: {
    event: 'PreToolUse',
    shell: 'Bash',
    write: (path) => ({ tool: 'Write', input: { path, content: 'check\n' } }),
  },
};

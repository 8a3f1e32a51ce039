/** What the gate knows about Qwen Code. */
import { qwenDialect } from '../dialect.ts';
import type { GatedHarness } from '../gated-harness.ts';
import { qwenTools } from './tools.ts';

export const qwenGate: GatedHarness<'qwen'> = {
  name: 'qwen',
  title: 'Qwen Code',
  tools: qwenTools,
  dialect: qwenDialect,
  shellGates: 'path',
  project: 'QWEN_PROJECT_DIR',
  program: 'qwen',
  observed: ['0.24.4'],
  lowest: '0.15.10',
  sample: {
    event: 'PreToolUse',
    shell: 'run_shell_command',
    write: (path) => ({ tool: 'write_file', input: { file_path: path, content: 'check\n' } }),
  },
};

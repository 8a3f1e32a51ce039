/** What the gate knows about Gemini CLI. */
import { geminiDialect } from '../dialect.ts';
import type { GatedHarness } from '../gated-harness.ts';
import { geminiTools } from './tools.ts';

export const geminiGate: GatedHarness<'gemini'> = {
  name: 'gemini',
  title: 'Gemini CLI',
  tools: geminiTools,
  dialect: geminiDialect,
  shellGates: null,
  project: 'GEMINI_PROJECT_DIR',
  program: 'gemini',
  observed: ['0.61.0'],
  lowest: '0.42.0',
  sample: {
    event: 'BeforeTool',
    shell: 'run_shell_command',
    write: (path) => ({ tool: 'write_file', input: { file_path: path, content: 'check\n' } }),
  },
};

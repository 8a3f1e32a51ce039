/** What the gate knows of Claude Code. */
import { claudeDialect } from '../dialect.ts';
import type { GatedHarness } from '../gated-harness.ts';
import { ownOutputOfClaudeCode } from './own-output.ts';
import { claudeCodeTools } from './tools.ts';

export const claudeCodeGate: GatedHarness<'claude-code'> = {
  name: 'claude-code',
  title: 'Claude Code',
  tools: claudeCodeTools,
  dialect: claudeDialect,
  shellGates: null,
  project: 'CLAUDE_PROJECT_DIR',
  program: 'claude',
  observed: ['2.1.330'],
  // 2.0.5, 2.0.14 and 2.0.37 ran the command that the hook had replaced.
  lowest: '2.1.26',
  ownOutput: ownOutputOfClaudeCode,
  sample: {
    event: 'PreToolUse',
    shell: 'Bash',
    write: (path) => ({ tool: 'Write', input: { file_path: path, content: 'check\n' } }),
  },
};

/** What the gate knows about Claude Code. */
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
  observed: ['2.1.330', '2.1.331'],
  // 2.0.5, 2.0.14 and 2.0.37 ran the original command, although the hook had replaced it. Between 2.0.37 and 2.1.26, no version was tried.
  lowest: '2.1.26',
  ownOutput: ownOutputOfClaudeCode,
  versionOf: versionOfAgent,
  sample: {
    event: 'PreToolUse',
    shell: 'Bash',
    write: (path) => ({ tool: 'Write', input: { file_path: path, content: 'check\n' } }),
  },
};

/**
 * Reads the version from AI_AGENT (`claude-code_2-1-330_harness`); null: AI_AGENT has no version. 2.1.136 sets AI_AGENT, 2.1.96 does not.
 */
function versionOfAgent(variable: (name: string) => string | undefined): string | null {
  const parts = /^claude-code_(\d+)-(\d+)-(\d+)(?:_|$)/.exec(variable('AI_AGENT') ?? '');
  return parts === null ? null : parts.slice(1).join('.');
}

/** What the gate knows about Grok Build. */
import type { GatedHarness } from '../gated-harness.ts';
import { grokDialect } from './dialect.ts';
import { grokTools } from './tools.ts';

export const grokGate: GatedHarness<'grok'> = {
  name: 'grok',
  title: 'Grok Build',
  tools: grokTools,
  dialect: grokDialect,
  shellGates: null,
  project: 'GROK_WORKSPACE_ROOT',
  program: 'grok',
  observed: [],
  isTried: false,
  hasKnownDirectory: false,
  sample: {
    event: 'pre_tool_use',
    shell: 'run_terminal_command',
    write: (path) => ({ tool: 'search_replace', input: { file_path: path, old_string: '', new_string: 'check\n' } }),
    make: (tool, input, cwd) => ({
      hookEventName: 'pre_tool_use',
      sessionId: 'check',
      cwd,
      workspaceRoot: cwd,
      permissionMode: 'default',
      toolName: tool,
      toolInput: input,
      toolUseId: 'check',
      toolInputTruncated: false,
      timestamp: '2026-01-01T00:00:00Z',
    }),
  },
};

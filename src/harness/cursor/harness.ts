/** What the gate knows about Cursor CLI. */
import type { GatedHarness } from '../gated-harness.ts';
import { cursorDialect } from './dialect.ts';
import { cursorTools } from './tools.ts';

export const cursorGate: GatedHarness<'cursor'> = {
  name: 'cursor',
  title: 'Cursor CLI',
  tools: cursorTools,
  dialect: cursorDialect,
  shellGates: null,
  project: 'CURSOR_PROJECT_DIR',
  program: 'cursor-agent',
  observed: [],
  isTried: false,
  hasKnownDirectory: false,
  sample: {
    event: 'preToolUse',
    shell: 'Shell',
    write: (path) => ({ tool: 'Write', input: { file_path: path, content: 'check\n' } }),
  },
};

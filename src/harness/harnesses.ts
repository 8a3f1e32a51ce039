/** The harnesses we know, by the name used on the command line. */
import { claudeCodeTools } from './claude-code.ts';
import { codexTools } from './codex.ts';
import { claudeDialect, codexDialect, type Dialect, geminiDialect, plainDialect, qwenDialect } from './dialect.ts';
import { geminiTools } from './gemini.ts';
import { genericTools } from './generic.ts';
import type { HarnessTools } from './harness-tools.ts';
import { openclawTools } from './openclaw.ts';
import { opencodeTools } from './opencode.ts';
import { qwenTools } from './qwen.ts';

/**
 * @property shellGates how the shell itself may be ours, so that the command needs no other words around it:
 *                      `path`: the harness runs `bash` from PATH; `variable`: it runs `$SHELL`; null: not to be told from here
 * @property project    the variable in which the harness names the session's directory, or null
 */
export interface Harness {
  readonly name: HarnessName;
  readonly title: string;
  readonly tools: HarnessTools;
  readonly dialect: Dialect;
  readonly shellGates: 'path' | 'variable' | null;
  readonly project: string | null;
}

export const HARNESS_NAMES = ['claude-code', 'codex', 'gemini', 'qwen', 'opencode', 'openclaw', 'generic'] as const;
export type HarnessName = (typeof HARNESS_NAMES)[number];

const HARNESSES: Readonly<Record<HarnessName, Omit<Harness, 'name'>>> = {
  'claude-code': {
    title: 'Claude Code',
    tools: claudeCodeTools,
    dialect: claudeDialect,
    shellGates: null,
    project: 'CLAUDE_PROJECT_DIR',
  },
  codex: { title: 'Codex CLI', tools: codexTools, dialect: codexDialect, shellGates: null, project: null },
  gemini: {
    title: 'Gemini CLI',
    tools: geminiTools,
    dialect: geminiDialect,
    shellGates: null,
    project: 'GEMINI_PROJECT_DIR',
  },
  qwen: {
    title: 'Qwen Code',
    tools: qwenTools,
    dialect: qwenDialect,
    shellGates: 'path',
    project: 'QWEN_PROJECT_DIR',
  },
  opencode: { title: 'opencode', tools: opencodeTools, dialect: plainDialect, shellGates: null, project: null },
  openclaw: { title: 'openclaw', tools: openclawTools, dialect: plainDialect, shellGates: 'variable', project: null },
  generic: { title: 'any other', tools: genericTools, dialect: plainDialect, shellGates: null, project: null },
};

/** The harness of this name, or null. */
export function findHarness(name: string): Harness | null {
  const known = HARNESS_NAMES.find((one) => one === name);
  return known === undefined ? null : { name: known, ...HARNESSES[known] };
}

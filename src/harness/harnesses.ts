/** The harnesses we know, by the name used on the command line. */
import { claudeCodeTools } from './claude-code.ts';
import { codexTools } from './codex.ts';
import { claudeDialect, codexDialect, geminiDialect, type HookProtocol, plainDialect, qwenDialect } from './dialect.ts';
import { geminiTools } from './gemini.ts';
import { genericTools } from './generic.ts';
import type { HarnessTools } from './harness-tools.ts';
import { openclawTools } from './openclaw.ts';
import { opencodeTools } from './opencode.ts';
import { qwenTools } from './qwen.ts';
import type { JsonObject } from './tool-call.ts';

/**
 * @property shellGates how the shell itself may be ours, so that the command needs no other words around it:
 *                      `path`: the harness runs `bash` from PATH; `variable`: it runs `$SHELL`; null: not to be told from here
 * @property project    the variable in which the harness names the session's directory, or null
 * @property program    its program in PATH, or null
 * @property observed   the versions that what is said about it was seen in
 * @property sample     how it names its shell tool and its writing tool, and the event before a tool (null: our own protocol)
 */
export interface InstalledHarness {
  readonly name: HarnessName;
  readonly title: string;
  readonly tools: HarnessTools;
  readonly dialect: HookProtocol;
  readonly shellGates: 'path' | 'variable' | null;
  readonly project: string | null;
  readonly program: string | null;
  readonly observed: readonly string[];
  readonly sample: {
    readonly event: string | null;
    readonly shell: string;
    readonly write: (path: string) => { readonly tool: string; readonly input: JsonObject };
  };
}

export const HARNESS_NAMES = ['claude-code', 'codex', 'gemini', 'qwen', 'opencode', 'openclaw', 'generic'] as const;
export type HarnessName = (typeof HARNESS_NAMES)[number];

const HARNESSES: Readonly<Record<HarnessName, Omit<InstalledHarness, 'name'>>> = {
  'claude-code': {
    title: 'Claude Code',
    tools: claudeCodeTools,
    dialect: claudeDialect,
    shellGates: null,
    project: 'CLAUDE_PROJECT_DIR',
    program: 'claude',
    observed: ['2.1.330'],
    sample: {
      event: 'PreToolUse',
      shell: 'Bash',
      write: (path) => ({ tool: 'Write', input: { file_path: path, content: 'check\n' } }),
    },
  },
  codex: {
    title: 'Codex CLI',
    tools: codexTools,
    dialect: codexDialect,
    shellGates: null,
    project: null,
    program: 'codex',
    observed: ['0.169.0'],
    sample: {
      event: 'PreToolUse',
      shell: 'Bash',
      write: (path) => ({
        tool: 'apply_patch',
        input: { command: `*** Begin Patch\n*** Add File: ${path}\n+check\n*** End Patch` },
      }),
    },
  },
  gemini: {
    title: 'Gemini CLI',
    tools: geminiTools,
    dialect: geminiDialect,
    shellGates: null,
    project: 'GEMINI_PROJECT_DIR',
    program: 'gemini',
    observed: ['0.61.0'],
    sample: {
      event: 'BeforeTool',
      shell: 'run_shell_command',
      write: (path) => ({ tool: 'write_file', input: { file_path: path, content: 'check\n' } }),
    },
  },
  qwen: {
    title: 'Qwen Code',
    tools: qwenTools,
    dialect: qwenDialect,
    shellGates: 'path',
    project: 'QWEN_PROJECT_DIR',
    program: 'qwen',
    observed: ['0.24.4'],
    sample: {
      event: 'PreToolUse',
      shell: 'run_shell_command',
      write: (path) => ({ tool: 'write_file', input: { file_path: path, content: 'check\n' } }),
    },
  },
  opencode: {
    title: 'opencode',
    tools: opencodeTools,
    dialect: plainDialect,
    shellGates: null,
    project: null,
    program: 'opencode',
    observed: ['1.18.33'],
    sample: {
      event: null,
      shell: 'bash',
      write: (path) => ({ tool: 'write', input: { filePath: path, content: 'check\n' } }),
    },
  },
  openclaw: {
    title: 'openclaw',
    tools: openclawTools,
    dialect: plainDialect,
    shellGates: 'variable',
    project: null,
    program: 'openclaw',
    observed: ['2026.9.6'],
    sample: {
      event: null,
      shell: 'exec',
      write: (path) => ({ tool: 'write', input: { path: path, content: 'check\n' } }),
    },
  },
  generic: {
    title: 'any other',
    tools: genericTools,
    dialect: plainDialect,
    shellGates: null,
    project: null,
    program: null,
    observed: [],
    sample: {
      event: null,
      shell: 'shell',
      write: (path) => ({ tool: 'write', input: { path: path, content: 'check\n' } }),
    },
  },
};

/** The harness of this name, or null. */
export function findHarness(name: string): InstalledHarness | null {
  const known = HARNESS_NAMES.find((one) => one === name);
  return known === undefined ? null : { name: known, ...HARNESSES[known] };
}

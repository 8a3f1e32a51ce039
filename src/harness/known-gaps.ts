/** What stays open in each harness, as it was seen, and what closes it. Told by `apes hooks check` and in docs/harnesses.md. */
import type { HarnessName } from './harnesses.ts';

/** @property closedBy null where nothing of the harness's own closes it */
export interface Gap {
  readonly what: string;
  readonly closedBy: string | null;
}

const NOT_A_SANDBOX: Gap = {
  what: 'an approved program (interpreter, make, a server) does what it likes; MCP tools and web fetches are not gated',
  closedBy: 'a sandbox, and no MCP servers that run code',
};

const KNOWN: Readonly<Record<HarnessName, readonly Gap[]>> = {
  'claude-code': [
    {
      what: '`disableAllHooks` and `env` in the settings of a project switch hooks of the user off, or lead them to another installation',
      closedBy: 'apes hooks install claude-code --managed',
    },
    {
      what: 'if not even /bin/sh starts, or it is killed, 2.1.197 runs the tool; 2.1.330 blocks it (onFailure: block)',
      closedBy: 'a version that knows onFailure',
    },
    {
      what: 'a skill or slash command may run `!` commands while it is loaded (not tried)',
      closedBy: 'look at them first',
    },
  ],
  codex: [
    {
      what: 'hooks of the user or a project are skipped in silence until they are trusted',
      closedBy: 'apes hooks install codex --managed, or /hooks in codex',
    },
    {
      what: 'write_stdin types into a running program past every hook',
      closedBy: '--managed (unified_exec_tty = false), or codex --disable unified_exec_tty',
    },
    {
      what: 'if not even the shell starts, or it is killed, or the hook exceeds its time, the tool runs',
      closedBy: null,
    },
  ],
  gemini: [
    {
      what: 'if not even bash starts for the hook, or it is killed, or exceeds 60 s, the tool runs',
      closedBy: 'the PATH shim (for commands)',
    },
    {
      what: 'settings of a trusted project can switch hooks off',
      closedBy: 'apes hooks install gemini --managed, and the PATH shim',
    },
  ],
  qwen: [
    {
      what: 'it runs the original command whatever the hook puts in its place',
      closedBy: 'the PATH shim; without it, a denial',
    },
    {
      what: 'if not even bash starts for the hook, or it is killed, or exceeds 60 s, the tool runs',
      closedBy: 'the PATH shim (for commands)',
    },
    {
      what: 'settings of a trusted project can switch hooks off',
      closedBy: 'apes hooks install qwen --managed, and the PATH shim',
    },
  ],
  opencode: [
    {
      what: 'a plugin that does not load is left out: file tools are open then (commands are not: `shell` is ape-shell)',
      closedBy: 'apes hooks install opencode --managed',
    },
    { what: 'opencode shows the model no exit status, so 75 is told by the text alone', closedBy: null },
  ],
  openclaw: [
    {
      what: 'commands are gated only where openclaw was started with SHELL=ape-shell',
      closedBy: 'SHELL in its service file',
    },
    {
      what: 'the plugin is called by the Gateway only; tools that plugins bring are not gated',
      closedBy: 'use the Gateway',
    },
  ],
  generic: [],
};

export const gapsOf = (harness: HarnessName): readonly Gap[] => [...KNOWN[harness], NOT_A_SANDBOX];

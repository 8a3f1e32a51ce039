// ape-shell: gates the tools of opencode. Written by `apes hooks install opencode`, which replaces it as a whole.
import { ask, report } from './guard-client.js';

const REPORTED =
  /^(session\.idle|permission\.(asked|replied)|question\.(asked|replied|rejected)|server\.instance\.disposed)$/;
export const ApeShell = async ({ directory, worktree }) => {
  let servers = [];
  const project = directory || worktree || process.cwd();
  return {
    config: async (config) => {
      servers = Object.keys(config?.mcp ?? {});
    },
    event: async ({ event }) => {
      if (REPORTED.test(event.type)) void report({ hook_event_name: 'event', cwd: project, event });
    },
    // What opencode puts into a prompt by itself is no part of what was submitted.
    'chat.message': async (_, output) => {
      const parts = (output.parts ?? [])
        .filter(({ synthetic }) => synthetic !== true)
        .map(({ type, text }) => ({ type, text }));
      await report({ hook_event_name: 'chat.message', cwd: project, parts });
    },
    'tool.execute.before': async (call, output) => {
      await report({
        hook_event_name: 'tool.execute.before',
        cwd: project,
        tool_name: call.tool,
        tool_use_id: call.callID,
      });
      const input = await ask({ tool: call.tool, input: output.args ?? {}, cwd: project, project, servers });
      if (input !== null) output.args = input;
    },
    'tool.execute.after': async (call) => {
      void report({
        hook_event_name: 'tool.execute.after',
        cwd: project,
        tool_name: call.tool,
        tool_use_id: call.callID,
      });
    },
  };
};

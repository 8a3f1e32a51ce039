// ape-shell: gates the tools of openclaw. `apes hooks install openclaw` writes this file, and replaces the whole file.
import { askGuard, report } from '../guard-client.js';

/**
 * @typedef {{ toolName: string, toolCallId?: string, toolKind?: string, params?: Record<string, unknown> }} ToolEvent
 * @typedef {{ workspaceDir?: string }} ToolContext
 * @typedef {(event: ToolEvent, context?: ToolContext) => unknown} ToolHandler
 * @typedef {{ on: (event: string, handler: ToolHandler, options?: { priority: number, timeoutMs: number }) => void }} OpenclawApi
 */

export default {
  id: 'ape-shell-gate',
  name: 'ape-shell gate',
  description: 'Gates tools through ape-shell',
  /** @param {OpenclawApi} api */
  register(api) {
    api.on(
      'before_tool_call',
      async (event, context) => {
        const cwd = context?.workspaceDir ?? process.env.OPENCLAW_WORKSPACE_DIR ?? process.cwd();
        void report({
          hook_event_name: 'before_tool_call',
          cwd,
          tool_name: event.toolName,
          tool_use_id: event.toolCallId,
        });
        try {
          const input = await askGuard({
            tool: event.toolKind === 'code_mode_exec' ? 'code_mode' : event.toolName,
            input: event.params ?? {},
            cwd,
            project: cwd,
          });
          // openclaw uses the parameters that a handler returned last. So our handler always returns the checked parameters, even if they
          // are unchanged. Without this, openclaw could use unchecked parameters of another plugin.
          return { params: input ?? event.params ?? {} };
        } catch (error) {
          return { block: true, blockReason: error instanceof Error ? error.message : String(error) };
        }
      },
      // The lowest priority: openclaw calls our handler last. By default, openclaw ends a handler after 15 s, and the model gets
      // openclaw's reason instead of ours.
      { priority: -1000, timeoutMs: 60_000 },
    );
    api.on('after_tool_call', (event) => {
      void report({ hook_event_name: 'after_tool_call', tool_name: event.toolName, tool_use_id: event.toolCallId });
    });
  },
};

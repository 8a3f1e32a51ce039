/** The tools of Kilo CLI: the tools of opencode, and some more tools. Their inputs were seen in Kilo CLI 7.7.9. */
import { readTool, searchTool } from '../file-tools.ts';
import type { HarnessTools } from '../harness-tools.ts';
import { opencodeTools } from '../opencode/tools.ts';
import { type JsonObject, shellCall, type ToolCall, textIn, ungated } from '../tool-call.ts';

const STARTING: ReadonlySet<string> = new Set(['start', 'monitor']);
/** Actions that are not gated here. `restart` runs the command of `start` again in ape-shell, and ape-shell asks for a grant itself. */
const UNGATED_ACTIONS: ReadonlySet<string> = new Set(['list', 'status', 'logs', 'stop', 'restart']);

function backgroundProcess(input: JsonObject): ToolCall | null {
  const action = textIn(input, 'action');
  if (action !== null && STARTING.has(action)) return shellCall(input, 'command');
  return action !== null && UNGATED_ACTIONS.has(action)
    ? ungated('it reads, ends or restarts processes that were gated')
    : null;
}

const LATER = 'it starts work later; use bash';

export const kiloTools: HarnessTools = {
  tools: {
    ...opencodeTools.tools,
    background_process: backgroundProcess,
    notebook_read: readTool('path'),
    semantic_search: searchTool('path'),
  },
  denied: {
    ...opencodeTools.denied,
    cron_create: LATER,
    schedule_wakeup: LATER,
    kilo_local_recall: 'it reads conversations of other projects',
    notebook_execute: 'it runs code past the gate',
    repo_clone: 'it runs git past the gate; use bash',
    agent_manager: 'it starts agents outside of this session',
  },
  ungated: [
    ...opencodeTools.ungated,
    ...['cron_list', 'cron_delete', 'cancel_wakeup', 'goal', 'goal_report', 'compact', 'get_context_info'],
    ...['board_post', 'board_read', 'chart', 'suggest', 'open_plan'],
  ],
  isOfServer: opencodeTools.isOfServer,
};

/**
 * Lists the agents that `apes hooks certify` tries. Each `certify.mjs` sets three things for its agent: the exact version, how the agent's
 * commands reach the gate, and how the agent starts without a terminal.
 */
import { claudeCodeAgent, claudeCodeManaged } from '../harness/claude-code/certify.mjs';
import { clineAgent } from '../harness/cline/certify.mjs';
import { codexAgent, codexManaged } from '../harness/codex/certify.mjs';
import { copilotAgent, copilotManaged } from '../harness/copilot/certify.mjs';
import { geminiCli, geminiCliManaged } from '../harness/gemini/certify.mjs';
import { kiloAgent, kiloManaged } from '../harness/kilo/certify.mjs';
import { kimiAgent } from '../harness/kimi/certify.mjs';
import { openclawAgent, openclawGateway } from '../harness/openclaw/certify.mjs';
import { opencodeAgent, opencodeManaged } from '../harness/opencode/certify.mjs';
import { piAgent, piLater } from '../harness/pi/certify.mjs';
import { qwenAgent, qwenManaged } from '../harness/qwen/certify.mjs';

export const AGENTS = [
  ...[claudeCodeAgent, codexAgent, opencodeAgent, kiloAgent, openclawAgent, qwenAgent, geminiCli],
  ...[copilotAgent, piAgent, piLater, clineAgent, kimiAgent],
  openclawGateway,
  ...[claudeCodeManaged, codexManaged, opencodeManaged, kiloManaged],
  ...[geminiCliManaged, qwenManaged, copilotManaged],
];

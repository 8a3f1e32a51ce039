/** The agents that are tried. One file each: its exact version, how it comes to the gate, how it is driven headless. */
import { claudeCodeAgent, claudeCodeManaged } from './harnesses/claude-code.mjs';
import { clineAgent } from './harnesses/cline.mjs';
import { codexAgent, codexManaged } from './harnesses/codex.mjs';
import { copilotAgent, copilotManaged } from './harnesses/copilot.mjs';
import { geminiCli, geminiCliManaged } from './harnesses/gemini.mjs';
import { kiloAgent, kiloManaged } from './harnesses/kilo.mjs';
import { kimiAgent } from './harnesses/kimi.mjs';
import { openclawAgent, openclawGateway } from './harnesses/openclaw.mjs';
import { opencodeAgent, opencodeManaged } from './harnesses/opencode.mjs';
import { piAgent, piLater } from './harnesses/pi.mjs';
import { qwenAgent, qwenManaged } from './harnesses/qwen.mjs';

export const AGENTS = [
  ...[claudeCodeAgent, codexAgent, opencodeAgent, kiloAgent, openclawAgent, qwenAgent, geminiCli],
  ...[copilotAgent, piAgent, piLater, clineAgent, kimiAgent],
  openclawGateway,
  ...[claudeCodeManaged, codexManaged, opencodeManaged, kiloManaged],
  ...[geminiCliManaged, qwenManaged, copilotManaged],
];

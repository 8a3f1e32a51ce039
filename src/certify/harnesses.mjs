/** The agents that are tried. One file each: its exact version, how it comes to the gate, how it is driven headless. */
import { claudeCode, claudeCodeManaged } from './harnesses/claude-code.mjs';
import { cline } from './harnesses/cline.mjs';
import { codex, codexManaged } from './harnesses/codex.mjs';
import { copilot, copilotManaged } from './harnesses/copilot.mjs';
import { geminiCli, geminiCliManaged } from './harnesses/gemini.mjs';
import { kilo, kiloManaged } from './harnesses/kilo.mjs';
import { kimi } from './harnesses/kimi.mjs';
import { openclaw, openclawGateway } from './harnesses/openclaw.mjs';
import { opencode, opencodeManaged } from './harnesses/opencode.mjs';
import { pi, piLater } from './harnesses/pi.mjs';
import { qwen, qwenManaged } from './harnesses/qwen.mjs';

export const HARNESSES = [
  ...[claudeCode, codex, opencode, kilo, openclaw, qwen, geminiCli],
  ...[copilot, pi, piLater, cline, kimi],
  openclawGateway,
  ...[claudeCodeManaged, codexManaged, opencodeManaged, kiloManaged],
  ...[geminiCliManaged, qwenManaged, copilotManaged],
];

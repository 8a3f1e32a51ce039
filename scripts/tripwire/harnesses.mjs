/** The agents that are tried. One file each: its exact version, how it comes to the gate, how it is driven headless. */
import { claudeCode, claudeCodeManaged } from './harnesses/claude-code.mjs';
import { cline } from './harnesses/cline.mjs';
import { codex, codexManaged } from './harnesses/codex.mjs';
import { geminiCli } from './harnesses/gemini.mjs';
import { kimi } from './harnesses/kimi.mjs';
import { openclaw } from './harnesses/openclaw.mjs';
import { opencode } from './harnesses/opencode.mjs';
import { qwen } from './harnesses/qwen.mjs';

export const HARNESSES = [
  ...[claudeCode, codex, opencode, openclaw, qwen, geminiCli, cline, kimi],
  ...[claudeCodeManaged, codexManaged],
];

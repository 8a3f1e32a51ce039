/** The harnesses that the gate knows. Each harness has a folder beside this file. */
import { claudeCodeGate } from './claude-code/harness.ts';
import { clineGate } from './cline/harness.ts';
import { codexGate } from './codex/harness.ts';
import { copilotGate } from './copilot/harness.ts';
import { cursorGate } from './cursor/harness.ts';
import type { GatedHarness } from './gated-harness.ts';
import { geminiGate } from './gemini/harness.ts';
import { genericGate } from './generic/harness.ts';
import { gooseGate } from './goose/harness.ts';
import { grokGate } from './grok/harness.ts';
import { hermesGate } from './hermes/harness.ts';
import { kiloGate } from './kilo/harness.ts';
import { kimiGate } from './kimi/harness.ts';
import { openclawGate } from './openclaw/harness.ts';
import { opencodeGate } from './opencode/harness.ts';
import { piGate } from './pi/harness.ts';
import { qwenGate } from './qwen/harness.ts';

/** All harnesses, in the order in which `--help` and messages name them. */
const HARNESSES = [
  claudeCodeGate,
  codexGate,
  geminiGate,
  qwenGate,
  opencodeGate,
  kiloGate,
  openclawGate,
  copilotGate,
  piGate,
  clineGate,
  kimiGate,
  cursorGate,
  gooseGate,
  hermesGate,
  grokGate,
  genericGate,
] as const;

export type HarnessName = (typeof HARNESSES)[number]['name'];
export type SupportedHarness = GatedHarness<HarnessName>;

export const HARNESS_NAMES: readonly HarnessName[] = HARNESSES.map(({ name }) => name);

/** Returns null if no harness has this name. */
export const findHarness = (wanted: string): SupportedHarness | null =>
  HARNESSES.find(({ name }) => name === wanted) ?? null;

/** The harnesses we know, by the name used on the command line. One folder each. */
import { claudeCodeGate } from './claude-code/harness.ts';
import { codexGate } from './codex/harness.ts';
import { copilotGate } from './copilot/harness.ts';
import type { GatedHarness } from './gated-harness.ts';
import { geminiGate } from './gemini/harness.ts';
import { genericGate } from './generic/harness.ts';
import { kiloGate } from './kilo/harness.ts';
import { openclawGate } from './openclaw/harness.ts';
import { opencodeGate } from './opencode/harness.ts';
import { piGate } from './pi/harness.ts';
import { qwenGate } from './qwen/harness.ts';

const HARNESSES = [
  ...[claudeCodeGate, codexGate, geminiGate, qwenGate, opencodeGate, kiloGate, openclawGate, copilotGate, piGate],
  genericGate,
] as const;

export type HarnessName = (typeof HARNESSES)[number]['name'];
export type InstalledHarness = GatedHarness<HarnessName>;

export const HARNESS_NAMES: readonly HarnessName[] = HARNESSES.map(({ name }) => name);

/** The harness of this name, or null. */
export const findHarness = (wanted: string): InstalledHarness | null =>
  HARNESSES.find(({ name }) => name === wanted) ?? null;

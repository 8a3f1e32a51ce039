/** How the gate is installed into each harness. The gate itself does not use this file. */
import { claudeCodeInstallation } from './claude-code/installation.ts';
import { clineInstallation } from './cline/installation.ts';
import { codexInstallation } from './codex/installation.ts';
import { copilotInstallation } from './copilot/installation.ts';
import { cursorInstallation } from './cursor/installation.ts';
import { geminiInstallation } from './gemini/installation.ts';
import { genericInstallation } from './generic/installation.ts';
import { gooseInstallation } from './goose/installation.ts';
import { grokInstallation } from './grok/installation.ts';
import type { HarnessInstallation } from './harness-installation.ts';
import type { HarnessName } from './harnesses.ts';
import { hermesInstallation } from './hermes/installation.ts';
import { kiloInstallation } from './kilo/installation.ts';
import { kimiInstallation } from './kimi/installation.ts';
import { openclawInstallation } from './openclaw/installation.ts';
import { opencodeInstallation } from './opencode/installation.ts';
import { piInstallation } from './pi/installation.ts';
import { qwenInstallation } from './qwen/installation.ts';

const INSTALLATIONS: Readonly<Record<HarnessName, HarnessInstallation>> = {
  'claude-code': claudeCodeInstallation,
  codex: codexInstallation,
  gemini: geminiInstallation,
  qwen: qwenInstallation,
  opencode: opencodeInstallation,
  kilo: kiloInstallation,
  openclaw: openclawInstallation,
  copilot: copilotInstallation,
  pi: piInstallation,
  cline: clineInstallation,
  kimi: kimiInstallation,
  cursor: cursorInstallation,
  goose: gooseInstallation,
  hermes: hermesInstallation,
  grok: grokInstallation,
  generic: genericInstallation,
};

export const installationOf = (harness: HarnessName): HarnessInstallation => INSTALLATIONS[harness];

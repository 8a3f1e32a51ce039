/** Which files the hooks of a harness are in. */
import { loadTomlReader } from '../platform/toml.ts';
import { planClaudeCode } from './claude-code-install.ts';
import { planCodex } from './codex-install.ts';
import { planGemini } from './gemini-install.ts';
import type { HarnessName } from './harnesses.ts';
import { type HookPlaces, type HookPlan, plan } from './hook-file.ts';
import { planOpenclaw } from './openclaw-install.ts';
import { planOpencode } from './opencode-install.ts';
import { planQwen } from './qwen-install.ts';

export async function planOf(harness: HarnessName, places: HookPlaces): Promise<HookPlan> {
  switch (harness) {
    case 'claude-code':
      return planClaudeCode(places);
    case 'codex':
      return planCodex(places, await loadTomlReader());
    case 'gemini':
      return planGemini(places);
    case 'qwen':
      return planQwen(places);
    case 'opencode':
      return planOpencode(places);
    case 'openclaw':
      return planOpenclaw(places);
    case 'generic':
      return plan([], []);
  }
}

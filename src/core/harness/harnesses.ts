/** All harnesses that we know, by name and by program. */
import type { ScreenReading } from '../message/screen-reading.ts';
import type { ScreenView } from '../message/session-view.ts';
import { claudeCode } from './claude-code.ts';
import { cline } from './cline.ts';
import { codex } from './codex.ts';
import { copilot } from './copilot.ts';
import { gemini } from './gemini.ts';
import { generic } from './generic.ts';
import type { Harness } from './harness.ts';
import { kilo } from './kilo.ts';
import { kimi } from './kimi.ts';
import { openclaw } from './openclaw.ts';
import { opencode } from './opencode.ts';
import { pi } from './pi.ts';
import { qwen } from './qwen.ts';
import { readScreenBy } from './screen-patterns.ts';
import { UNTRIED } from './untried.ts';

export const HARNESSES: readonly Harness[] = [
  claudeCode,
  codex,
  gemini,
  qwen,
  opencode,
  kilo,
  openclaw,
  copilot,
  pi,
  cline,
  kimi,
  ...UNTRIED,
  generic,
];

/** Returns null if no harness has this name. */
export const harnessNamed = (name: string): Harness | null => HARNESSES.find((one) => one.name === name) ?? null;

/** Returns the harness whose program is the first or the second word of argv (`node …/bin/qwen`); null: no known harness. */
export function harnessOf(argv: readonly string[]): Harness | null {
  for (const word of argv.slice(0, 2)) {
    const base = (word.split('/').at(-1) ?? '').replace(/\.(m?js|cjs|exe)$/, '');
    const found = HARNESSES.find(({ programs }) => programs.includes(base));
    if (found !== undefined) return found;
  }
  return null;
}

/** Returns `unknown` for a harness whose screen is not known. */
export const readScreen = (harness: Harness, view: ScreenView): ScreenReading =>
  harness.screen === null ? { kind: 'unknown' } : readScreenBy(harness.screen, view);

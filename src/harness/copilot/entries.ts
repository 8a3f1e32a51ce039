/** The hooks that we write for GitHub Copilot CLI. Copilot starts these hooks without a shell. */
import { join } from 'node:path';
import { ownOptions } from '../../core/grant/own-call.ts';
import type { HookPlaces } from '../hook-file.ts';
import { installationWordsFor } from '../own-lines.ts';

export const COPILOT_GATE = 'PreToolUse';
const DAY_S = 86_400;

export interface CopilotHook {
  readonly exec: string;
  readonly args: readonly string[];
  readonly [more: string]: unknown;
}

/** Returns our hook for this event: at `COPILOT_GATE` the hook that decides, else the hook that only reports. */
export const copilotHookAt = (event: string, places: HookPlaces): CopilotHook =>
  event === COPILOT_GATE
    ? {
        type: 'command',
        exec: join(places.dist, 'bin/hook-guard'),
        args: ['copilot', ...installationWordsFor(places)],
        timeoutSec: DAY_S,
      }
    : {
        type: 'command',
        exec: join(places.dist, 'bin/apes'),
        args: [...ownOptions(installationWordsFor(places)), 'hooks', 'report', 'copilot'],
        timeoutSec: 10,
      };

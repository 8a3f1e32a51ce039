/** The hooks that we write into settings of Claude Code. */
import type { HookEntry, HookPlaces } from '../hook-file.ts';
import { guardLineFor, reportLineFor } from '../own-lines.ts';

export const GATE = 'PreToolUse';

/** Returns our hook for this event: for `GATE` the hook that decides, for all other events the hook that reports. */
export const hookAt = (event: string, places: HookPlaces): HookEntry['hook'] =>
  event === GATE
    ? { type: 'command', command: guardLineFor(places, 'claude-code'), timeout: 60, onFailure: 'block' }
    : { type: 'command', command: reportLineFor(places, 'claude-code'), timeout: 10 };

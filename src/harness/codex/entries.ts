/** The hooks that we write for Codex. */
import type { HookEntry, HookPlaces } from '../hook-file.ts';
import { guardLineFor, reportLineFor } from '../own-lines.ts';

export const CODEX_GATE = 'PreToolUse';

/** Codex runs the tool when a hook's time is over. With a time of one day, it waits even for a guard that hangs. */
export const DAY_S = 86_400;

/** Returns our hook for this event: at `CODEX_GATE` the hook that decides, else the hook that only reports. */
export const codexHookAt = (event: string, places: HookPlaces): HookEntry['hook'] =>
  event === CODEX_GATE
    ? { type: 'command', command: guardLineFor(places, 'codex'), timeout: DAY_S }
    : { type: 'command', command: reportLineFor(places, 'codex'), timeout: 10 };

/** The hooks that we write for Codex. */
import type { HookEntry, HookPlaces } from '../hook-file.ts';
import { guardLineFor, reportLineFor } from '../own-lines.ts';

export const CODEX_GATE = 'PreToolUse';

/** When a hook times out, Codex runs the tool. The timeout is one day, so that Codex waits even for a guard that hangs. */
export const DAY_S = 86_400;

/** Returns our hook for this event. The hook for `CODEX_GATE` decides; every other hook only reports. */
export const codexHookAt = (event: string, places: HookPlaces): HookEntry['hook'] =>
  event === CODEX_GATE
    ? { type: 'command', command: guardLineFor(places, 'codex'), timeout: DAY_S }
    : { type: 'command', command: reportLineFor(places, 'codex'), timeout: 10 };

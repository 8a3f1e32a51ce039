/** The hook that we write for Cursor CLI, and the events for which it is called. */
import type { HookPlaces } from '../hook-file.ts';
import { guardLineFor } from '../own-lines.ts';

export const CURSOR_GATE = 'preToolUse';
/**
 * The hook is called for both events, so that commands stay gated even if Cursor never sends the first one. Two calls for one command do no
 * harm, because for a command the hook itself asks for no grant: it denies, and names the command to call instead.
 */
export const EVENTS: readonly string[] = [CURSOR_GATE, 'beforeShellExecution'];

export const cursorHook = (places: HookPlaces): object => ({
  command: guardLineFor(places, 'cursor'),
  timeout: 60,
  failClosed: true,
});

/** The hook that we write for Cursor CLI, and the events for which Cursor calls the hook. */
import type { HookPlaces } from '../hook-file.ts';
import { guardLineFor } from '../own-lines.ts';

export const CURSOR_GATE = 'preToolUse';
/**
 * The hook is installed for both events, so commands stay gated even if Cursor never sends `preToolUse`. Two calls for the same command
 * do no harm: the hook asks for no grant. The hook denies the command, and names a gated command to run instead.
 */
export const EVENTS: readonly string[] = [CURSOR_GATE, 'beforeShellExecution'];

export const cursorHook = (places: HookPlaces): object => ({
  command: guardLineFor(places, 'cursor'),
  timeout: 60,
  failClosed: true,
});

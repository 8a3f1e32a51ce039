/**
 * The first thing both programs do: receive the call from the launcher, and make sure that a signal or a crash ends in
 * the right status.
 */
import { EXIT_STATUS } from '../core/failure.ts';
import type { Started } from '../platform/installation.ts';
import { Launcher, LauncherGone, NotCalledByLauncher, readCaller } from '../platform/launcher.ts';

/** Signal numbers are the same on Linux and macOS for these. */
export const FATAL_SIGNALS: ReadonlySet<number> = new Set([1, 2, 3, 15]);

/**
 * Node's own handlers for the terminal's signals are taken out of the way: the launcher catches them and tells us, and
 * until there is a listener we die of them, as the caller expects of a shell.
 */
export function startedBy(program: string): Started {
  try {
    const caller = readCaller();
    const timeZone = caller.environment.get('TZ')?.toString('utf8');
    if (timeZone !== undefined) process.env['TZ'] = timeZone;
    const door = new Launcher();
    for (const name of ['SIGINT', 'SIGQUIT', 'SIGTERM', 'SIGHUP', 'SIGPIPE'] as const)
      process.on(name, () => undefined);
    door.onGone(() => process.reallyExit(EXIT_STATUS.software));
    process.on('uncaughtException', (error) => {
      process.stderr.write(`${program}: internal error: ${error.message}; nothing ran; please report this\n`);
      if (caller.environment.has('APES_DEBUG')) process.stderr.write(`${error.stack}\n`);
      void door.exit(EXIT_STATUS.software);
    });
    return { caller, door };
  } catch (error) {
    // The process that killed it needs no message from us, and a hook's reason stays the only text.
    if (error instanceof LauncherGone) process.exit(EXIT_STATUS.software);
    if (!(error instanceof NotCalledByLauncher)) throw error;
    process.stderr.write(`${program}: start dist/bin/${program}, not this file\n`);
    process.exit(EXIT_STATUS.usage);
  }
}

/** Without another listener, a fatal signal ends the caller's process by that very signal. */
export function dieOfSignals(door: Launcher): () => void {
  return door.onSignal((signal) => {
    if (FATAL_SIGNALS.has(signal)) void door.die(signal);
  });
}

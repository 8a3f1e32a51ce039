/**
 * The first step of `apes` and `ape-shell`: receives the arguments and the environment from the launcher. Makes sure that the
 * program ends with the right status after a signal or a crash.
 */

import { EXIT_STATUS } from '../core/failure.ts';
import { visibleText } from '../core/text/visible-text.ts';
import type { Started } from '../platform/installation.ts';
import { Launcher, LauncherGone, NotCalledByLauncher, readCaller } from '../platform/launcher.ts';
import { errorCode } from '../platform/private-files.ts';

/** SIGHUP, SIGINT, SIGQUIT and SIGTERM. These signals have the same numbers on Linux and macOS. */
export const FATAL_SIGNALS: ReadonlySet<number> = new Set([1, 2, 3, 15]);

/**
 * Receives the arguments and the environment from the launcher. Makes this process ignore SIGPIPE and the fatal signals. The launcher
 * reports each fatal signal to this process in a frame. Such a report ends the program only after `dieOfSignals` was called. If the
 * launcher did not start this process, prints how to start the program, and exits with 64. If the launcher was killed, exits with 70.
 * @param known says, for the message about a crash, whether something may have run
 */
export function startedBy(program: string, known: () => string): Started {
  try {
    const caller = readCaller();
    const timeZone = caller.environment.get('TZ')?.toString('utf8');
    if (timeZone !== undefined) process.env['TZ'] = timeZone;
    const launcher = new Launcher();
    for (const name of ['SIGINT', 'SIGQUIT', 'SIGTERM', 'SIGHUP', 'SIGPIPE'] as const)
      process.on(name, () => undefined);
    launcher.onGone(() => process.reallyExit(EXIT_STATUS.software));
    process.on('uncaughtException', (error) => {
      if (launcher.hasAnswered) return;
      const say = (text: string) => void process.stderr.write(visibleText(`${text}\n`));
      const code = errorCode(error);
      const isFull = code === 'EMFILE' || code === 'ENFILE';
      say(
        isFull
          ? `${program}: no more files can be opened (${code}); ${known()}; raise \`ulimit -n\` to 64 or more`
          : `${program}: internal error: ${error.message}; ${known()}; please report this`,
      );
      if (caller.environment.has('APES_DEBUG')) say(String(error.stack));
      void launcher.exit(EXIT_STATUS.software);
    });
    return { caller, launcher };
  } catch (error) {
    // The launcher was killed. This program prints nothing: it may be a hook, and a hook may print only the reason of the decision.
    if (error instanceof LauncherGone) process.exit(EXIT_STATUS.software);
    if (!(error instanceof NotCalledByLauncher)) throw error;
    process.stderr.write(`${program}: start dist/bin/${program}, not this file\n`);
    process.exit(EXIT_STATUS.usage);
  }
}

/**
 * After this call, a fatal signal ends this program. The launcher's process dies of the same signal. Returns a function that undoes this
 * setting. A program calls that function before it handles signals itself.
 */
export function dieOfSignals(launcher: Launcher): () => void {
  return launcher.onSignal((signal) => {
    if (FATAL_SIGNALS.has(signal)) void launcher.die(signal);
  });
}

/** The caller's terminal. The native launcher sets and restores the modes of the terminal. */
import { constants } from 'node:os';
import { WriteStream } from 'node:tty';
import type { Launcher } from '../platform/launcher.ts';
import { USUAL_SIZE, type UserTerminal } from './user-terminal.ts';

const { SIGHUP } = constants.signals;

/** `enterRaw` and `leaveRaw` resolve even if the mode could not be set. */
export function launcherTerminal(launcher: Launcher): UserTerminal {
  const gone = new Set<() => void>();
  const notifyGone = () => {
    for (const listener of gone) listener();
  };
  launcher.onGone(notifyGone);
  launcher.onSignal((signal) => {
    if (signal === SIGHUP) notifyGone();
  });
  return {
    // Opening standard input takes time. This getter delays the opening: bash has to start first.
    get input() {
      return process.stdin;
    },
    output: 1,
    size: () => {
      const { columns, rows } = process.stdout;
      return process.stdout instanceof WriteStream && columns > 0 && rows > 0 ? { columns, rows } : USUAL_SIZE;
    },
    onResize: (listener) => {
      process.stdout.on('resize', listener);
      return () => process.stdout.off('resize', listener);
    },
    enterRaw: async () => {
      await launcher.setRaw(true);
    },
    leaveRaw: async () => {
      await launcher.setRaw(false);
    },
    onGone: (listener) => {
      gone.add(listener);
      return () => gone.delete(listener);
    },
  };
}

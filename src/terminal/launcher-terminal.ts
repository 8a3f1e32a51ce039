/** The caller's terminal. The native launcher sets and restores its modes. */
import { constants } from 'node:os';
import { WriteStream } from 'node:tty';
import type { Launcher } from '../platform/launcher.ts';
import { USUAL_SIZE, type UserTerminal } from './user-terminal.ts';

const { SIGHUP } = constants.signals;

export function launcherTerminal(door: Launcher): UserTerminal {
  const gone = new Set<() => void>();
  const tellGone = () => {
    for (const listener of gone) listener();
  };
  door.onGone(tellGone);
  door.onSignal((signal) => {
    if (signal === SIGHUP) tellGone();
  });
  return {
    // A getter: opening standard input takes time, and bash is to be started before. So the first listener opens it.
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
      await door.setRaw(true);
    },
    leaveRaw: async () => {
      await door.setRaw(false);
    },
    onGone: (listener) => {
      gone.add(listener);
      return () => gone.delete(listener);
    },
  };
}

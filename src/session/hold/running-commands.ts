/**
 * Keeps track of the running commands that were started under a grant. The launcher becomes the command. So no process of ape-shell waits
 * for the end of the command. The resident gate keeps its own commands in memory. Every other process writes a file for each command that
 * the process has permitted. The resident gate reads these files.
 */
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../platform/clock.ts';
import type { Installation } from '../../platform/installation.ts';
import { ensurePrivateDirectory, errorCode, writePrivateFile } from '../../platform/private-files.ts';
import { isGone, type KnownProcess, readProcess } from './processes.ts';

/** @property startedAtMs when ape-shell recorded the process (Unix ms). The command starts at about this time */
export interface StartedCommand extends KnownProcess {
  readonly grantId: string;
  readonly startedAtMs: number;
}

/** The most commands in memory. If there are more, only the newest 2,500 running commands stay. Approvers cannot hold a dropped command. */
const MAX_REMEMBERED = 5_000;
const GRANT_ID = /^g_[A-Za-z0-9_-]{1,62}$/;

const commandDirectory = (runDirectory: string): string => join(runDirectory, 'commands');

/** Describes the process `pid`, which will become the command of this grant. Returns null if the process or /proc does not exist. */
export function startedCommand(grantId: string, pid: number, startedAtMs: number): StartedCommand | null {
  const entry = readProcess(pid);
  return entry === null ? null : { grantId, pid, startTicks: entry.startTicks, startedAtMs };
}

/** Writes the file for the resident gate. If the file cannot be written, the command still runs, but approvers cannot hold it. */
function noteCommand(runDirectory: string, command: StartedCommand): void {
  const directory = commandDirectory(runDirectory);
  if (ensurePrivateDirectory(directory) !== null) return;
  writePrivateFile(join(directory, String(command.pid)), JSON.stringify(command));
}

/**
 * Writes the file for a command that was started under a grant. Returns false and writes nothing in these cases: the settings allow no
 * resident gate; the process is gone; `grantId` or `pid` is null. Returns true even if the file could not be written.
 *
 * @param pid process id of the command's first process; null: the id is not known. Then approvers cannot hold the command
 */
export function noteStarted(
  { settings, paths }: Pick<Installation, 'settings' | 'paths'>,
  grantId: string | null,
  pid: number | null,
): boolean {
  if (!settings.shell.hasResidentGate || grantId === null || pid === null) return false;
  const command = startedCommand(grantId, pid, systemClock.nowMs());
  if (command !== null) noteCommand(paths.run, command);
  return command !== null;
}

const isAlive = (command: KnownProcess): boolean => !isGone(command);

export class RunningCommands {
  readonly #directory: string;
  #remembered: StartedCommand[] = [];

  constructor(runDirectory: string) {
    this.#directory = commandDirectory(runDirectory);
  }

  add(command: StartedCommand): void {
    this.#remembered.push(command);
    if (this.#remembered.length <= MAX_REMEMBERED) return;
    this.#remembered = this.#remembered.filter(isAlive).slice(-MAX_REMEMBERED / 2);
  }

  /** Returns the commands, in memory or in files, that have a running first process. Deletes faulty files and files of ended commands. */
  alive(): readonly StartedCommand[] {
    this.#remembered = this.#remembered.filter(isAlive);
    return [...this.#remembered, ...this.#noted()];
  }

  /** Writes a file for each command of `alive`. The next resident gate reads these files. */
  noteAll(runDirectory: string): void {
    for (const command of this.alive()) noteCommand(runDirectory, command);
  }

  #noted(): readonly StartedCommand[] {
    return filesIn(this.#directory).flatMap((path) => {
      const command = readCommand(path);
      if (command === 'unreadable') return [];
      if (command !== null && isAlive(command)) return [command];
      rmSync(path, { force: true });
      return [];
    });
  }
}

function filesIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory)
      .filter((name) => /^\d+$/.test(name))
      .map((name) => join(directory, name));
  } catch {
    return [];
  }
}

/** Returns null if the file is faulty or missing, and `unreadable` after any other error. */
function readCommand(path: string): StartedCommand | null | 'unreadable' {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    return errorCode(error) === 'ENOENT' ? null : 'unreadable';
  }
  try {
    const value = JSON.parse(text) as Partial<StartedCommand> | null;
    const { grantId, pid, startTicks, startedAtMs } = value ?? {};
    const isWhole = typeof grantId === 'string' && GRANT_ID.test(grantId);
    const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) > 0;
    if (!isWhole || !isCount(pid) || !isCount(startTicks) || !isCount(startedAtMs)) return null;
    return { grantId, pid, startTicks, startedAtMs };
  } catch {
    return null;
  }
}

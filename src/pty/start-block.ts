/** What the pty leader is told before it becomes bash; the format is told in `bin/pty-leader.c`. */

/** One `NAME=VALUE`, as bytes. */
export type EnvironmentBytes = readonly Buffer[];

/**
 * @property directory   where bash starts
 * @property file        absolute path of bash
 * @property argv        argv[0] included
 * @property environment the whole of it, byte for byte
 */
export interface Start {
  readonly directory: string;
  readonly file: string;
  readonly argv: readonly string[];
  readonly environment: EnvironmentBytes;
}

export function encodeStart(start: Start): Buffer {
  const strings = [start.directory, start.file, String(start.argv.length), ...start.argv, ...start.environment];
  const parts = strings.flatMap((part) => [Buffer.from(part), NUL]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(parts.reduce((sum, part) => sum + part.length, 0));
  return Buffer.concat([length, ...parts]);
}

const NUL = Buffer.alloc(1);

/** Our own variables never reach bash, except the one that names the installation. */
const isOurs = (name: string): boolean => /^APES?_/.test(name) && name !== 'APES_HOME';

/** The caller's variables without ours, then `extra`, which only the set-up text sees. */
export function environmentForBash(
  caller: Iterable<readonly [string, Buffer | string]>,
  extra: Readonly<Record<string, string>>,
): EnvironmentBytes {
  const entries: Buffer[] = [];
  for (const [name, value] of caller)
    if (!isOurs(name) && !Object.hasOwn(extra, name))
      entries.push(Buffer.concat([Buffer.from(`${name}=`), Buffer.from(value)]));
  for (const [name, value] of Object.entries(extra)) entries.push(Buffer.from(`${name}=${value}`));
  return entries;
}

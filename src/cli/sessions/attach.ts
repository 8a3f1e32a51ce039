/**
 * `apes sessions attach ID`: shows the program on this terminal and sends the typed keys to the program. Ends when the detach key is typed
 * or the program ends.
 */
import { type Failure, failure } from '../../core/failure.ts';
import { encodeFrame } from '../../platform/frames.ts';
import type { SessionClient } from '../../session/client/client.ts';
import { openSession } from '../../session/client/find-session.ts';
import { type SessionEntry, sessionDirectory } from '../../session/registry.ts';
import { newOption } from '../commander.ts';
import type { CliContext } from '../context.ts';
import { done, type Ending, ended, failing } from '../ending.ts';
import { endingWith } from '../opened.ts';
import { valueParser } from '../option-values.ts';
import { ownDevice, showOnTerminal, visitor } from './session-screen.ts';

/** The most bytes of typed keys in one frame. */
const MAX_KEYS = 1 << 16;

/** @param id the id of a session, the name of a session, or the beginning of an id or name */
export async function attachSession(context: CliContext, id: string, detachKeys: DetachKeys): Promise<Ending> {
  const noTerminal = terminalFailure(context);
  if (noTerminal !== null) return failing(noTerminal);
  return endingWith(context, async ({ paths }) => {
    const client = await openSession(sessionDirectory(paths), id);
    return client.ok ? attachHere(context, client.value, detachKeys) : failing(client.failure);
  });
}

/**
 * Ends with the exit status of the program, or with 128 + the number of the signal that ended the program. After the detach key, ends with
 * 0. Fails if the session refuses the request, or if the session is lost. Closes the client.
 */
export async function attachHere(context: CliContext, client: SessionClient, detachKeys: DetachKeys): Promise<Ending> {
  const { entry } = client;
  const name = entry.name ?? entry.id;
  const longest = Math.max(...detachKeys.map((key) => key.length));
  let sent = Buffer.alloc(0); // the last bytes: a slow connection can split the detach key
  const shown = await showOnTerminal(
    context,
    client,
    (keys) => {
      const typed = Buffer.concat([sent, keys]);
      const at = indexOfDetachKey(typed, detachKeys);
      sendKeys(client, typed.subarray(sent.length, at < 0 ? undefined : at));
      sent = typed.subarray(-longest);
      return at >= 0;
    },
    async (terminal) => {
      terminal.onResize(() => void client.ask('resize', { ...terminal.size() }));
      return client.ask('attach', { ...terminal.size(), device: ownDevice(), by: visitor() });
    },
  );
  if (shown.kind === 'lost') return failing(lostFailure(entry));
  if (shown.kind === 'refused') return failing(shown.failure);
  if (shown.kind === 'ended') {
    const { status, signal } = shown.ending;
    return ended(signal === 0 ? status : 128 + signal);
  }
  context.err(`apes: left ${name} running; to attach again: apes sessions attach ${name}\n`);
  return done;
}

function sendKeys(client: SessionClient, keys: Buffer): void {
  for (let at = 0; at < keys.length; at += MAX_KEYS) client.send(encodeFrame('K', keys.subarray(at, at + MAX_KEYS)));
}

/** The detach key as bytes. Each keyboard protocol has one entry. */
export type DetachKeys = readonly Buffer[];

const DEFAULT_LETTER = '\\';

export const detachKeyOption = () =>
  newOption('--detach-key <key>', 'a control key such as ^] or ^q')
    .argParser(
      valueParser(readDetachKey, (text) =>
        failure('usage', `--detach-key is ${text}`, 'write a control key such as ^] or ^q'),
      ),
    )
    .default(keysOf(DEFAULT_LETTER), `^${DEFAULT_LETTER}`);

function readDetachKey(text: string): DetachKeys | null {
  const letter = /^\^([@A-Za-z[\\\]^_])$/.exec(text)?.[1];
  return letter === undefined ? null : keysOf(letter.toLowerCase());
}

function keysOf(letter: string): DetachKeys {
  const code = letter.charCodeAt(0);
  const byte = Buffer.of(letter.toUpperCase().charCodeAt(0) & 0x1f);
  return [byte, Buffer.from(`\x1b[${code};5u`), Buffer.from(`\x1b[27;5;${code}~`)];
}

/** Returns the index of the first detach key in `keys`; -1: `keys` contains no detach key. */
function indexOfDetachKey(keys: Buffer, detachKeys: DetachKeys): number {
  const found = detachKeys.map((key) => keys.indexOf(key)).filter((at) => at >= 0);
  return found.length === 0 ? -1 : Math.min(...found);
}

/** Returns null if standard input and output are terminals; else a failure (exit status 64). */
export function terminalFailure(context: CliContext): Failure | null {
  return context.isTerminal(0) && context.isTerminal(1)
    ? null
    : failure('usage', 'attaching needs a terminal as standard input and output', 'see apes sessions watch --json');
}

export const lostFailure = (entry: SessionEntry): Failure =>
  failure(
    'unavailable',
    `the process that runs session ${entry.name ?? entry.id} (pid ${entry.pid}) is gone, and the program of the session is gone too`,
    undefined,
    'session.lost',
  );

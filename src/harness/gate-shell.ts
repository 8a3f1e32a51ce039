/** What becomes of a command that a harness is about to run: it runs through our shell, or not at all. */
import { decide, plainWords } from '../core/decision.ts';
import { commandInGatedCall, gatedCall } from '../core/own-call.ts';
import { resolveProgram } from '../platform/own-program.ts';
import type { InstalledHarness } from './harnesses.ts';

/** Absolute paths of our own programs. */
export interface OwnPrograms {
  readonly shell: string;
  readonly control: string;
}

export type ShellVerdict =
  /** It goes through the gate as it is. */
  | { readonly kind: 'as-it-is' }
  | { readonly kind: 'instead'; readonly command: string }
  | { readonly kind: 'denied'; readonly reason: string };

/** Linux takes 128 KiB for one argument, and the harness needs room around it. */
const MAX_CALL_LENGTH = 120_000;

export function gateShell(
  harness: InstalledHarness,
  command: string,
  own: OwnPrograms,
  environment: ReadonlyMap<string, Buffer>,
): ShellVerdict {
  if (command.includes('\0')) return deny('the command holds a NUL byte, which no shell can run');
  if (/\p{Surrogate}/u.test(command)) return deny('the command is not valid Unicode');
  if (commandInGatedCall(command, own.shell) !== null) return { kind: 'as-it-is' };
  if (harness.dialect.replace === null && isOwnControl(command, own.control)) return { kind: 'as-it-is' };
  const call = gatedCall(own.shell, command);
  const bytes = Buffer.byteLength(call);
  if (bytes > MAX_CALL_LENGTH)
    return deny(
      `the command is too long (${bytes} bytes with its quotes, at most ${MAX_CALL_LENGTH}); write it into a file`,
    );
  if (isShellOurs(harness, own.shell, environment)) return { kind: 'as-it-is' };
  if (harness.dialect.replace !== null) return { kind: 'instead', command: call };
  return deny(`${harness.title} runs commands past the gate. Call the tool again with exactly this command:\n${call}`);
}

/** Our own control program by its full path, with a call that needs no grant. Where commands are replaced, ours looks itself. */
function isOwnControl(command: string, control: string): boolean {
  const words = plainWords(command);
  if (words === null || words[0] !== control) return false;
  return decide({ words, isOurs: true, isRedefined: false }).kind === 'self-control';
}

/** The harness has the same environment as its hook: what it would find for its shell is what we find. */
function isShellOurs(harness: InstalledHarness, shell: string, environment: ReadonlyMap<string, Buffer>): boolean {
  const text = (name: string): string => environment.get(name)?.toString('utf8') ?? '';
  const real = resolveProgram(shell, '', '/');
  if (real === null) return false;
  if (harness.shellGates === 'path') return resolveProgram('bash', text('PATH'), '/') === real;
  return harness.shellGates === 'variable' && text('SHELL') !== '' && resolveProgram(text('SHELL'), '', '/') === real;
}

const deny = (reason: string): ShellVerdict => ({ kind: 'denied', reason });

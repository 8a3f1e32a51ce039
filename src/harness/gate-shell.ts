/** Decides about a command that a harness is about to run: the command runs through our shell, or not at all. */
import { gatedCall, type InstallationWords, readGatedCall, withoutBlanks } from '../core/grant/own-call.ts';
import { resolveProgram } from '../platform/own-program.ts';
import type { SupportedHarness } from './harnesses.ts';

/**
 * @property shell          the absolute path of `ape-shell`
 * @property installation   the words that name the installation of this gate; each call of `ape-shell` that we write contains them
 * @property isLedElsewhere whether the harness's environment variables name another installation
 */
export interface OwnPrograms {
  readonly shell: string;
  readonly installation: InstallationWords;
  readonly isLedElsewhere: boolean;
}

export type ShellVerdict =
  /** The harness may run the given command: the command is our own call, or the harness runs the command in our shell. */
  | { readonly kind: 'as-it-is' }
  /** The harness has to run `command` in place of the given command. */
  | { readonly kind: 'instead'; readonly command: string }
  | { readonly kind: 'denied'; readonly reason: string };

/** In bytes. Linux accepts 128 KiB for one argument, and the harness can add text to the call. */
const MAX_CALL_LENGTH = 120_000;

/** @param environment the environment of the hook, which the hook inherits from the harness */
export function gateShell(
  harness: SupportedHarness,
  command: string,
  own: OwnPrograms,
  environment: ReadonlyMap<string, Buffer>,
): ShellVerdict {
  if (command.includes('\0')) return deny('the command contains a NUL byte, which no shell can run');
  if (/\p{Surrogate}/u.test(command)) return deny('the command is not valid Unicode');
  const call = callFor(command, own);
  if (command === call) return { kind: 'as-it-is' };
  const bytes = Buffer.byteLength(call);
  if (bytes > MAX_CALL_LENGTH)
    return deny(
      `the command is too long (${bytes} bytes with its quotes, at most ${MAX_CALL_LENGTH}); write it into a file`,
    );
  if (isShellOurs(harness, own.shell, environment))
    return own.isLedElsewhere ? deny(LED_ELSEWHERE) : { kind: 'as-it-is' };
  if (harness.dialect.replace !== null) return { kind: 'instead', command: call };
  return deny(`${harness.title} runs commands past the gate. Call the tool again with exactly this command:\n${call}`);
}

/**
 * Returns the call that runs the command through the gate of this installation. If the command is already a call of this kind, returns the
 * command without its outer blanks. A call that names another installation does not count: the request would go to that installation.
 */
function callFor(command: string, own: OwnPrograms): string {
  const bare = withoutBlanks(command);
  const named = readGatedCall(bare, own.shell)?.installation;
  return named?.join('\0') === own.installation.join('\0') ? bare : gatedCall(own.shell, own.installation, command);
}

/**
 * The reason for a denial if the harness itself would start our shell and `isLedElsewhere` is true. The harness passes no words for the
 * installation: our shell would ask the installation that the variables name.
 */
const LED_ELSEWHERE =
  'variables of this agent (APES_HOME, HOME, XDG_*) lead to another installation of ape-shell, and not to the one that the hooks name; a human has to remove these variables from the settings of the agent, or call `apes hooks install` again';

/**
 * Whether the shell that the harness would start is ours. The hook has the harness's environment, and therefore finds the same shell as the
 * harness.
 */
function isShellOurs(harness: SupportedHarness, shell: string, environment: ReadonlyMap<string, Buffer>): boolean {
  const text = (name: string): string => environment.get(name)?.toString('utf8') ?? '';
  const real = resolveProgram(shell, '', '/');
  if (real === null) return false;
  if (harness.shellGates === 'path') return firstBash(text('PATH')) === real;
  const named = text('SHELL');
  return harness.shellGates === 'variable' && named.startsWith('/') && resolveProgram(named, '', '/') === real;
}

/**
 * Returns the real path of the first `bash` in the folders of `path`. Returns null in two cases: no folder has a `bash`, or a relative
 * folder comes before the first `bash`. The harness resolves a relative folder in a directory that the hook does not know.
 */
function firstBash(path: string): string | null {
  for (const folder of path.split(':')) {
    if (!folder.startsWith('/')) return null;
    const found = resolveProgram('bash', folder, '/');
    if (found !== null) return found;
  }
  return null;
}

const deny = (reason: string): ShellVerdict => ({ kind: 'denied', reason });

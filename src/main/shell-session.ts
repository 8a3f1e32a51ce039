/** Registers an interactive shell as a session: the owner can watch it from elsewhere, and type into it. */
import { join } from 'node:path';
import type { Journal } from '../audit/journal.ts';
import type { Installation } from '../platform/installation.ts';
import type { PseudoTerminal } from '../pty/pseudo-terminal.ts';
import { HostedSession } from '../session/host/hosted-session.ts';
import { publishSession } from '../session/host/publish-session.ts';
import { acceptLines } from '../session/message/typed-line.ts';
import { placeForSocket, sessionDirectory } from '../session/registry.ts';
import { startResident } from '../shell/start-resident.ts';
import type { UserTerminal } from '../terminal/user-terminal.ts';
import type { ShellSession } from './late-session.ts';
import type { SessionGate } from './session-gate.ts';

/**
 * Returns null if no private directory for the session's socket can be made, or if the session cannot be published. If the session is
 * published, and the settings allow a resident gate, this function also starts the resident gate.
 */
export async function openShellSession(
  installation: Installation,
  gate: SessionGate,
  terminal: UserTerminal,
): Promise<ShellSession | null> {
  const { facts } = gate;
  const directory = sessionDirectory(installation.paths);
  const path = placeForSocket(directory, facts.sessionId);
  if (!path.ok) return null;
  let bash: PseudoTerminal | null = null;
  const session = new HostedSession(
    {
      id: facts.sessionId,
      name: null,
      kind: 'shell',
      program: [installation.settings.shell.bash],
      cwd: process.cwd(),
      startedAtMs: facts.startedAtMs,
    },
    {
      pid: () => bash?.pid ?? null,
      device: () => bash?.device() ?? null,
      write: (keys) => void bash?.write(keys, () => undefined),
      readOutput: () => bash?.readOutput(),
      resize: (size) => bash?.resize(size),
      recall: async () => bash?.recall(),
      hangUp: () => bash?.hangUp(),
      kill: () => bash?.kill(),
    },
    terminal.size(),
    false,
  );
  session.pendingGrant = gate.waiting;
  acceptLines(session, gate.sent);
  terminal.onResize(() => session.resized(terminal.size()));
  let journal: Journal | null = null;
  // While the gate cannot be opened, there is no journal. Each call of `journal` below returns the result of the last try (null: that try
  // failed), and starts a new try for the next call.
  const openJournal = async (): Promise<void> => {
    journal = await gate.journal().catch(() => null);
  };
  await openJournal();
  const published = await publishSession({
    session,
    directory,
    path: path.value,
    peerPath: join(installation.dist, 'bin', 'peer-uid'),
    journal: () => {
      void openJournal();
      return journal;
    },
  });
  if (!published.ok) return null;
  const { settings, paths, caller, dist } = installation;
  // The resident gate carries out orders of approvers.
  if (settings.shell.hasResidentGate) void startResident(paths, caller.environment, dist);
  return {
    began: (began) => {
      bash = began;
    },
    screen: (chunk) => session.take(chunk),
    typed: () => session.typed(),
    atPrompt: (isAtPrompt) => {
      gate.sent.isAtPrompt = isAtPrompt;
    },
    isObserved: () => session.isObserved,
    close: (ending) => published.value.close(ending, false),
  };
}

/** Starts the agent behind `apes acp`, and relays messages between the editor and the agent until one of them ends. */

import { type Failure, failure } from '../core/failure.ts';
import { fault } from '../core/fault.ts';
import { failed, type Result } from '../core/result.ts';
import type { Settings } from '../core/settings.ts';
import type { FileGate } from '../gate/file-operation.ts';
import { startNamed, untilOneEnds } from '../mcp/proxy/start-named.ts';
import { askForAgent, refusalText } from './ask-gate.ts';
import { AcpRelay } from './relay.ts';

/**
 * @property argv     the agent's command
 * @property name     the name that the user gave to the agent; null: a name is made from `argv`
 * @property waitMs   how long a request waits for the decision; null: as the settings say
 * @property openGate opens the gate; called for each request, because the user can repair a fault while the agent runs
 * @property stopped  aborted when a fatal signal comes
 * @property complain takes one line for standard error, without its newline
 */
export interface AcpParts {
  readonly argv: readonly string[];
  readonly name: string | null;
  readonly waitMs: number | null;
  readonly environment: ReadonlyMap<string, Buffer>;
  readonly dist: string;
  readonly openGate: () => Promise<Result<{ readonly files: FileGate; readonly settings: Settings }, Failure>>;
  readonly stopped: AbortSignal;
  readonly complain: (line: string) => void;
}

/** Returns null after the editor closed its end, or after `stopped` was aborted. Fails if the agent ended or could not be started. */
export async function serveAcp(parts: AcpParts): Promise<Failure | null> {
  const started = startNamed({ ...parts, what: 'agent' });
  if (!started.ok) return started.failure;
  const { server: agent, child } = started.value;
  const relay = new AcpRelay({
    editor: { input: process.stdin, output: process.stdout },
    agent: child,
    complain: parts.complain,
    askGate: async (asked, cwd, talk) => {
      const opened = await parts.openGate();
      if (!opened.ok) return failed(fault(refusalText(opened.failure)));
      const { files, settings } = opened.value;
      return askForAgent({ files, agent, waitMs: parts.waitMs ?? settings.shell.waitTimeoutMs }, asked, cwd, talk);
    },
  });
  const why = await untilOneEnds(relay, child, parts.stopped);
  return why === null ? null : failure('system', `the agent ended: ${why}`, 'start it again');
}

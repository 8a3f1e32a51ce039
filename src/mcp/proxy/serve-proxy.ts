/** Starts the MCP server behind the proxy, and relays until the client or the server ends. */

import { type Failure, failure } from '../../core/failure.ts';
import { fault } from '../../core/fault.ts';
import { failed, type Result } from '../../core/result.ts';
import type { Settings } from '../../core/settings.ts';
import type { McpServerRule } from '../../core/tools/mcp-rule.ts';
import type { Gate } from '../../gate/authorize.ts';
import type { HostPlaces } from '../../gate/file-request.ts';
import { gateCall, refusedText } from './gated-call.ts';
import { Relay } from './relay.ts';
import { startNamed, untilOneEnds } from './start-named.ts';

/** The parts that decide about a call. The proxy opens these parts for each call: the settings can change while the proxy runs. */
interface OpenedGate {
  readonly gate: Gate;
  readonly settings: Settings;
  readonly places: HostPlaces;
  readonly rules: readonly McpServerRule[];
}

/**
 * @property argv    the server's command
 * @property name    the user's name for the server; null: the proxy makes a name from the command
 * @property waitMs  how long a call waits for the decision; null: the call does not wait; `setting`: the time in the settings
 * @property isSamplingAllowed whether the server is allowed to use the client's model
 * @property environment the caller's variables; the server does not get the variables of ape-shell (`withoutOwnVariables`)
 * @property dist    the directory of this package's built files
 * @property control the command for `apes` in our messages: the name, or the path if the name means another program
 * @property stopped aborted by a fatal signal
 * @property complain called with each line for the log
 */
export interface ProxyParts {
  readonly argv: readonly string[];
  readonly name: string | null;
  readonly waitMs: number | null | 'setting';
  readonly isSamplingAllowed: boolean;
  readonly environment: ReadonlyMap<string, Buffer>;
  readonly dist: string;
  readonly control: string;
  readonly openGate: () => Promise<Result<OpenedGate, Failure>>;
  readonly stopped: AbortSignal;
  readonly complain: (line: string) => void;
}

/**
 * Runs until the client or the server ends. Returns null if the client has closed its end, or `stopped` was aborted. Returns a failure if
 * the server has ended, or could not be started.
 */
export async function serveProxy(parts: ProxyParts): Promise<Failure | null> {
  const started = startNamed({ ...parts, what: 'server' });
  if (!started.ok) return started.failure;
  const { server, child } = started.value;
  const relay = new Relay({
    client: { input: process.stdin, output: process.stdout },
    server: child,
    isSamplingAllowed: parts.isSamplingAllowed,
    complain: parts.complain,
    askGate: async (wanted, talk) => {
      const opened = await parts.openGate();
      if (!opened.ok) return failed(fault(refusedText(opened.failure)));
      const { gate, settings, places, rules } = opened.value;
      const waitMs = parts.waitMs === 'setting' ? settings.shell.waitTimeoutMs : parts.waitMs;
      return gateCall({ gate, rules, places, server, waitMs, control: parts.control }, wanted, talk);
    },
    onAnswer: (grantId, end) => {
      void parts.openGate().then((opened) => {
        if (opened.ok) opened.value.gate.journal({ event: 'finished', grantId, end });
      });
    },
  });
  const why = await untilOneEnds(relay, child, parts.stopped);
  return why === null ? null : failure('system', `the MCP server ended: ${why}`, 'start it again');
}

/** Starts the server behind the proxy, and relays until one of the two sides ends. */
import { type Failure, failure } from '../../core/failure.ts';
import type { McpServerRule } from '../../core/mcp-rule.ts';
import { failed, type Result, success } from '../../core/result.ts';
import type { Settings } from '../../core/settings.ts';
import type { Gate } from '../../gate/authorize.ts';
import type { HostPlaces } from '../../gate/file-request.ts';
import type { StartedServer } from '../../gate/tool-request.ts';
import { withoutOwnVariables } from '../../platform/paths.ts';
import { filesOfCommand } from '../../platform/server-files.ts';
import { currentDirectory, matteringEnvironment } from '../../platform/surroundings.ts';
import { gateCall, refusedText } from './gated-call.ts';
import { Relay } from './relay.ts';
import { startMcpServer } from './server-process.ts';

/** What each call is judged with, opened anew for it: what is broken may be mended while the server runs. */
interface OpenedGate {
  readonly gate: Gate;
  readonly settings: Settings;
  readonly places: HostPlaces;
  readonly rules: readonly McpServerRule[];
}

/**
 * @property argv    the server's command
 * @property name    what its user calls it; null: after its program
 * @property waitMs  how long a call waits for the decision; null: not at all; `setting`: as the settings say
 * @property control how the reader of a text has to call `apes`
 * @property stopped aborted by a fatal signal
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

/** Null: the client went away, which is how it ends. A failure: the server did. */
export async function serveProxy(parts: ProxyParts): Promise<Failure | null> {
  const started = startNamed(parts);
  if (!started.ok) return started.failure;
  const { server, child } = started.value;
  const relay = new Relay({
    client: { input: process.stdin, output: process.stdout },
    server: child,
    isSamplingAllowed: parts.isSamplingAllowed,
    complain: parts.complain,
    askGate: async (wanted, talk) => {
      const opened = await parts.openGate();
      if (!opened.ok) return failed(refusedText(opened.failure));
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
  const stopped = new Promise<'client'>((resolve) => {
    parts.stopped.addEventListener('abort', () => resolve('client'), { once: true });
  });
  const clientOver = relay.fromClient().then(
    () => 'client' as const,
    () => 'client' as const,
  );
  const serverOver = Promise.race([relay.fromServer().catch(() => 'its output broke'), child.ended]);
  const over = await Promise.race([clientOver, stopped, serverOver]);
  if (over === 'client') {
    relay.leave();
    await child.stop();
    return null;
  }
  await child.stop();
  const why = `${over}, ${await child.ended}`;
  await relay.end(why);
  return failure('system', `the MCP server ended: ${why}`, 'start it again');
}

/** Its files are looked at before and after it was started: what stood there in between is what was started. */
function startNamed({ argv, name, environment, dist }: ProxyParts) {
  const cwd = currentDirectory();
  if (!cwd.ok) return cwd;
  const path = environment.get('PATH')?.toString('utf8') ?? '';
  const command = filesOfCommand(argv, path, cwd.value);
  if (!command.ok) return command;
  const { program, files } = command.value;
  const variables = withoutOwnVariables(environment);
  const child = startMcpServer({ file: program, argv }, cwd.value, variables, dist);
  if (!child.ok) return child;
  const again = filesOfCommand(argv, path, cwd.value);
  if (!again.ok || JSON.stringify(again.value) !== JSON.stringify(command.value)) {
    void child.value.stop();
    return failed(failure('refused', 'refused: a file of the server changed while it was started', 'start it again'));
  }
  const server: StartedServer = {
    name: name ?? nameOf(argv),
    argv,
    cwd: cwd.value,
    files,
    environment: matteringEnvironment(variables, ''),
  };
  return success({ server, child: child.value });
}

/** The package it comes from, where a word tells; else the program's own name, of `npx` and its like the program they run. */
function nameOf(argv: readonly string[]): string {
  const [first = '', ...rest] = argv;
  const isRunner = /(?:^|\/)(?:npx|bunx|uvx|node|python3?|deno|bun)$/.test(first);
  const word = isRunner ? (rest.find((each) => !each.startsWith('-')) ?? first) : first;
  const inPackage = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(word)?.[1];
  const isPackage = /^@[\w.-]+\/[\w.@-]+$/.test(word);
  const name = inPackage ?? (isPackage ? word : word.slice(word.lastIndexOf('/') + 1));
  return name.slice(0, 200) || 'server';
}

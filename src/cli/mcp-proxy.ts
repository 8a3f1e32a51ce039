/** `apes mcp-proxy -- SERVER…`: relays between an MCP client and an MCP server, and asks the gate for each tool call. */
import { join } from 'node:path';
import { success } from '../core/result.ts';
import { placesOf } from '../gate/file-operation.ts';
import { loadMcpRules } from '../platform/mcp-rule-files.ts';
import { isOwnControl } from '../platform/own-program.ts';
import type { CliContext, Register } from './context.ts';
import type { Ending } from './ending.ts';
import { withGate } from './opened.ts';
import { timeoutOf } from './option-values.ts';
import { abortedBySignal, endingOfService } from './stopped-by-signal.ts';

interface ProxyOptions {
  readonly name?: string;
  readonly wait?: true;
  readonly timeout?: number;
  readonly allowSampling?: true;
}

export const registerMcpProxy: Register = (program, context) => {
  program
    .enablePositionalOptions()
    .command('mcp-proxy')
    .description('start an MCP server behind the gate: its tools run when a grant covers the call')
    .option('--name <name>', 'the name of the server for approvers (default: the name of its package or program)')
    .option('--wait', 'a call waits for the decision')
    .option(
      '--timeout <duration>',
      'a call waits for the decision, at most this long (with --wait alone: shell.wait_timeout)',
      timeoutOf('--timeout'),
    )
    .option('--allow-sampling', "let the server send prompts to the client's model")
    .argument('<server...>', 'after --: the command of the server, which speaks MCP on its standard streams')
    .passThroughOptions()
    .action(context.settle((server: readonly string[], options: ProxyOptions) => proxy(context, server, options)));
};

async function proxy(context: CliContext, argv: readonly string[], options: ProxyOptions): Promise<Ending> {
  const waitMs = options.timeout ?? (options.wait === true ? 'setting' : null);
  const stopped = abortedBySignal(context);
  const { environment } = context.caller;
  const path = environment.get('PATH')?.toString('utf8') ?? '';
  const { serveProxy } = await import('../mcp/proxy/serve-proxy.ts');
  const ended = await serveProxy({
    argv,
    name: options.name ?? null,
    waitMs,
    isSamplingAllowed: options.allowSampling === true,
    environment,
    dist: context.dist,
    control: isOwnControl('apes', path, process.cwd(), context.dist) ? 'apes' : join(context.dist, 'bin/apes'),
    openGate: () => openGate(context),
    stopped,
    complain: (line) => context.err(`apes: mcp-proxy: ${line}\n`),
  });
  return endingOfService(context, ended);
}

const openGate = (context: CliContext) =>
  withGate(context, async (gate, installation) => {
    const { paths, settings } = installation;
    const rules = await loadMcpRules(context.dist, paths.configFile);
    return rules.ok ? success({ gate, settings, places: placesOf(installation), rules: rules.value }) : rules;
  });

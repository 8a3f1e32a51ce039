/**
 * `apes acp -- AGENT…`: relays between an editor and an agent (Agent Client Protocol). The agent's requests for permission go to the inbox.
 */
import { success } from '../core/result.ts';
import { openFileGate } from '../gate/file-operation.ts';
import type { CliContext, Register } from './context.ts';
import type { Ending } from './ending.ts';
import { withGate } from './opened.ts';
import { timeoutOf } from './option-values.ts';
import { abortedBySignal, endingOfService } from './stopped-by-signal.ts';

interface AcpOptions {
  readonly name?: string;
  readonly timeout?: number;
}

export const registerAcp: Register = (program, context) => {
  program
    .enablePositionalOptions()
    .command('acp')
    .description(
      'start an agent for an editor (Agent Client Protocol): its requests for permission wait in your inbox. Only ' +
        '`apes hooks` gates what the agent does without asking',
    )
    .option('--name <name>', 'the name of the agent for approvers (default: the name of its package or program)')
    .option(
      '--timeout <duration>',
      'how long a request waits for the decision (default: shell.wait_timeout)',
      timeoutOf('--timeout'),
    )
    .argument('<agent...>', 'after --: the command of the agent, which speaks the protocol on its standard streams')
    .passThroughOptions()
    .action(context.settle((agent: readonly string[], options: AcpOptions) => acp(context, agent, options)));
};

async function acp(context: CliContext, argv: readonly string[], options: AcpOptions): Promise<Ending> {
  const stopped = abortedBySignal(context);
  const { serveAcp } = await import('../acp/serve-acp.ts');
  const ended = await serveAcp({
    argv,
    name: options.name ?? null,
    waitMs: options.timeout ?? null,
    environment: context.caller.environment,
    dist: context.dist,
    openGate: () => openGate(context),
    stopped,
    complain: (line) => context.err(`apes: acp: ${line}\n`),
  });
  return endingOfService(context, ended);
}

const openGate = (context: CliContext) =>
  withGate(context, (gate, installation) =>
    success({ settings: installation.settings, files: openFileGate(gate, installation) }),
  );

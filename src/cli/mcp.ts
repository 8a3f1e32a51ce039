/** `apes mcp`: serves the gate as tools of the Model Context Protocol (MCP), over standard input and output. */
import { success } from '../core/result.ts';
import type { CliContext, Register } from './context.ts';
import type { Ending } from './ending.ts';
import { makeHoldable } from './make-holdable.ts';
import { withGate, withInstallation } from './opened.ts';
import { abortedBySignal, endingOfService } from './stopped-by-signal.ts';

export const registerMcp: Register = (program, context) => {
  program
    .command('mcp')
    .description('serve the gate to an MCP client over standard input and output')
    .action(context.settle(() => serveMcp(context)));
};

async function serveMcp(context: CliContext): Promise<Ending> {
  const stopped = abortedBySignal(context);
  const { serveProtocol } = await import('../mcp/protocol.ts');
  await serveProtocol({
    version: context.version,
    workplace: {
      dist: context.dist,
      environment: context.caller.environment,
      openSettings: () => withInstallation(context, ({ settings }) => success(settings)),
      openGate: () => withGate(context, success),
      noteStarted: async (grantId, pid) => {
        await withInstallation(context, async (installation) =>
          success(await makeHoldable(context, installation, grantId, pid)),
        );
      },
    },
    stopped,
    complain: (line) => context.err(`apes: mcp: ${line}\n`),
  });
  return endingOfService(context, null);
}

/**
 * `apes hooks report HARNESS [EVENT]`: called by the hook of a harness. It decides nothing, prints no result, and ends
 * soon.
 */
import type { Command } from 'commander';
import type { CliContext } from '../context.ts';
import { done, type Ending } from '../ending.ts';

export function registerHooksReport(hooks: Command, context: CliContext): void {
  hooks
    .command('report <harness> [event]')
    .description("tell the session what a harness's hook says on standard input; always exits 0, prints nothing")
    .action(
      context.settle(async (harness: string, event: string | undefined): Promise<Ending> => {
        const { reportHere } = await import('./report-here.ts');
        await reportHere(context, harness, event ?? null);
        return done;
      }),
    );
}

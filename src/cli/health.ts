/** `apes health`: is everything well? From any shell, with nothing healthy to begin with. */
import type { Command } from 'commander';
import { EXIT_STATUS } from '../core/failure.ts';
import type { CliContext, Register } from './context.ts';
import { type Ending, ended } from './ending.ts';
import type { Finding } from './health-check.ts';

export const registerHealth: Register = (program: Command, context: CliContext) => {
  program
    .command('health')
    .description('check everything; exit 0 only if all is well, else the exit status of the first failure')
    .option('--json', 'one JSON object')
    .action(context.settle((options: { json?: true }) => health(context, options.json === true)));
};

async function health(context: CliContext, isJson: boolean): Promise<Ending> {
  const { examine } = await import('./health-examination.ts');
  const hostFacts = await examine(context);
  const worst = hostFacts.find((finding) => finding.state === 'fail');
  const status = worst === undefined ? 0 : EXIT_STATUS[worst.code];
  context.out(isJson ? asJson(hostFacts, status) : asTable(hostFacts));
  return ended(status);
}

const asJson = (hostFacts: readonly Finding[], status: number): string =>
  `${JSON.stringify({ ok: status === 0, exitStatus: status, checks: hostFacts })}\n`;

const LABEL = { ok: 'ok  ', warn: 'warn', fail: 'FAIL' } as const;

function asTable(hostFacts: readonly Finding[]): string {
  const rows = hostFacts.map((finding) => {
    const advice = finding.advice === undefined ? '' : `; ${finding.advice}`;
    return `${LABEL[finding.state]}  ${finding.name.padEnd(14)}${finding.text}${advice}\n`;
  });
  return rows.join('');
}

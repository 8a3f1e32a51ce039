/** `apes health`: checks whether everything works. The command runs in any shell, even if the checked parts do not work. */
import type { Command } from 'commander';
import { failure } from '../../core/failure.ts';
import type { Paint } from '../colour.ts';
import type { CliContext, Register } from '../context.ts';
import { answering, answeringBut, type Ending } from '../ending.ts';
import type { Finding } from './check.ts';

export const registerHealth: Register = (program: Command, context: CliContext) => {
  program
    .command('health')
    .description('check everything; exit 0 if no check fails, else the exit status of the first failure')
    .option('--json', 'one JSON object')
    .action(context.settle(() => health(context)));
};

async function health(context: CliContext): Promise<Ending> {
  const { examine } = await import('./examination.ts');
  const checks = await examine(context);
  const firstFailure = checks.find((finding) => finding.state === 'fail');
  const text = `${asTable(checks, context.paint)}${await addressForPhone(context, checks)}`;
  if (firstFailure === undefined) return answering({ checks }, text);
  const { code, name, text: found, advice } = firstFailure;
  return answeringBut(failure(code, `${name}: ${found}`, advice), { checks }, text);
}

/** Returns the server's address for a phone, with a QR code. Empty if no phone can reach the server or standard output is no terminal. */
async function addressForPhone(context: CliContext, checks: readonly Finding[]): Promise<string> {
  const address = checks.find((finding) => finding.address !== undefined)?.address;
  if (address === undefined || !context.isTerminal(1)) return '';
  const { qrCode } = await import('../identity/qr-code.ts');
  return `\nOn a phone:\n  ${address}\n${qrCode(context, address)}`;
}

const LABEL = { ok: 'ok  ', warn: 'warn', fail: 'FAIL' } as const;

const COLOURS = { ok: 'green', warn: 'yellow', fail: 'red' } as const;

function asTable(checks: readonly Finding[], paint: Paint): string {
  const rows = checks.map((finding) => {
    const advice = finding.advice === undefined ? '' : `; ${finding.advice}`;
    return `${paint(COLOURS[finding.state], LABEL[finding.state])}  ${finding.name.padEnd(14)}${finding.text}${advice}\n`;
  });
  return rows.join('');
}

/** `apes login URL` asks a grant server to enrol this host; `apes logout` forgets the enrolment. */
import type { Command } from 'commander';
import { type Failure, failure } from '../../core/failure.ts';
import { failed, type Result, success } from '../../core/result.ts';
import type { CliContext, Register } from '../context.ts';
import { type Ending, failing } from '../ending.ts';
import { endingWith } from '../opened.ts';
import { valueParser } from '../option-values.ts';

interface LoginOptions {
  readonly name?: string;
  readonly json?: true;
  readonly insecureHttp?: true;
}

const MAX_NAME = 200;

const loginName = valueParser(
  (text) => {
    const name = text.trim();
    return name === '' || name.length > MAX_NAME ? null : name;
  },
  () => failure('usage', '--name is empty or too long', `write 1 to ${MAX_NAME} characters`),
);

export const registerLogin: Register = (program: Command, context: CliContext) => {
  program
    .command('login <url>')
    .description('ask the grant server at URL to enrol this host; an approver of that server confirms')
    .option('--name <name>', 'how approvers see this host (default: user@host)', loginName)
    .option('--insecure-http', 'allow http to another machine')
    .option('--json', 'one JSON object a line: pending, then the outcome')
    .action(context.settle((url: string, options: LoginOptions) => login(context, url, options)));
  program
    .command('logout')
    .description('forget the key, the enrolment and the token of this host')
    .option('--json', 'one JSON object')
    .action(context.settle(async () => (await import('./logout-here.ts')).logoutHere(context)));
};

async function login(context: CliContext, text: string, options: LoginOptions): Promise<Ending> {
  const url = serverOrigin(text, options.insecureHttp === true);
  if (!url.ok) return failing(url.failure);
  const { name } = options;
  return endingWith(context, async (installation) => {
    const { loginHere } = await import('./login-here.ts');
    return loginHere(context, installation, url.value, { name: name ?? null, isJson: options.json === true });
  });
}

/**
 * Returns the origin of the URL: scheme, host, port. Leaves out the path. Fails (64) in these cases:
 * - The text is no http or https URL.
 * - The URL has a user or a password.
 * - The URL is http to another machine, and `mayBeInsecure` is false.
 */
export function serverOrigin(text: string, mayBeInsecure: boolean): Result<string, Failure> {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '')
    return failed(
      failure(
        'usage',
        `${text} is no http or https URL, or has a user or a password`,
        'write it like https://grants.example.org',
      ),
    );
  if (url.protocol === 'http:' && !isLoopback(url.hostname) && !mayBeInsecure)
    return failed(
      failure(
        'usage',
        'over http everybody on the way can read each command, and change what an approver sees of it',
        'use https, or accept this risk: --insecure-http',
      ),
    );
  return success(url.origin);
}

const isLoopback = (hostname: string): boolean =>
  hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d+){3}$/.test(hostname);

/**
 * `apes up`: starts a grant server, enrols this host, prints a sign-in link. This file also has `apes up --status` and `apes down`.
 */
import type { Command } from 'commander';
import { failure } from '../../core/failure.ts';
import { locate } from '../../platform/paths.ts';
import { plainAddress } from '../../platform/web-origin.ts';
import type { CliContext, Register } from '../context.ts';
import { type Ending, failing } from '../ending.ts';
import { endingWith } from '../opened.ts';
import { portOf } from '../option-values.ts';

interface UpOptions {
  readonly port?: number;
  readonly status?: true;
  readonly publicUrl?: string;
  readonly replace?: true;
  readonly restart?: true;
}

export const registerUp: Register = (program: Command, context: CliContext) => {
  program
    .command('up')
    .description('start the grant server if no server runs, enrol this host, print a link to sign in')
    .option('--port <n>', 'the port; 0 lets the system choose; kept for later starts', portOf('--port'))
    .option(
      '--public-url <url>',
      'the address for approvers, https://NAME; kept for later starts, until --public-url none',
    )
    .option('--replace', 'give up the enrolment with another server')
    .option('--restart', 'end a running server, then start a server of this version')
    .option('--status', 'only print the status: exit 0 when the server runs, 69 when not')
    .option('--json', 'one JSON object')
    .action(context.settle((options: UpOptions) => up(context, options)));
  program
    .command('down')
    .description('stop the grant server of this installation')
    .option('--json', 'one JSON object')
    .action(context.settle(() => down(context)));
};

async function up(context: CliContext, options: UpOptions): Promise<Ending> {
  if (options.status === true && Object.keys(options).some((each) => each !== 'status' && each !== 'json'))
    return failing(failure('usage', '--status changes nothing, so it takes no other option', 'call apes up --status'));
  return endingWith(context, async (installation) => {
    if (options.status === true) return (await import('./status.ts')).serverStatus(installation);
    return (await import('./up-here.ts')).upHere(context, installation, {
      port: options.port ?? null,
      mayReplace: options.replace === true,
      mustRestart: options.restart === true,
      publicUrl: wantedUrl(options.publicUrl),
    });
  });
}

/**
 * Returns a plain URL (only scheme, host, port and path) in the form of `plainAddress`, because `upHere` compares the URL with the server's
 * record. This record has the same form. Returns every other text unchanged: `none`, or a text that the server refuses. Returns null if the
 * option was not given.
 */
const wantedUrl = (text: string | undefined): string | null =>
  text === undefined ? null : isPlainUrl(text) ? plainAddress(text) : text;

function isPlainUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { origin, username, password, search, hash } = new URL(text);
  return origin !== 'null' && username + password + search + hash === '';
}

/** Does not read the settings: `apes down` must stop the server even if the settings are broken. */
async function down(context: CliContext): Promise<Ending> {
  const paths = locate(context.caller.environment);
  if (!paths.ok) return failing(paths.failure);
  return (await import('./stop.ts')).stopHere(paths.value);
}

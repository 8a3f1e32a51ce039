/** `apes hooks certify [HARNESS…]`: tries the gate in each case with the agents of this machine, in a temporary HOME. */
import type { Command } from 'commander';
import { failure } from '../../core/failure.ts';
import type { CliContext } from '../context.ts';
import { type Ending, failing } from '../ending.ts';
import { addNotes } from '../notes.ts';
import { wholeNumberOf } from '../option-values.ts';

/** Agents are large programs: more agents at once would only wait for each other. */
const MAX_JOBS = 16;
const jobsValue = wholeNumberOf(1, MAX_JOBS, (text) =>
  failure('usage', `--jobs is ${text}`, `write a number from 1 to ${MAX_JOBS}`),
);

export interface CertifyOptions {
  readonly case?: readonly string[];
  readonly agents?: string;
  readonly jobs?: number;
  readonly report?: string;
  readonly verify?: string;
  readonly key?: string;
}

export function registerHooksCertify(hooks: Command, context: CliContext): void {
  const verb = hooks
    .command('certify [harness...]')
    .description(
      'try the gate in each case (pending, denied, server down, …) with the installed agents and a scripted model; needs no API keys and no network',
    )
    .option('--case <names>', 'only these cases, with commas between them', (text) => text.split(','))
    .option('--agents <directory>', 'try the agents that npm installed in this directory, in place of those in PATH')
    .option('--jobs <number>', 'how many agents to try at once (default: 1)', jobsValue)
    .option('--report <file>', 'write the results to this file, signed with the key of this host')
    .option('--verify <file>', 'read a report, check its signature, and run nothing')
    .option('--key <key>', 'with --verify: the public key of the expected signer')
    .option('--json', 'one JSON object')
    .action(context.settle((names: readonly string[], options: CertifyOptions) => certify(context, names, options)));
  addNotes(verb, [
    {
      title: 'Outcomes',
      rows: [
        ['ok', 'the case was seen, and a grant covers everything that happened'],
        ['OPEN', 'something happened that no grant covers'],
        [
          'FAILED',
          'something that should happen did not happen: an approved command did not run, or the model did not get the reason',
        ],
        ['not seen', 'no result: the agent is missing, does not start, or did not reach the case'],
        ['n.a.', 'the case does not apply; the reason is below the table'],
        'The exit status is 0 only if every cell is ok or n.a. NAME-managed tries the settings of the whole machine (root, Linux).',
      ],
    },
  ]);
}

async function certify(context: CliContext, names: readonly string[], options: CertifyOptions): Promise<Ending> {
  if (options.verify === undefined && options.key !== undefined)
    return failing(failure('usage', '--key belongs to --verify'));
  if (
    options.verify !== undefined &&
    (names.length > 0 ||
      [options.report, options.case, options.jobs, options.agents].some((each) => each !== undefined))
  )
    return failing(
      failure(
        'usage',
        '--verify only reads a report',
        'call it without harnesses, --case, --jobs, --agents and --report',
      ),
    );
  if (options.verify !== undefined)
    return (await import('./certify-verify.ts')).verifyReport(context, options.verify, options.key ?? null);
  return (await import('./certify-here.ts')).certifyHere(context, names, options);
}

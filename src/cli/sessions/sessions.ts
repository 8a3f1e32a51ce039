/** `apes sessions …`: lists, shows, joins, holds and ends sessions. A session is an interactive shell or a started program. */
import type { Register } from '../context.ts';
import { actOnSession, showRunning } from './act-on-running.ts';
import { attachSession, type DetachKeys, detachKeyOption } from './attach.ts';
import { killSession } from './kill.ts';
import { showSessions } from './list.ts';
import { showSession } from './show.ts';
import { printNoAnswer } from './silent.ts';
import { registerSessionStart } from './start.ts';
import { watchSession } from './watch.ts';

const ID = 'id or name of the session, or the beginning of either';

export const registerSessions: Register = (program, context) => {
  const sessions = program
    .command('sessions')
    .alias('session')
    .description(
      'the sessions of this user on this host: interactive shells, and programs that apes session start has started',
    );
  registerSessionStart(sessions, context);
  sessions
    .command('list')
    .description('every session, oldest first; a session that has ended stays listed for ten minutes')
    .option('--json', 'one JSON object')
    .action(context.settle(() => showSessions(context)));
  sessions
    .command('show')
    .argument('<id>', ID)
    .description('everything about one session, and its screen')
    .option('--json', 'one JSON object')
    .action(context.settle((id: string) => showSession(context, id)));
  sessions
    .command('watch')
    .argument('<id>', ID)
    .description('watch the screen of a session live; q or Ctrl-C leaves')
    .option('--json', 'the rendered screen, one JSON object for each change')
    .action(context.settle((id: string, options: { json?: true }) => watchSession(context, id, options.json === true)));
  sessions
    .command('attach')
    .argument('<id>', ID)
    .description('watch a session, and type into it; Ctrl-\\ leaves it running')
    .addOption(detachKeyOption())
    .action(
      context.settle((id: string, options: { detachKey: DetachKeys }) => attachSession(context, id, options.detachKey)),
    );
  sessions
    .command('silent <id> <why>', { hidden: true })
    .description('print that a session got a message and did not answer (called by the launcher)')
    .option('--json', 'one JSON object')
    .action(
      context.settle((id: string, why: string, options: { json?: true }) =>
        printNoAnswer(context, id, why, options.json === true),
      ),
    );
  sessions
    .command('running')
    .description('what runs on every connected host: sessions, and commands under grants (owner key)')
    .option('--json', 'one JSON object')
    .action(context.settle(() => showRunning(context)));
  for (const [verb, description] of [
    ['hold', 'stop all processes of a session, on any connected host, until `continue` (owner key)'],
    ['continue', 'let a held session go on (owner key)'],
  ] as const)
    sessions
      .command(verb)
      .argument('<id>', ID)
      .description(description)
      .option(
        '--json',
        'one JSON object: the number of processes, and each process that could not be held or continued',
      )
      .action(context.settle((id: string) => actOnSession(context, id, verb)));
  sessions
    .command('kill')
    .argument('<id>', ID)
    .description(
      'end a session: send SIGHUP, and SIGKILL after two seconds; for another host, this needs the owner key',
    )
    .option('--json', 'one JSON object: how the session ended')
    .action(context.settle((id: string) => killSession(context, id)));
};

/** `apes send SESSION TEXT`, `apes nudge SESSION [TEXT]`: sends a message to the program of a session, never an answer to a dialog. */

import { failure } from '../../core/failure.ts';
import type { SendMode } from '../../core/message/send-guard.ts';
import type { SendWay } from '../../core/message/send-outcome.ts';
import type { CliContext, Register } from '../context.ts';
import { type Ending, failing } from '../ending.ts';
import { addNotes, type Note } from '../notes.ts';
import { choiceOption, durationOf } from '../option-values.ts';

interface SendOptions {
  readonly file?: string;
  readonly waitIdle?: number;
  readonly via?: SendWay;
  readonly json?: true;
}

const NUDGE_TEXT = 'Please continue.';

const WAYS: readonly SendWay[] = ['api', 'keys'];

const viaOption = () =>
  choiceOption(
    '--via <way>',
    "how the message gets into the program (default: the agent's own message API where its plugin offers one, else keys)",
    WAYS,
    (text) => failure('usage', `--via is ${text}`, 'write api or keys'),
  );

const ENDS: readonly Note[] = [
  {
    title: 'Exit status',
    rows: [
      ['0', 'submitted: the program said that it took the message'],
      ['69', 'no such session, or it does not answer'],
      ['75', 'busy: try again later'],
      ['77', 'the program shows a dialog that needs a decision: a human answers it in the session itself'],
      ['79', 'delivered: the text left the editor, but the program has not confirmed it'],
      ['80', 'a half-typed line is in the session'],
      [
        '81',
        'not taken: the text is not submitted; if the text is already in the editor, repeat the call to submit it without typing it again',
      ],
      ['82', 'the program of the session has ended'],
      ['83', 'what the program is doing is not known'],
      ['64', 'the message is empty, too long, or a command of the program'],
    ],
  },
];

export const registerSend: Register = (program, context) => {
  const verb = program
    .command('send')
    .argument('<session>', 'id or name of the session, or the beginning of either')
    .argument('[text]', 'the message; - reads it from standard input')
    .description('deliver a message into the program of a session, and check that the program took the message')
    .option('--file <path>', 'read the message from a file')
    .option(
      '--wait-idle <duration>',
      "wait at most this long for the program's turn to end; if the turn does not end, report busy (75)",
      durationOf('--wait-idle'),
    )
    .addOption(viaOption())
    .option('--json', 'one JSON object')
    .action(
      context.settle((session: string, text: string | undefined, options: SendOptions) =>
        send(context, 'send', session, text, options),
      ),
    );
  addNotes(verb, ENDS);
  program
    .command('nudge')
    .argument('<session>', 'id or name of the session, or the beginning of either')
    .argument('[text]', 'the message', NUDGE_TEXT)
    .description(
      'like send, but for scripts and other programs that send a message; nudge is also refused while the agent waits for its human',
    )
    .addOption(viaOption())
    .option('--json', 'one JSON object')
    .action(
      context.settle((session: string, text: string, options: SendOptions) =>
        send(context, 'nudge', session, text, options),
      ),
    );
};

async function send(
  context: CliContext,
  mode: SendMode,
  session: string,
  text: string | undefined,
  options: SendOptions,
): Promise<Ending> {
  if ((text === undefined) === (options.file === undefined))
    return failing(
      failure('usage', 'exactly one message is needed', 'give TEXT, or - for standard input, or --file PATH'),
    );
  const { via, waitIdle: waitIdleMs = 0 } = options;
  const { sendHere } = await import('./send-here.ts');
  const source = options.file === undefined ? { text: text ?? '' } : { file: options.file };
  return sendHere(context, {
    mode,
    session,
    waitIdleMs,
    isJson: options.json === true,
    ...(via === undefined ? {} : { via }),
    ...source,
  });
}

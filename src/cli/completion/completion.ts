/** `apes completion bash|zsh|fish`: the completion of that shell, made from the tree of verbs. */
import { failure } from '../../core/failure.ts';
import { newArgument } from '../commander.ts';
import type { CliContext, Register } from '../context.ts';
import { answering, type Ending } from '../ending.ts';
import { addNotes } from '../notes.ts';
import { oneOf } from '../option-values.ts';
import type { COMPLETIONS } from './completions.ts';

type Shell = keyof typeof COMPLETIONS;
type NamesNow = 'grants' | 'sessions';

const SHELLS: readonly Shell[] = ['bash', 'zsh', 'fish'];
/** The kinds of names for which the completions call `apes completion`. */
const NAMES_NOW: readonly NamesNow[] = ['grants', 'sessions'];

export const registerCompletion: Register = (program, context) => {
  const completion = program
    .command('completion')
    .addArgument(
      newArgument('<what>')
        .choices(SHELLS)
        .argParser(
          oneOf([...SHELLS, ...NAMES_NOW], (text) =>
            failure('usage', `there is no completion for ${text}`, 'write bash, zsh or fish'),
          ),
        ),
    )
    .description('print the completion for bash, zsh or fish')
    .action(
      context.settle(async (what: Shell | NamesNow): Promise<Ending> => {
        if (what === 'grants' || what === 'sessions') return namesNow(context, what);
        const { COMPLETIONS } = await import('./completions.ts');
        const { readVerbs } = await import('../verb-tree.ts');
        const text = COMPLETIONS[what](readVerbs(program), context.version);
        return answering({ shell: what, text }, text);
      }),
    );
  addNotes(completion, [
    {
      title: 'Examples',
      rows: [
        'apes completion bash > ~/.local/share/bash-completion/completions/apes',
        'apes completion zsh > ~/.zsh/completions/_apes    # a directory of $fpath, before compinit',
        'apes completion fish > ~/.config/fish/completions/apes.fish',
      ],
    },
  ]);
};

/** Prints names for the completions: one a line, with its description after a tab. On any failure, prints nothing. */
async function namesNow(context: CliContext, what: NamesNow): Promise<Ending> {
  const { grantNames, sessionNames } = await import('./completion-names.ts');
  const names = await (what === 'grants' ? grantNames(context) : sessionNames(context));
  return answering(
    names.map(([name, description]) => ({ name, description })),
    names.map((each) => `${each.join('\t')}\n`).join(''),
  );
}

/** `apes completion bash|zsh|fish`: makes the shell's completion script. The tree of verbs is the source of the script. */
import { failure } from '../../core/failure.ts';
import { newArgument } from '../commander.ts';
import type { CliContext, Register } from '../context.ts';
import { answering, type Ending } from '../ending.ts';
import { addNotes } from '../notes.ts';
import { oneOf } from '../option-values.ts';
import type { COMPLETIONS } from './completions.ts';

type Shell = keyof typeof COMPLETIONS;
type NameKind = 'grants' | 'sessions';

const SHELLS: readonly Shell[] = ['bash', 'zsh', 'fish'];
/** The completion scripts call `apes completion KIND` to get the names of one kind. */
const NAME_KINDS: readonly NameKind[] = ['grants', 'sessions'];

export const registerCompletion: Register = (program, context) => {
  const completion = program
    .command('completion')
    .addArgument(
      newArgument('<what>')
        .choices(SHELLS)
        .argParser(
          oneOf([...SHELLS, ...NAME_KINDS], (text) =>
            failure('usage', `there is no completion for ${text}`, 'write bash, zsh or fish'),
          ),
        ),
    )
    .description('print the completion for bash, zsh or fish')
    .option('--json', 'one JSON object: the shell, and the text of its completion')
    .action(
      context.settle(async (what: Shell | NameKind): Promise<Ending> => {
        if (what === 'grants' || what === 'sessions') return namesOf(context, what);
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

/** Prints a line for each name: the name, a tab, and the description of the name. If the names cannot be read, prints nothing at all. */
async function namesOf(context: CliContext, kind: NameKind): Promise<Ending> {
  const { grantNames, sessionNames } = await import('./completion-names.ts');
  const names = await (kind === 'grants' ? grantNames(context) : sessionNames(context));
  return answering(
    names.map(([name, description]) => ({ name, description })),
    names.map((each) => `${each.join('\t')}\n`).join(''),
  );
}

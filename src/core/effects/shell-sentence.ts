/** Makes sentences for the approver about a command that the shell carries out itself, without a program. */
import type { SimpleCommand } from '../reading/reading.ts';
import type { RuleBook } from '../rules/rule.ts';

/** Returns the sentences for a command without a name: assignments, redirections, or the list of a `for` loop. */
export function sentencesOfShell(command: SimpleCommand): readonly string[] {
  const { assignments, mentions, redirections } = command;
  const opened = redirections.length === 0 ? [] : [OPENS];
  if (mentions !== undefined) return ['Sets a variable to each word of a list in turn.', ...opened];
  return assignments.length === 0 ? [OPENS] : ['Assigns variables in the shell.', ...opened];
}

const OPENS = 'Opens files in the shell.';

/** Uses the sentence of the builtin's rule file. If there is no rule file, makes a sentence with the builtin's name. */
export function sentencesOfBuiltin({ words, redirections }: SimpleCommand, rules: RuleBook): readonly string[] {
  const [word] = words;
  const name = word?.kind === 'literal' ? word.value : '';
  const does = rules.find(name)?.root.does ?? `Runs ${name}, a builtin of the shell.`;
  return redirections.length === 0 ? [does] : [does, OPENS];
}

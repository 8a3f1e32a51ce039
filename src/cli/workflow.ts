/** `apes workflow list | show ID`: the protocols, for an agent to read. */
import type { Command } from 'commander';
import { failure } from '../core/failure.ts';
import type { CliContext, Register } from './context.ts';
import { done, type Ending, failing } from './ending.ts';

export const registerWorkflow: Register = (program: Command, context: CliContext) => {
  const workflow = program.command('workflow').description('how to work with grants, for agents');
  workflow
    .command('list')
    .description('their names')
    .option('--json', 'one JSON array')
    .action(context.settle((options: { json?: true }) => list(context, options.json === true)));
  workflow
    .command('show <id>')
    .description('one of them, whole')
    .option('--json', 'one JSON object')
    .action(context.settle((id: string, options: { json?: true }) => show(context, id, options.json === true)));
};

async function list(context: CliContext, isJson: boolean): Promise<Ending> {
  const { WORKFLOWS } = await import('./workflows.ts');
  const rows = WORKFLOWS.map(({ id, title }) => ({ id, title }));
  context.out(
    isJson ? `${JSON.stringify(rows)}\n` : rows.map(({ id, title }) => `${id.padEnd(16)}${title}\n`).join(''),
  );
  return done;
}

async function show(context: CliContext, id: string, isJson: boolean): Promise<Ending> {
  const { WORKFLOWS } = await import('./workflows.ts');
  const found = WORKFLOWS.find((workflow) => workflow.id === id);
  if (found === undefined) {
    const ids = WORKFLOWS.map((workflow) => workflow.id).join(', ');
    return failing(failure('usage', `there is no workflow ${id}`, `write one of ${ids}`));
  }
  context.out(isJson ? `${JSON.stringify(found)}\n` : `${found.title}\n\n${found.text}`);
  return done;
}

/** `apes workflow list | show ID`: the protocols, for an agent to read. */
import type { Command } from 'commander';
import { failure } from '../core/failure.ts';
import type { CliContext, Register } from './context.ts';
import { answering, type Ending, failing } from './ending.ts';

export const registerWorkflow: Register = (program: Command, context: CliContext) => {
  const workflow = program.command('workflow').description('how to work with grants, for agents');
  workflow
    .command('list')
    .description('their names')
    .option('--json', 'one JSON object')
    .action(context.settle(() => list()));
  workflow
    .command('show <id>')
    .description('one of them, whole')
    .option('--json', 'one JSON object')
    .action(context.settle((id: string) => show(id)));
};

async function list(): Promise<Ending> {
  const { WORKFLOWS } = await import('./workflows.ts');
  const rows = WORKFLOWS.map(({ id, title }) => ({ id, title }));
  return answering(rows, rows.map(({ id, title }) => `${id.padEnd(16)}${title}\n`).join(''));
}

async function show(id: string): Promise<Ending> {
  const { WORKFLOWS } = await import('./workflows.ts');
  const found = WORKFLOWS.find((workflow) => workflow.id === id);
  if (found === undefined) {
    const ids = WORKFLOWS.map((workflow) => workflow.id).join(', ');
    return failing(failure('usage', `there is no workflow ${id}`, `write one of ${ids}`));
  }
  return answering(found, `${found.title}\n\n${found.text}`);
}

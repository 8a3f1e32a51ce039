/** `apes workflow list | show ID`: prints the workflows. A workflow is a text that an agent follows step by step. */
import type { Command } from 'commander';
import { failure } from '../core/failure.ts';
import { newArgument } from './commander.ts';
import type { CliContext, Register } from './context.ts';
import { answering, type Ending } from './ending.ts';
import { valueParser } from './option-values.ts';
import { WORKFLOWS, type Workflow } from './workflows.ts';

const IDS = WORKFLOWS.map(({ id }) => id);

export const registerWorkflow: Register = (program: Command, context: CliContext) => {
  const workflow = program.command('workflow').description('for agents: how to work with grants');
  workflow
    .command('list')
    .description('the names of the workflows')
    .option('--json', 'one JSON object')
    .action(context.settle(() => list()));
  workflow
    .command('show')
    .addArgument(
      newArgument('<id>')
        .choices(IDS)
        .argParser(
          valueParser(
            (text) => WORKFLOWS.find(({ id }) => id === text),
            (text) => failure('usage', `there is no workflow ${text}`, `write one of ${IDS.join(', ')}`),
          ),
        ),
    )
    .description('the whole text of one workflow')
    .option('--json', 'one JSON object')
    .action(context.settle((workflow: Workflow) => show(workflow)));
};

async function list(): Promise<Ending> {
  const rows = WORKFLOWS.map(({ id, title }) => ({ id, title }));
  return answering(rows, rows.map(({ id, title }) => `${id.padEnd(16)}${title}\n`).join(''));
}

async function show(workflow: Workflow): Promise<Ending> {
  return answering(workflow, `${workflow.title}\n\n${workflow.text}`);
}

/** Builds the tree of verbs. `apes --help`, the completions and the man pages are made from this tree. */

import type { Command } from 'commander';
import { EXIT_MEANINGS, EXIT_STATUS, type FailureCode } from '../core/failure.ts';
import { versionFacts } from '../platform/version-facts.ts';
import { registerAcp } from './acp.ts';
import { registerApprovers } from './approvers/approvers.ts';
import { newProgram } from './commander.ts';
import { registerCompletion } from './completion/completion.ts';
import type { CliContext, Register } from './context.ts';
import { answering } from './ending.ts';
import { registerGate } from './gate.ts';
import { registerExplain } from './grants/explain.ts';
import { registerGrants } from './grants/grants.ts';
import { registerHealth } from './health/health.ts';
import { registerHooks } from './hooks/hooks.ts';
import { registerKey } from './identity/key.ts';
import { registerLogin } from './identity/login.ts';
import { registerOwner } from './identity/owner.ts';
import { registerWhoami } from './identity/whoami.ts';
import { registerMcp } from './mcp.ts';
import { registerMcpProxy } from './mcp-proxy.ts';
import { addNotes, type Note } from './notes.ts';
import { registerNotifications } from './notifications/notifications.ts';
import { registerPlan } from './plan/plan.ts';
import { registerRun } from './run.ts';
import { registerServe } from './server/serve.ts';
import { registerServer } from './server/server.ts';
import { registerUp } from './server/up.ts';
import { registerSend } from './sessions/send.ts';
import { registerSessions } from './sessions/sessions.ts';
import { registerShell } from './shell/verbs.ts';
import { registerWorkflow } from './workflow.ts';

/** The verbs by group, in the order of the help. */
const GROUPS: readonly (readonly [string, readonly Register[]])[] = [
  ['Ask and decide:', [registerGrants, registerPlan, registerExplain, registerRun, registerWorkflow]],
  [
    'Server and identity:',
    [
      registerUp,
      registerServe,
      registerServer,
      registerOwner,
      registerApprovers,
      registerLogin,
      registerKey,
      registerWhoami,
      registerNotifications,
      registerHealth,
    ],
  ],
  ['Agents and shells:', [registerHooks, registerMcp, registerMcpProxy, registerAcp, registerShell, registerGate]],
  ['Sessions:', [registerSessions, registerSend]],
];

const NOTES: readonly Note[] = [
  {
    title: 'Examples',
    rows: [
      ['apes up', 'start a grant server here, and print a sign-in link'],
      ['apes run -- git push', 'ask for a grant; while it is pending, exit with 75 and print the next call to make'],
      ['apes grants run ID --wait', 'wait for the decision, then run the command'],
      ['apes grants approve ID --for 1h', 'approve for one hour, with an owner key'],
    ],
  },
  {
    title: 'Exit status',
    rows: (Object.keys(EXIT_STATUS) as FailureCode[]).map((code) => [String(EXIT_STATUS[code]), EXIT_MEANINGS[code]]),
  },
  {
    title: 'Environment',
    rows: [
      ['APES_HOME', 'one directory for all files of ape-shell, in place of the usual directories'],
      ['NO_COLOR', 'no colours, not even on a terminal; CLICOLOR=0 and TERM=dumb have the same effect'],
    ],
  },
];

export function buildProgram(context: CliContext): Command {
  const program = newProgram('apes');
  program
    .description('Grants, health and the grant server of ape-shell.')
    .version(`apes ${context.version}`, '-V, --version', 'the version of this program; with --json as an object')
    .showSuggestionAfterError(true)
    .helpCommand(false);
  addNotes(program, NOTES);
  program.addHelpText(
    'after',
    'apes help VERB [VERB] prints the help of a verb; man apes-VERB shows it as a manual page.',
  );
  for (const [heading, registers] of GROUPS) {
    program.commandsGroup(heading);
    for (const register of registers) register(program, context);
  }
  program.commandsGroup('Help:');
  registerCompletion(program, context);
  program
    .command('version')
    .description('the version of this program')
    .option('--json', 'one JSON object')
    .action(context.settle(async () => versionAnswer(context)));
  program.command('help').argument('[verb...]').description('the help of a verb');
  return program;
}

export const versionAnswer = ({ version, build }: Pick<CliContext, 'version' | 'build'>) =>
  answering(versionFacts('apes', version, build), `apes ${version}\n`);

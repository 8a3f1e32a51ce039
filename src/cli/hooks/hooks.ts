/** `apes hooks …`: installs and checks two things for agent harnesses: the gate, and the reports of an agent's activity. */
import type { Register } from '../context.ts';
import { registerHooksCertify } from './certify.ts';
import { registerHooksCheck } from './check.ts';
import { registerHooksGate } from './gate.ts';
import { registerHooksInstall } from './install.ts';
import { registerHooksReport } from './report.ts';
import { registerHooksSocket } from './socket.ts';

export const registerHooks: Register = (program, context) => {
  const hooks = program
    .command('hooks')
    .description('gate the tools of an agent harness, and follow what the agent does');
  registerHooksInstall(hooks, context);
  registerHooksCheck(hooks, context);
  registerHooksCertify(hooks, context);
  registerHooksGate(hooks, context);
  registerHooksReport(hooks, context);
  registerHooksSocket(hooks, context);
};

/** `apes hooks …`: the gate and the activity reports of agent harnesses. */
import type { Register } from './context.ts';
import { registerHooksCheck } from './hooks-check.ts';
import { registerHooksGate } from './hooks-gate.ts';
import { registerHooksInstall } from './hooks-install.ts';
import { registerHooksReport } from './hooks-report.ts';
import { registerHooksSocket } from './hooks-socket.ts';

export const registerHooks: Register = (program, context) => {
  const hooks = program.command('hooks').description("gate an agent harness's tools, and follow what it does");
  registerHooksInstall(hooks, context);
  registerHooksCheck(hooks, context);
  registerHooksGate(hooks, context);
  registerHooksReport(hooks, context);
  registerHooksSocket(hooks, context);
};

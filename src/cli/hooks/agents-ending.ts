/** For the verbs that run real agents: the PATH of the agents, and callbacks that end the agents when this process ends. */
import { SHIM_DIRECTORY } from '../../core/harness/shim-path.ts';
import type { CliContext } from '../context.ts';

/** Returns PATH without shim directories, because each agent gets its own shim directory. */
export const agentPath = ({ caller }: CliContext): string =>
  (caller.environment.get('PATH')?.toString('utf8') ?? '/usr/local/bin:/usr/bin:/bin')
    .split(':')
    .filter((folder) => !folder.endsWith(`/${SHIM_DIRECTORY}`))
    .join(':');

/**
 * Returns a function that registers a callback, and that returns a second function. The second function cancels the registration. At a
 * fatal signal, all registered callbacks are called, and then this process dies of the signal. When the launcher dies, all registered
 * callbacks are called too, perhaps twice.
 */
export function abandonOnEnd(context: CliContext): (abandon: () => void) => () => void {
  const open = new Set<() => void>();
  const abandon = () => {
    for (const each of open) each();
  };
  context.onFatalSignal((signal) => {
    abandon();
    void context.launcher.die(signal);
  });
  context.launcher.onGone(() => abandon());
  return (next) => {
    open.add(next);
    return () => open.delete(next);
  };
}

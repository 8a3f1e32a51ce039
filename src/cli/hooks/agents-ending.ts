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
 * Returns a function that registers a callback, and that returns a function to cancel the registration. A fatal signal calls all
 * registered callbacks, and then this process dies of the signal. The death of the launcher also calls them, perhaps twice.
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

/** For the verbs that run real agents: where the agents are found, and how the started processes are ended. */
import { SHIM_DIRECTORY } from '../../core/harness/shim-path.ts';
import type { CliContext } from '../context.ts';

/** Returns PATH without our directory of shims: each tried agent gets a shim directory of its own. */
export const agentPath = ({ caller }: CliContext): string =>
  (caller.environment.get('PATH')?.toString('utf8') ?? '/usr/local/bin:/usr/bin:/bin')
    .split(':')
    .filter((folder) => !folder.endsWith(`/${SHIM_DIRECTORY}`))
    .join(':');

/**
 * Returns a function that registers a callback and returns the function that cancels the registration. All registered callbacks are called
 * when the launcher has died, perhaps twice, and on a fatal signal. After a fatal signal, this process dies of the signal.
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

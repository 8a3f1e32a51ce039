/** What the verbs that drive real agents share: where those are, and how all that was started ends. */
import { SHIM_DIRECTORY } from '../../core/harness/shim-path.ts';
import type { CliContext } from '../context.ts';

/** Without the `bash` of ours that a person may have there: the agents of these trials get one of their own. */
export const agentPath = ({ caller }: CliContext): string =>
  (caller.environment.get('PATH')?.toString('utf8') ?? '/usr/local/bin:/usr/bin:/bin')
    .split(':')
    .filter((folder) => !folder.endsWith(`/${SHIM_DIRECTORY}`))
    .join(':');

/** A signal, or the end of the caller, ends all that was started, and then this process. */
export function whenEnded(context: CliContext): (abandon: () => void) => () => void {
  const open = new Set<() => void>();
  const abandon = () => {
    for (const each of open) each();
  };
  context.onFatalSignal((signal) => {
    abandon();
    void context.door.die(signal);
  });
  context.door.onGone(() => abandon());
  return (next) => {
    open.add(next);
    return () => open.delete(next);
  };
}

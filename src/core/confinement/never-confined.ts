/** Commands that always fail when they are confined. For such a command, the approver sees the reason, and no scope is offered. */
import type { Permission } from '../effects/permission.ts';

interface Obstacle {
  readonly appliesTo: (permission: Permission) => boolean;
  readonly why: string;
}

/**
 * Whether a command runs the tool, directly or through another tool: `python -m flake8` is an operation of python, and `uv run flake8` is
 * an operation of uv.
 */
const runs =
  (tool: string) =>
  ({ tool: own, operation }: Permission): boolean =>
    own === tool || [` -m ${tool}`, ` run ${tool}`].some((end) => operation.endsWith(end));

const OBSTACLES: readonly Obstacle[] = [
  {
    // A process that can connect to the docker daemon can make the daemon start an arbitrary program.
    appliesTo: ({ resources }) =>
      resources.some(
        ({ kind, access, value }) =>
          kind === 'container' || (kind === 'service' && access === 'contact' && value === 'docker'),
      ),
    why: 'talks to a daemon over a Unix socket, which no confined program can do',
  },
  { appliesTo: runs('systemctl'), why: 'talks to systemd over a Unix socket, which no confined program can do' },
  // The parent and the child process of tsx talk over a socket in /tmp/tsx-UID. Without the right to listen there, tsx exits.
  { appliesTo: runs('tsx'), why: 'listens on a Unix socket, which no confined program can do' },
  { appliesTo: runs('pkill'), why: 'signals processes outside its confinement, which no confined program can do' },
  { appliesTo: runs('ping'), why: 'needs a raw socket, which no confined program gets' },
  {
    appliesTo: ({ tool, options }) => tool === 'netstat' && options.includes('--interfaces'),
    why: 'asks for the interfaces through a datagram socket, which no confined program gets',
  },
];

/** Returns why the command can never be confined: the end of a sentence that begins "it …". Null: no obstacle is known. */
export const whyNeverConfined = (permission: Permission): string | null =>
  OBSTACLES.find(({ appliesTo }) => appliesTo(permission))?.why ?? null;

/** Commands that always fail when they are confined: no scope is offered for them, and the approver reads why. */
import type { Permission } from '../effects/permission.ts';

interface Need {
  readonly is: (permission: Permission) => boolean;
  readonly why: string;
}

/**
 * Whether a command runs the tool, by itself or through another tool: `python -m flake8` is an operation of python, and
 * `uv run flake8` one of uv.
 */
const runs =
  (tool: string) =>
  ({ tool: own, operation }: Permission): boolean =>
    own === tool || [` -m ${tool}`, ` run ${tool}`].some((end) => operation.endsWith(end));

const NEEDS: readonly Need[] = [
  {
    // Who may connect to a socket such as the docker daemon's can start any program through it.
    is: ({ resources }) =>
      resources.some(
        ({ kind, access, value }) =>
          kind === 'container' || (kind === 'service' && access === 'contact' && value === 'docker'),
      ),
    why: 'talks to a daemon over a Unix socket, which no confined program can do',
  },
  { is: runs('systemctl'), why: 'talks to systemd over a Unix socket, which no confined program can do' },
  // The parent and the child process of tsx talk over a socket in /tmp/tsx-UID; if tsx may not listen there, it ends.
  { is: runs('tsx'), why: 'listens on a Unix socket, which no confined program can do' },
  { is: runs('pkill'), why: 'signals processes outside, which no confined program can do' },
  { is: runs('ping'), why: 'needs a raw socket, which no confined program gets' },
  {
    is: ({ tool, options }) => tool === 'netstat' && options.includes('--interfaces'),
    why: 'asks for the interfaces through a datagram socket, which no confined program gets',
  },
];

/** Returns why the command can never be confined, as the end of a sentence that begins "it …"; null: there is no such reason. */
export const whyNeverHeld = (permission: Permission): string | null =>
  NEEDS.find(({ is }) => is(permission))?.why ?? null;

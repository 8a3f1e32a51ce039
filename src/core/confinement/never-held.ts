/** What fails whenever it is confined: no scope is offered for it, and the approver reads why. */
import type { Permission } from '../effects/permission.ts';

interface Need {
  readonly is: (permission: Permission) => boolean;
  readonly why: string;
}

/** `python -m flake8` is an operation of python's, `uv run flake8` one of uv's. */
const runs =
  (tool: string) =>
  ({ tool: own, operation }: Permission): boolean =>
    own === tool || [` -m ${tool}`, ` run ${tool}`].some((end) => operation.endsWith(end));

const NEEDS: readonly Need[] = [
  {
    // Through a socket such as the docker daemon's, every process that may connect starts what it likes.
    is: ({ resources }) =>
      resources.some(
        ({ kind, access, value }) =>
          kind === 'container' || (kind === 'service' && access === 'contact' && value === 'docker'),
      ),
    why: 'talks to a daemon over a Unix socket, which nothing that is confined can',
  },
  { is: runs('systemctl'), why: 'talks to systemd over a Unix socket, which nothing that is confined can' },
  { is: runs('pkill'), why: 'signals processes outside, which nothing that is confined can' },
  { is: runs('ping'), why: 'needs a raw socket, which nothing that is confined gets' },
  {
    is: ({ tool, options }) => tool === 'netstat' && options.includes('--interfaces'),
    why: 'asks for the interfaces through a datagram socket, which nothing that is confined gets',
  },
  {
    // The processes that it divides its files among take turns with a semaphore in /dev/shm.
    is: runs('flake8'),
    why: 'makes shared memory in /dev/shm, which nothing that is confined may',
  },
];

/** The end of a sentence that begins "it …"; null where a confinement may fit it. */
export const whyNeverHeld = (permission: Permission): string | null =>
  NEEDS.find(({ is }) => is(permission))?.why ?? null;

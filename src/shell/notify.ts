/**
 * Notifies a person that a request waits: runs a shell command in the background. The facts of the request go into variables and JSON,
 * never into the command's text.
 */
import { join } from 'node:path';
import type { GrantView } from '../core/wire/grant-view.ts';

const DEADLINE_SECONDS = 10;
/**
 * The most characters of the requested command in `APES_GRANT_COMMAND`: execve(2) allows 128 KiB for one string, and limits the
 * environment as a whole.
 */
const MAX_VARIABLE = 8192;

/**
 * The most characters of the requested command in the JSON. With this limit the JSON usually fits into a pipe, so this process does not
 * wait for a slow reader.
 */
const MAX_JSON_TEXT = 16_384;

/** The most files in the JSON. A person recognises a patch of hundreds of files by its first files. */
const MAX_FILES = 20;

/** Shortens the command and the list of files. If the command or the list was too long, `isClipped` is true and `argv` is empty. */
function clipped(grant: GrantView): GrantView & { readonly isClipped: boolean } {
  const { files } = grant.request;
  const isClipped = grant.request.text.length > MAX_JSON_TEXT || (files?.length ?? 0) > MAX_FILES;
  const request = {
    ...grant.request,
    text: grant.request.text.slice(0, MAX_JSON_TEXT),
    argv: isClipped ? [] : grant.request.argv,
    ...(files === undefined ? {} : { files: files.slice(0, MAX_FILES) }),
  };
  // Only the requester's terminal shows the number `match`. If the notification contained `match`, an approver would pick this number
  // without reading the request.
  const { match: _match, ...shownGrant } = grant;
  return { ...shownGrant, request, isClipped };
}

/** Returns the path of the file about the last notification command: its exit status, end time (Unix s) and end of standard error. */
export const lastNotificationPath = (state: string): string => join(state, 'notification');

/**
 * A script for `sh`. $0: the deadline program; $1: the command; $2: the file of `lastNotificationPath`. `apes health` shows this file. The
 * command has no terminal, so without the file people would not see a failure of the command.
 */
const RUN_AND_NOTE = `umask 077
"$0" ${DEADLINE_SECONDS} /bin/sh -c "$1" >/dev/null 2>"$2.$$"
status=$?
{ echo "$status $(command -p date +%s)"; command -p tail -c 300 "$2.$$"; } >"$2.$$.new"
command -p mv -f "$2.$$.new" "$2"
command -p rm -f "$2.$$"`;

/** Starts `command` detached, and does not wait for its end. After 10 s, the command is killed. A failure has no effect on the caller. */
export async function notifyPending(
  command: string,
  grant: GrantView,
  environment: ReadonlyMap<string, Buffer>,
  { dist, state }: { readonly dist: string; readonly state: string },
): Promise<void> {
  const facts: Record<string, string> = {
    APES_GRANT_ID: grant.id,
    APES_GRANT_URL: grant.url,
    APES_GRANT_COMMAND: grant.request.text.replaceAll('\0', '').slice(0, MAX_VARIABLE),
    APES_GRANT_CWD: grant.request.cwd,
    APES_GRANT_HOST: grant.request.host,
    APES_GRANT_USER: grant.request.user,
    APES_GRANT_REQUESTER: grant.requesterName,
    APES_GRANT_REASON: grant.reason ?? '',
    APES_GRANT_EXPIRES_AT: new Date(grant.expiresAtMs).toISOString(),
  };
  const inherited = [
    'PATH',
    'HOME',
    'USER',
    'LANG',
    'LC_ALL',
    'XDG_RUNTIME_DIR',
    'DBUS_SESSION_BUS_ADDRESS',
    'DISPLAY',
    'WAYLAND_DISPLAY',
    'TZ',
  ];
  const own = Object.fromEntries(
    inherited.flatMap((name) => {
      const value = environment.get(name)?.toString('utf8');
      return value === undefined ? [] : [[name, value]];
    }),
  );
  // The import takes 3 ms. A covered command does not need this import.
  const { spawn } = await import('node:child_process');
  try {
    const child = spawn(
      '/bin/sh',
      ['-c', RUN_AND_NOTE, join(dist, 'bin', 'deadline'), command, lastNotificationPath(state)],
      {
        detached: true,
        stdio: ['pipe', 'ignore', 'ignore'],
        env: { PATH: '/usr/local/bin:/usr/bin:/bin', ...own, ...facts },
        cwd: '/',
      },
    );
    child.on('error', () => undefined);
    child.stdin.on('error', () => undefined);
    child.stdin.end(`${JSON.stringify({ event: 'grant.pending', grant: clipped(grant) })}\n`);
    child.unref();
  } catch {
    // The system has no process or memory left. The request is filed nevertheless.
  }
}

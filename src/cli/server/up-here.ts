/** Runs the steps of `apes up` under a lock. Without the lock, two calls at the same time could make two servers and two keys. */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Failure, failure } from '../../core/failure.ts';
import { failed, type Result, success } from '../../core/result.ts';
import { type Identity, loadIdentity } from '../../grants/enrolment.ts';
import type { Installation } from '../../platform/installation.ts';
import { takeLock } from '../../platform/lock-file.ts';
import { ensurePrivateDirectory } from '../../platform/private-files.ts';
import { dismissResident } from '../../shell/start-resident.ts';
import type { CliContext } from '../context.ts';
import { answering, type Ending, failing } from '../ending.ts';
import { checkOwnServer, enrolHere } from '../identity/enrol-here.ts';
import { signInLink, signInText } from '../identity/sign-in.ts';
import { withLocalDatabase } from './local-database.ts';
import { findLocalServer, type LocalServer, type ServerRecord } from './local-server.ts';
import { keepPort, portToUse, publicUrlToUse } from './remembered-port.ts';
import { endServer } from './stop.ts';

/**
 * What `apes up` has to do. If `mustRestart` is false, `upHere` uses a server that runs already. `upHere` fails if this server has another
 * `port` or `publicUrl` than the wish. Null and port 0 fit every server.
 * @property port        null: see `portToUse`; 0: the system chooses the port
 * @property mayReplace  whether an enrolment with another server may be replaced by an enrolment with the server here
 * @property mustRestart whether a running server is ended first
 * @property publicUrl   the server's address for approvers.
 *                       Null: the address in the settings, else the last `--public-url`, else the server's own URL.
 *                       `none`: as null, but the last `--public-url` is forgotten first.
 */
export interface UpWish {
  readonly port: number | null;
  readonly mayReplace: boolean;
  readonly mustRestart: boolean;
  readonly publicUrl: string | null;
}

interface Up {
  readonly record: ServerRecord;
  readonly wasRunning: boolean;
  readonly identity: Identity;
  readonly link: string;
  /** Names the replaced enrolment in the message: `enrolment with URL` or `damaged enrolment`. Null: the message names none. */
  readonly replaced: string | null;
}

export async function upHere(context: CliContext, installation: Installation, wish: UpWish): Promise<Ending> {
  const { paths } = installation;
  for (const directory of [paths.state, paths.keys, paths.data]) {
    const wide = ensurePrivateDirectory(directory);
    if (wide !== null) return failing(wide);
  }
  const lock = await waitForLock(context, join(paths.state, 'up.lock'));
  if (!lock.ok) return failing(lock.failure);
  try {
    const outcome = await bringUp(installation, wish);
    if (!outcome.ok) return failing(outcome.failure);
    return answering(asData(outcome.value), asText(context, outcome.value));
  } finally {
    lock.value();
  }
}

const LOCK_TIMEOUT_MS = 40_000;
const LOCK_STEP_MS = 50;

async function waitForLock(context: CliContext, path: string): Promise<Result<() => void, Failure>> {
  for (let waitedMs = 0; ; waitedMs += LOCK_STEP_MS) {
    const lock = takeLock(path);
    if (lock.kind === 'taken') return success(lock.release);
    if (lock.kind === 'failed') return failed(lock.failure);
    if (waitedMs === 0) context.err(`apes: another \`apes up\` (pid ${lock.pid}) is running; waiting for it\n`);
    if (waitedMs >= LOCK_TIMEOUT_MS)
      return failed(
        failure('unavailable', `another \`apes up\` (pid ${lock.pid}) does not end`, `look at it: ps -p ${lock.pid}`),
      );
    await sleep(LOCK_STEP_MS);
  }
}

async function bringUp(installation: Installation, wish: UpWish): Promise<Result<Up, Failure>> {
  const foreign = await checkOwnServer(installation);
  if (foreign !== null && !wish.mayReplace) return failed(foreign);
  const replaced = foreign === null ? null : formerEnrolment(installation);
  const found = await serverNow(installation, wish);
  if (!found.ok) return found;
  const server = await useOrStart(installation, wish, found.value);
  if (!server.ok) return server;
  const record = server.value;
  const enrolled = await withLocalDatabase(record, async (store, administration) => {
    const identity = await enrolHere(installation, record, store, administration);
    if (!identity.ok) return identity;
    const link = await signInLink(record, store, administration);
    return link.ok ? success({ identity: identity.value, link: link.value }) : link;
  });
  if (!enrolled.ok) return enrolled;
  return success({ record, wasRunning: found.value.kind === 'running', replaced, ...enrolled.value });
}

/** Finds the server that runs here. If `mustRestart` is true, ends this server and returns `stopped`. */
async function serverNow({ paths }: Installation, { mustRestart }: UpWish): Promise<Result<LocalServer, Failure>> {
  const found = await findLocalServer(paths);
  if (!found.ok || !mustRestart || found.value.kind === 'stopped') return found;
  dismissResident(paths);
  const unended = await endServer(found.value);
  return unended === null ? success({ kind: 'stopped' }) : failed(unended);
}

/** Describes the enrolment that is stored now. */
function formerEnrolment({ paths }: Installation): string {
  const kept = loadIdentity(paths.keys, 'requester');
  return kept.ok ? `enrolment with ${kept.value.serverUrl}` : 'damaged enrolment';
}

async function useOrStart(
  installation: Installation,
  wish: UpWish,
  found: LocalServer,
): Promise<Result<ServerRecord, Failure>> {
  if (found.kind === 'silent')
    return failed(
      failure(
        'unavailable',
        `the server (pid ${found.record.pid}) runs, but does not answer at ${found.record.url}`,
        'apes down, then apes up',
      ),
    );
  if (found.kind === 'running') {
    if (wish.publicUrl !== null && addressFor(wish.publicUrl, installation, found.record) !== found.record.publicUrl)
      return failed(
        failure(
          'usage',
          `the server runs already, for approvers at ${found.record.publicUrl}`,
          `apes down, then apes up --public-url ${wish.publicUrl}`,
        ),
      );
    if (wish.port === null || wish.port === 0 || wish.port === found.record.port) return success(found.record);
    return failed(
      failure(
        'usage',
        `the server runs on port ${found.record.port} already`,
        `apes down, then apes up --port ${wish.port}`,
      ),
    );
  }
  const { startServer } = await import('./start.ts');
  const publicUrl = publicUrlToUse(installation, wish.publicUrl);
  const started = await startServer(installation, portToUse(installation, wish.port), publicUrl);
  if (started.ok) keepPort(installation, started.value.port, publicUrl);
  return started;
}

/** Returns the server's address for approvers after `apes up --public-url` with this value. */
const addressFor = (publicUrl: string, { settings }: Installation, { url }: ServerRecord): string =>
  publicUrl === 'none' ? (settings.serve.publicUrl ?? url) : publicUrl;

/** Whether another build of our program runs the server. A record without `build` comes from an older build. */
const isOtherBuild = ({ build }: CliContext, record: ServerRecord): boolean => record.build !== build;

const asData = ({ record, identity, link }: Up) => ({
  url: record.publicUrl,
  port: record.port,
  pid: record.pid,
  signInUrl: link,
  host: identity.host,
  requesterId: identity.subjectId,
});

function asText(context: CliContext, { record, wasRunning, identity, link, replaced }: Up): string {
  return [
    replaced === null ? '' : `The ${replaced} is given up.\n`,
    `The grant server ${wasRunning ? 'runs' : 'is started'}: ${record.publicUrl} (pid ${record.pid})\n`,
    isOtherBuild(context, record)
      ? `It was started by another build (${record.version}) than this one (${context.version}); to replace it: apes up --restart\n`
      : '',
    `This host is enrolled: ${identity.user}@${identity.host}\n`,
    `The person who signs in with this link approves or denies what ${identity.user} asks for.\n`,
    signInText(context, link),
    'Then give an agent ape-shell as its shell, or start ape-shell yourself.\n',
  ].join('');
}

/** What the owner does in the database of this installation's server. */
import { type Failure, failure } from '../../core/failure.ts';
import { loadIdentity, removeIdentity, saveIdentity } from '../../grants/enrolment.ts';
import { systemClock } from '../../platform/clock.ts';
import type { Installation } from '../../platform/installation.ts';
import { ensurePrivateDirectory } from '../../platform/private-files.ts';
import { currentHost, currentUser } from '../../platform/surroundings.ts';
import type { CliContext } from '../context.ts';
import { answering, type Ending, failing } from '../ending.ts';
import { ownDatabase, ownServer, withLocalDatabase } from '../server/local-database.ts';
import type { ServerRecord } from '../server/local-server.ts';
import { checkOwnServer } from './enrol-here.ts';
import { newPrivateKey, publicKeyOf } from './key-pair.ts';
import { signInLink, signInText } from './sign-in.ts';

export async function link(context: CliContext): Promise<Ending> {
  return withOwnServer(context, async (_installation, record) => {
    const made = await withLocalDatabase(record, (store, administration) => signInLink(record, store, administration));
    if (!made.ok) return failing(made.failure);
    return answering({ signInUrl: made.value }, signInText(context, made.value));
  });
}

export async function createKey(context: CliContext): Promise<Ending> {
  return withOwnServer(context, async (installation, record) => {
    const { keys } = installation.paths;
    const known = loadIdentity(keys, 'owner');
    if (known.ok && known.value.serverPublicKey === record.publicKey)
      return failing(
        failure(
          'usage',
          `there is an owner key here already (${known.value.name})`,
          'apes owner key remove forgets it',
        ),
      );
    const wide = ensurePrivateDirectory(keys);
    if (wide !== null) return failing(wide);
    const [host, user] = [currentHost(), currentUser()];
    const name = `owner key of ${user}@${host}`;
    const privateKey = newPrivateKey();
    const publicKey = publicKeyOf(privateKey) ?? '';
    const enrolled = await withLocalDatabase(record, (store, administration) =>
      administration.enrolApproverKey(store, { name, publicKey }),
    );
    if (!enrolled.ok) return failing(enrolled.failure);
    const server = { serverUrl: record.url, serverPublicKey: record.publicKey };
    const unsaved = saveIdentity(keys, 'owner', { ...server, subjectId: enrolled.value, name, host, user, privateKey });
    if (unsaved !== null) return failing(unsaved);
    context.err(
      `apes: warning: whatever runs as ${user} here can now approve what it asked for; keep agents under another user, or apes owner key remove\n`,
    );
    const path = `${keys}/owner.key`;
    return answering(
      { approverId: enrolled.value, name, path },
      `made (${path}); apes grants inbox shows what waits\n`,
    );
  });
}

export async function removeKey(context: CliContext): Promise<Ending> {
  const installation = await context.openInstallation();
  if (!installation.ok) return failing(installation.failure);
  const { keys } = installation.value.paths;
  const known = loadIdentity(keys, 'owner');
  if (!known.ok && known.failure.detail === 'no-owner-key') return answering({ wasThere: false }, 'there is none\n');
  const unrevoked = known.ok ? await revoke(installation.value, known.value.subjectId) : null;
  if (unrevoked !== null) return failing(unrevoked);
  removeIdentity(keys, 'owner');
  return answering({ wasThere: true }, 'removed\n');
}

/** In the database first: a copy of the key, wherever it lies, must not decide any more. */
async function revoke(installation: Installation, subjectId: string): Promise<Failure | null> {
  const database = await ownDatabase(installation);
  if (!database.ok) return database.failure;
  if (database.value === null) return null;
  const revoked = await withLocalDatabase({ database: database.value }, (store, administration) =>
    administration.revokeSubject(store, subjectId, { nowMs: systemClock.nowMs() }),
  );
  return revoked.ok ? null : revoked.failure;
}

async function withOwnServer(
  context: CliContext,
  work: (installation: Installation, record: ServerRecord) => Promise<Ending>,
): Promise<Ending> {
  const installation = await context.openInstallation();
  if (!installation.ok) return failing(installation.failure);
  const foreign = await checkOwnServer(installation.value);
  if (foreign !== null)
    return failing({ ...foreign, advice: 'its owner signs in there; here is nothing to sign in to' });
  const record = await ownServer(installation.value);
  return record.ok ? work(installation.value, record.value) : failing(record.failure);
}

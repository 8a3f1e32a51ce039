/** `apes hooks certify --verify FILE`: prints a report, and checks which key has signed the report. */
import { resolve } from 'node:path';
import { certificateTable } from '../../certify/certificate-table.ts';
import { readCertificate } from '../../certify/signed-certificate.ts';
import { failure } from '../../core/failure.ts';
import { loadIdentity } from '../../grants/enrolment.ts';
import { publicKeyOf } from '../../platform/key-pair.ts';
import { currentDirectory } from '../../platform/surroundings.ts';
import { readTextFile } from '../../run/source-text.ts';
import type { CliContext } from '../context.ts';
import { answering, answeringWithLine, type Ending, failing } from '../ending.ts';
import { withInstallation } from '../opened.ts';

/** @param wanted the key that must have signed; null: the key of this host */
export async function verifyReport(context: CliContext, file: string, wanted: string | null): Promise<Ending> {
  const cwd = currentDirectory();
  if (!cwd.ok) return failing(cwd.failure);
  const text = readTextFile(resolve(cwd.value, file));
  if (!text.ok) return failing(failure('usage', text.failure.message, 'name a file that --report wrote'));
  const read = readCertificate(text.value);
  if (!read.ok) return failing(read.failure);
  const { certificate, key } = read.value;
  const expected = wanted ?? (await ownKey(context));
  const data = { ...certificate, key, isExpectedKey: key === expected };
  const table = certificateTable(certificate);
  if (key === expected)
    return answering(
      data,
      `${table}signed with ${wanted === null ? 'the key of this host' : 'the given key'}, ${key}\n`,
    );
  const whose = wanted === null ? 'not the key of this host' : `not ${wanted}`;
  return answeringWithLine(
    failure(
      'refused',
      `the signature is valid, but it is by ${key}, ${whose}`,
      'compare this key with the key that you know, or give the known key with --key',
    ),
    data,
    table,
  );
}

/** Returns null if this host is not enrolled, or if its identity cannot be read. */
async function ownKey(context: CliContext): Promise<string | null> {
  const identity = await withInstallation(context, ({ paths }) => loadIdentity(paths.keys, 'requester'));
  return identity.ok ? publicKeyOf(identity.value.privateKey) : null;
}

/** Runs the cases, prints the table, and writes a signed report if the caller wants a report. */
import { type KeyObject, randomBytes } from 'node:crypto';
import { existsSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { type Certificate, failingCells } from '../../certify/certificate.ts';
import { certificateTable } from '../../certify/certificate-table.ts';
import { CASE_NAMES, certify, DRIVER_NAMES } from '../../certify/certify.ts';
import { readSigningKey, signCertificate } from '../../certify/signed-certificate.ts';
import { type Failure, failure } from '../../core/failure.ts';
import { failed, type Result, success } from '../../core/result.ts';
import { keyPath, loadIdentity } from '../../grants/enrolment.ts';
import { errorCode } from '../../platform/private-files.ts';
import { currentDirectory } from '../../platform/surroundings.ts';
import type { CliContext } from '../context.ts';
import { answering, answeringWithLine, type Ending, failing } from '../ending.ts';
import { withInstallation } from '../opened.ts';
import { abandonOnEnd, agentPath } from './agents-ending.ts';
import type { CertifyOptions } from './certify.ts';

/**
 * The ending has the failure `refused` if the outcome of a cell is neither `holds` nor `n.a.`.
 * @param names the harnesses; empty: all installed harnesses, without their `…-managed` variants
 */
export async function certifyHere(
  context: CliContext,
  names: readonly string[],
  options: CertifyOptions,
): Promise<Ending> {
  const cases = options.case ?? null;
  const unknown = unknownIn('harness', names, DRIVER_NAMES) ?? unknownIn('case', cases ?? [], CASE_NAMES);
  if (unknown !== null) return failing(unknown);
  const cwd = currentDirectory();
  if (!cwd.ok) return failing(cwd.failure);
  const agents = options.agents === undefined ? null : resolve(cwd.value, options.agents);
  if (agents !== null && !existsSync(agents)) return failing(failure('usage', `there is no directory ${agents}`));
  const report =
    options.report === undefined ? null : openReport(await keyOf(context), resolve(cwd.value, options.report));
  if (report !== null && !report.ok) return failing(report.failure);

  const { certificate, missing } = await certify({
    harnesses: names.length === 0 ? null : names,
    cases,
    agents,
    path: agentPath(context),
    apeShell: { version: context.version, build: context.build },
    jobs: options.jobs ?? 1,
    say: (text) => context.err(`apes: ${text}\n`),
    onOpen: abandonOnEnd(context),
  });
  if (certificate.harnesses.length === 0) {
    const where = agents === null ? 'in PATH' : `below ${agents}`;
    return failing(failure('configuration', `no agent was found ${where}`, `known: ${missing.join(', ')}`));
  }
  const unwritten = report === null ? null : report.value(certificate);
  if (unwritten !== null) return failing(unwritten);
  const absent = missing.length === 0 ? '' : `not installed: ${missing.join(', ')}\n`;
  const kept = options.report === undefined ? '' : `report: ${options.report}\n`;
  const text = `${certificateTable(certificate)}${absent}${kept}`;
  const data = { ...certificate, missing };
  const badCells = failingCells(certificate).length;
  return badCells === 0 ? answering(data, text) : answeringWithLine(notCertified(badCells), data, text);
}

const notCertified = (cells: number): Failure =>
  failure(
    'refused',
    `${cells} ${cells === 1 ? 'cell is' : 'cells are'} neither ok nor n.a.`,
    'the details are below the table',
    'certify.open',
  );

function unknownIn(noun: string, words: readonly string[], known: readonly string[]): Failure | null {
  const word = words.find((each) => !known.includes(each));
  return word === undefined ? null : failure('usage', `there is no ${noun} ${word}`, `known: ${known.join(', ')}`);
}

/** Returns the private key of this host's enrolment. */
const keyOf = (context: CliContext): Promise<Result<KeyObject, Failure>> =>
  withInstallation(context, ({ paths }) => {
    const identity = loadIdentity(paths.keys, 'requester');
    if (!identity.ok) return identity;
    const key = readSigningKey(identity.value.privateKey);
    if (key !== null) return success(key);
    const path = keyPath(paths.keys, 'requester');
    return failed(failure('configuration', `${path} is damaged`, 'enrol again: apes up, or apes login URL', 'damaged'));
  });

/**
 * Tries to write into the directory of the report. Call `openReport` before the cases run: an error must not come after an hour of work.
 * Returns a function that signs the certificate and writes the report. The function replaces an earlier report. The function returns null,
 * or why the report is not written.
 */
function openReport(
  key: Result<KeyObject, Failure>,
  path: string,
): Result<(certificate: Certificate) => Failure | null, Failure> {
  if (!key.ok) return key;
  const unusable = directoryFault(dirname(path));
  if (unusable !== null) return failed(unusable);
  if (directoryFault(path) === null)
    return failed(failure('usage', `${path} is a directory`, 'name a file for the report'));
  const fresh = `${path}.${randomBytes(6).toString('hex')}.new`;
  const unwritable = put(fresh, '', fresh);
  if (unwritable !== null) return failed(unwritable);
  rmSync(fresh, { force: true });
  return success((certificate) => put(fresh, signCertificate(certificate, key.value), path));
}

function directoryFault(path: string): Failure | null {
  try {
    const isDirectory = statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
    return isDirectory ? null : failure('usage', `there is no directory ${path}`);
  } catch (error) {
    return failure('usage', `cannot look at the directory ${path} (${errorCode(error)})`);
  }
}

function put(fresh: string, text: string, path: string): Failure | null {
  try {
    writeFileSync(fresh, text, { flag: 'wx', mode: 0o644 });
    if (fresh !== path) renameSync(fresh, path);
    return null;
  } catch (error) {
    rmSync(fresh, { force: true });
    return failure('system', `cannot write ${path} (${errorCode(error)})`);
  }
}

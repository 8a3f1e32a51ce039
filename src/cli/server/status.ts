/** `apes up --status`: exit status 0 if the server answers, 69 if not. */
import { type Failure, failure } from '../../core/failure.ts';
import type { Installation } from '../../platform/installation.ts';
import { answering, answeringBut, type Ending, failing } from '../ending.ts';
import { findLocalServer, type LocalServer } from './local-server.ts';

export async function serverStatus(installation: Installation): Promise<Ending> {
  const found = await findLocalServer(installation.paths);
  if (!found.ok) return failing(found.failure);
  const [data, text] = [asData(found.value), asText(found.value)];
  return found.value.kind === 'running' ? answering(data, text) : answeringBut(notRunning(found.value), data, text);
}

const notRunning = ({ kind }: LocalServer): Failure =>
  kind === 'stopped'
    ? failure('unavailable', 'no grant server runs here', 'apes up starts it')
    : failure('unavailable', 'the grant server here does not answer', 'apes down, then apes up');

function asText(found: LocalServer): string {
  if (found.kind === 'stopped') return 'stopped (apes up starts it)\n';
  const { url, pid, version, startedAt } = found.record;
  if (found.kind === 'silent') return `does not answer at ${url} (pid ${pid}); apes down, then apes up\n`;
  return `running at ${url} (pid ${pid}, version ${version}, since ${startedAt})\n`;
}

/** Leaves out the address of the database, because this address can contain a password. */
function asData(found: LocalServer): Record<string, unknown> {
  if (found.kind === 'stopped') return { state: 'stopped' };
  const { url, publicUrl, port, pid, version, startedAt } = found.record;
  return { state: found.kind, url, publicUrl, port, pid, version, startedAtMs: Date.parse(startedAt) };
}

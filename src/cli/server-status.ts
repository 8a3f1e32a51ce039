/** `apes up --status`: 0 when the server runs, 69 when it does not. */
import { EXIT_STATUS } from '../core/failure.ts';
import type { Installation } from '../platform/installation.ts';
import type { CliContext } from './context.ts';
import { done, type Ending, ended, failing } from './ending.ts';
import { findLocalServer, type LocalServer } from './local-server.ts';

export async function tellStatus(context: CliContext, installation: Installation, isJson: boolean): Promise<Ending> {
  const found = await findLocalServer(installation.paths);
  if (!found.ok) return failing(found.failure);
  context.out(isJson ? `${JSON.stringify(asJson(found.value))}\n` : asText(found.value));
  return found.value.kind === 'running' ? done : ended(EXIT_STATUS.unavailable);
}

function asText(found: LocalServer): string {
  if (found.kind === 'stopped') return 'stopped (apes up starts it)\n';
  const { url, pid, version, startedAt } = found.record;
  if (found.kind === 'silent') return `does not answer at ${url} (pid ${pid}); apes down, then apes up\n`;
  return `running at ${url} (pid ${pid}, version ${version}, since ${startedAt})\n`;
}

/** The database's address stays out of it: it may hold a password. */
function asJson(found: LocalServer): Record<string, unknown> {
  if (found.kind === 'stopped') return { state: 'stopped' };
  const { url, publicUrl, port, pid, version, startedAt } = found.record;
  return { state: found.kind, url, publicUrl, port, pid, version, startedAt };
}

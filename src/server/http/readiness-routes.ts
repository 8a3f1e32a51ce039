/** By these routes, load balancers and supervisors find out whether the process answers, and whether the process can use its database. */
import { type Result, success } from '../../core/result.ts';
import { HealthSchema } from '../../core/wire/server-info.ts';
import type { Refusal } from '../refusal.ts';
import { change, type ServerParts } from '../server-ports.ts';
import { type ApiRoutes, endpointsOf, withBody } from './api-route.ts';

/** How long all callers get the same result. Each check writes, and anyone can call these routes without authentication. */
const FRESH_FOR_MS = 1_000;

export const readinessRoutes: ApiRoutes = (app, parts) => {
  const endpoint = endpointsOf(app, parts);
  const look = readiness(parts);

  endpoint(
    'public',
    'GET',
    '/healthz',
    { summary: 'Whether the process answers at all; the database is not asked', answers: { 200: HealthSchema } },
    async () => withBody({ status: 'ok' }),
  );

  endpoint(
    'public',
    'GET',
    '/readyz',
    { summary: 'Whether the database can be read and written', answers: { 200: HealthSchema } },
    async () => {
      const seen = await look();
      return seen.ok ? withBody({ status: 'ok' }) : seen;
    },
  );
};

/** Checks the database with a write. A read would also succeed on a full disk, or while another process has locked the database. */
function readiness(parts: ServerParts): () => Promise<Result<null, Refusal>> {
  let last: { readonly atMs: number; readonly seen: Promise<Result<null, Refusal>> } | null = null;
  return () => {
    const nowMs = parts.clock.elapsedMs();
    if (last === null || nowMs - last.atMs >= FRESH_FOR_MS)
      last = {
        atMs: nowMs,
        seen: change(parts, async (rows) => {
          await rows.tryWriting();
          return success(null);
        }),
      };
    return last.seen;
  };
}

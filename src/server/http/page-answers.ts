/** Answers with the HTML of a page, or of a part of a page. Only a whole page gets the frame that all pages have. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { success } from '../../core/result.ts';
import { IdParams } from '../../core/wire/schema-parts.ts';
import type { StoreReader } from '../../store/store.ts';
import type { Html } from '../../web/html.ts';
import { belowBase, type PageFrame, type PageName } from '../../web/pages/page-frame.ts';
import * as pages from '../../web/pages/pages.ts';
import { countWaiting } from '../grants/count-waiting.ts';
import { ownKeysOnList } from '../identity/approver-keys.ts';
import { breakGlassEndMs, decidingAlone } from '../identity/break-glass.ts';
import { read, type ServerParts } from '../server-ports.ts';
import { callerOf } from './api-route.ts';

export const HTML = 'text/html; charset=utf-8';
/** The options of a route that serves a page to approvers, auditors and users of a break-glass code. */
export const forReader = { config: { audience: 'reader', isPage: true }, schema: { hide: true } } as const;
export const forReaderOnId = { ...forReader, schema: { hide: true, params: IdParams } };
/** The options of a route that serves a page to everybody. */
export const publicPage = { config: { audience: 'public', isPage: true }, schema: { hide: true } } as const;

export type OnId = { readonly Params: { readonly id: string } };

/** A device may keep a page that has this header, and may show the page offline. The value is the id of the person who requested it. */
const KEPT_PAGE_HEADER = 'x-ape-page';

/** Pages that no device may keep. These pages show what runs now. The screen of a session may show secrets. */
const NEVER_KEPT: ReadonlySet<PageName> = new Set(['sessions', 'session']);

/** Answers 503 with the page for a database that cannot be used. */
export const sendTrouble = (reply: FastifyReply, { assets }: ServerParts): FastifyReply =>
  reply.code(503).header('retry-after', 1).type(HTML).send(pages.troublePage(assets));

/**
 * Reads the contents and answers with the page. Answers 404 if `render` returns null. Answers 503 if the database cannot be used. Every
 * page shows the number that `countWaiting` returns.
 */
export async function showPage<T>(
  parts: ServerParts,
  request: FastifyRequest,
  reply: FastifyReply,
  place: PageName,
  content: (rows: StoreReader, nowMs: number) => Promise<T>,
  render: (frame: PageFrame, value: T) => string | null,
) {
  const nowMs = parts.clock.nowMs();
  const { csrfToken: token, subject } = callerOf(request);
  const found = await read(parts, async (rows) => {
    // Read this number first. The script of the page listens for events with higher numbers. So the script learns of each change that
    // happens during the reads below.
    const lastSeq = await rows.lastSeq();
    // These reads run concurrently, because each statement on PostgreSQL costs a round trip.
    const [value, open, ownKeys, pending] = await Promise.all([
      content(rows, nowMs),
      decidingAlone(rows, nowMs),
      subject.role === 'break-glass' ? ownKeysOnList(rows, subject) : null,
      countWaiting(parts, rows, subject, nowMs),
    ]);
    return success({ lastSeq, value, open, ownKeys, pending });
  });
  if (!found.ok) return sendTrouble(reply, parts);
  const { lastSeq, pending, value, open, ownKeys } = found.value;
  const csrfToken = token ?? '';
  const isAuditor = subject.role === 'auditor';
  const endMs = breakGlassEndMs(subject);
  const keyId = ownKeys?.ok === true ? (ownKeys.value.keys[0]?.keyId ?? null) : null;
  const text = render(
    {
      assets: parts.assets,
      csrfToken,
      nowMs,
      lastSeq,
      pending,
      place,
      isAuditor,
      breakGlass: endMs === null ? null : { endMs, keyId },
      openBreakGlass: open.filter(({ id }) => id !== subject.id),
    },
    value,
  );
  if (text !== null && !NEVER_KEPT.has(place)) reply.header(KEPT_PAGE_HEADER, subject.id);
  if (text !== null) return reply.type(HTML).send(text);
  return reply.code(404).type(HTML).send(pages.nothingHerePage(parts.assets, 'There is no such request.'));
}

/**
 * Answers with the present state of one card or row. Answers 404 without a body if `content` returns null. Answers 503 if the database
 * cannot be used. The header `x-ape-pending` contains the result of `countWaiting`. The title of the page shows this number.
 */
export async function showPart(
  parts: ServerParts,
  request: FastifyRequest,
  reply: FastifyReply,
  content: (rows: StoreReader) => Promise<Html | null>,
) {
  const found = await read(parts, async (rows) =>
    success({
      part: await content(rows),
      pending: await countWaiting(parts, rows, callerOf(request).subject, parts.clock.nowMs()),
    }),
  );
  if (!found.ok) return sendTrouble(reply, parts);
  const { part, pending } = found.value;
  return reply
    .code(part === null ? 404 : 200)
    .header('x-ape-pending', pending)
    .type(HTML)
    .send(part === null ? '' : belowBase(part, parts.assets.basePath));
}

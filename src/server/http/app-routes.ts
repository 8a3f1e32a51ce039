/** Serves the files with which a browser can install the pages as an app: manifest, icons, service worker, style sheet and scripts. */
import { gzipSync } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { appManifest } from '../../web/app-manifest.ts';
import type { WebAsset } from '../../web/assets.ts';
import type { ApiRoutes } from './api-route.ts';
import { publicPage } from './page-answers.ts';

export const appRoutes: ApiRoutes = (app, { assets }) => {
  const { style, script, passkeys, notifications, icon, icons } = assets;
  for (const asset of [style, script, passkeys, notifications, icon, ...icons]) assetRoute(app, asset);

  // The names of the manifest and of the service worker never change: browsers fetch both files again under the same name.
  const manifest = JSON.stringify(appManifest(assets));
  app.get('/manifest.webmanifest', publicPage, (_request, reply) =>
    reply.header('cache-control', 'no-cache').type('application/manifest+json').send(manifest),
  );
  const serviceWorker = compressible(Buffer.from(assets.serviceWorker), 'text/javascript; charset=utf-8');
  app.get('/service-worker.js', publicPage, (request, reply) =>
    serviceWorker(request, reply.header('cache-control', 'no-cache')),
  );
};

/** Serves a file whose name changes with its contents. A browser may therefore keep the file for ever. */
function assetRoute(app: Parameters<ApiRoutes>[0], { path, type, body }: WebAsset): void {
  const answer = compressible(body, type);
  app.get(path, publicPage, (request, reply) =>
    answer(request, reply.header('cache-control', 'public, max-age=31536000, immutable')),
  );
}

/**
 * Call this function only for bodies that are the same for all callers. The compressed length of a page with a secret could reveal the
 * secret.
 */
function compressible(body: Buffer, type: string) {
  const compressed = type.startsWith('text/') ? gzipSync(body, { level: 9 }) : null;
  return ({ headers }: FastifyRequest, reply: FastifyReply) => {
    reply.type(type);
    if (compressed === null) return reply.send(body);
    reply.header('vary', 'accept-encoding');
    const takesIt = /(?:^|[\s,])gzip(?:\s*;\s*q=(?:1|0?\.[0-9]*[1-9]))?\s*(?:,|$)/i.test(
      String(headers['accept-encoding'] ?? ''),
    );
    return takesIt ? reply.header('content-encoding', 'gzip').send(compressed) : reply.send(body);
  };
}

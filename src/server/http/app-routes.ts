/** What makes the pages an app that can be installed: manifest, icons, service worker, and the files of the pages. */
import { appManifest } from '../../web/app-manifest.ts';
import type { WebAsset } from '../../web/assets.ts';
import type { ApiRoutes } from './api-route.ts';
import { publicPage } from './page-answers.ts';

export const appRoutes: ApiRoutes = (app, { assets }) => {
  const { style, script, passkeys, notifications, icon, icons } = assets;
  for (const asset of [style, script, passkeys, notifications, icon, ...icons]) assetRoute(app, asset);

  // Under one name for ever: a browser asks for these again by itself.
  const manifest = JSON.stringify(appManifest(assets));
  app.get('/manifest.webmanifest', publicPage, (_request, reply) =>
    reply.header('cache-control', 'no-cache').type('application/manifest+json').send(manifest),
  );
  app.get('/service-worker.js', publicPage, (_request, reply) =>
    reply.header('cache-control', 'no-cache').type('text/javascript; charset=utf-8').send(assets.serviceWorker),
  );
};

/** Its name changes with its content, so it may be kept for ever. */
function assetRoute(app: Parameters<ApiRoutes>[0], asset: WebAsset): void {
  app.get(asset.path, publicPage, (_request, reply) =>
    reply.header('cache-control', 'public, max-age=31536000, immutable').type(asset.type).send(asset.body),
  );
}

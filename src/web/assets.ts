/** The style sheet, the scripts and the service worker of the pages; all but the last are served under names that change with their content. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** @property path where the page finds it, for example `/assets/pages.0f3a….css` */
export interface WebAsset {
  readonly path: string;
  readonly type: string;
  readonly body: Buffer;
}

export interface WebAssets {
  readonly style: WebAsset;
  readonly script: WebAsset;
  /** Loaded where somebody uses a passkey, and only then. */
  readonly passkeys: WebAsset;
  /** The script of the page for notifications alone. */
  readonly notifications: WebAsset;
  /** All parts of it as one text. */
  readonly serviceWorker: string;
}

/** In this order. */
const SERVICE_WORKER_PARTS = ['service-worker-push.js'];

/** Reads them from `directory`; throws when one is missing. */
export function loadWebAssets(directory: string): WebAssets {
  return {
    style: loadAsset(directory, 'pages', 'css', 'text/css; charset=utf-8'),
    script: loadAsset(directory, 'pages', 'js', 'text/javascript; charset=utf-8'),
    passkeys: loadAsset(directory, 'passkeys', 'js', 'text/javascript; charset=utf-8'),
    notifications: loadAsset(directory, 'notifications', 'js', 'text/javascript; charset=utf-8'),
    serviceWorker: SERVICE_WORKER_PARTS.map((name) => readFileSync(join(directory, name), 'utf8')).join('\n'),
  };
}

function loadAsset(directory: string, name: string, ending: string, type: string): WebAsset {
  const body = readFileSync(join(directory, `${name}.${ending}`));
  const hash = createHash('sha256').update(body).digest('hex').slice(0, 16);
  return { path: `/assets/${name}.${hash}.${ending}`, type, body };
}

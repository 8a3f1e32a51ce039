/**
 * Reads the style sheet, the scripts, the icons and the service worker of the pages. The name of each file changes with the content, except
 * the name of the service worker.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * @property path the address of the file below `basePath`, for example `/assets/pages.0f3a….css`
 * @property type the media type
 */
export interface WebAsset {
  readonly path: string;
  readonly type: string;
  readonly body: Buffer;
}

export interface WebAssets {
  readonly style: WebAsset;
  readonly script: WebAsset;
  /**
   * Some pages load this script at once (`WITH_PASSKEYS`, sign-in pages). Other pages load this script when a passkey or a code is used.
   */
  readonly passkeys: WebAsset;
  /** Only the page for notifications loads this script. */
  readonly notifications: WebAsset;
  readonly icon: WebAsset;
  /** The icons for the manifest and for Apple's devices. */
  readonly icons: readonly AppIcon[];
  /** The service worker as one text: a first line with facts about this server, and then its parts. */
  readonly serviceWorker: string;
  /** The path of the public URL: empty or, behind a reverse proxy, for example `/approvals`. */
  readonly basePath: string;
}

/** @property size the length of each side in pixels */
interface AppIcon extends WebAsset {
  readonly size: number;
  readonly purpose: 'any' | 'maskable' | 'apple';
}

/** The parts of the service worker, in the order in which they are joined. */
const SERVICE_WORKER_PARTS = ['service-worker-push.js', 'service-worker-pages.js'];

const ICONS = [
  { name: 'icon-192', size: 192, purpose: 'any' },
  { name: 'icon-512', size: 512, purpose: 'any' },
  { name: 'icon-maskable-512', size: 512, purpose: 'maskable' },
  { name: 'icon-apple-180', size: 180, purpose: 'apple' },
] as const;

/** Reads all files from `directory`; throws if a file is missing. */
export function loadWebAssets(directory: string, basePath: string): WebAssets {
  const style = loadAsset(directory, 'pages', 'css', 'text/css; charset=utf-8');
  const place = { basePath, style: basePath + style.path };
  return {
    style,
    script: loadAsset(directory, 'pages', 'js', 'text/javascript; charset=utf-8'),
    passkeys: loadAsset(directory, 'passkeys', 'js', 'text/javascript; charset=utf-8'),
    notifications: loadAsset(directory, 'notifications', 'js', 'text/javascript; charset=utf-8'),
    icon: loadAsset(directory, 'icon', 'svg', 'image/svg+xml'),
    icons: ICONS.map(({ name, ...icon }) => ({ ...loadAsset(directory, name, 'png', 'image/png'), ...icon })),
    serviceWorker: [
      `self.apePlace = ${JSON.stringify(place)};`,
      ...SERVICE_WORKER_PARTS.map((name) => readFileSync(join(directory, name), 'utf8')),
    ].join('\n'),
    basePath,
  };
}

function loadAsset(directory: string, name: string, ending: string, type: string): WebAsset {
  const body = readFileSync(join(directory, `${name}.${ending}`));
  const hash = createHash('sha256').update(body).digest('hex').slice(0, 16);
  return { path: `/assets/${name}.${hash}.${ending}`, type, body };
}

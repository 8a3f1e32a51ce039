/** The style sheet and the scripts of the pages, served under names that change with their content. */
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
}

/** Reads `pages.css`, `pages.js` and `passkeys.js` from `directory`; throws when one is missing. */
export function loadWebAssets(directory: string): WebAssets {
  return {
    style: loadAsset(directory, 'pages', 'css', 'text/css; charset=utf-8'),
    script: loadAsset(directory, 'pages', 'js', 'text/javascript; charset=utf-8'),
    passkeys: loadAsset(directory, 'passkeys', 'js', 'text/javascript; charset=utf-8'),
  };
}

function loadAsset(directory: string, name: string, ending: string, type: string): WebAsset {
  const body = readFileSync(join(directory, `${name}.${ending}`));
  const hash = createHash('sha256').update(body).digest('hex').slice(0, 16);
  return { path: `/assets/${name}.${hash}.${ending}`, type, body };
}

/** Makes the W3C Web Application Manifest. With the manifest, a browser can install the pages as an app. */
import type { WebAssets } from './assets.ts';

/** `scope` covers all pages, so a link to a request opens in the app. */
export const appManifest = ({ basePath, icon, icons }: WebAssets) => ({
  name: 'ape-shell: approvals',
  short_name: 'ape-shell',
  description: 'Requests of AI agents, and what you decided.',
  id: `${basePath}/`,
  start_url: `${basePath}/`,
  scope: `${basePath}/`,
  display: 'standalone',
  background_color: '#f5f6f8',
  theme_color: '#f5f6f8',
  launch_handler: { client_mode: 'navigate-existing' },
  icons: [
    ...icons
      .filter(({ purpose }) => purpose !== 'apple')
      .map(({ path, size, type, purpose }) => ({ src: basePath + path, sizes: `${size}x${size}`, type, purpose })),
    { src: basePath + icon.path, sizes: 'any', type: icon.type, purpose: 'any' },
  ],
  shortcuts: [
    { name: 'History', url: `${basePath}/history` },
    { name: 'Standing approvals', url: `${basePath}/standing` },
  ],
});

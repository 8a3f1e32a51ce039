/** Any other harness: nothing of ours is put anywhere. */
import type { HarnessInstallation } from '../harness-installation.ts';
import { plan } from '../hook-file.ts';

export const genericInstallation: HarnessInstallation = {
  scopes: ['user'],
  plan: () => plan([], []),
  gaps: [],
  settingsFiles: () => [],
};

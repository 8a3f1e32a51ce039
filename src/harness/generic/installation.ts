/** The installation for a harness that has no installation of its own: `apes hooks install` writes nothing. */
import type { HarnessInstallation } from '../harness-installation.ts';
import { plan } from '../hook-file.ts';

export const genericInstallation: HarnessInstallation = {
  scopes: ['user'],
  plan: () => plan([], []),
  gaps: [],
  projectPlaces: { folders: [], rows: [] },
  settingsFiles: () => [],
};

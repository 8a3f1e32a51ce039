/** Installs the gate for Kilo CLI (checked with version 7.7.9). Kilo CLI is a fork of opencode with other folders and names. */
import type { HarnessInstallation } from '../harness-installation.ts';
import { KILO } from '../opencode/family.ts';
import { familyGaps, planFamily } from '../opencode/installation.ts';
import { openingsOf } from '../opencode/openings.ts';
import { familyPlaces } from '../opencode/project-places.ts';

export const kiloInstallation: HarnessInstallation = {
  scopes: ['user', 'project', 'managed'],
  plan: (places) => planFamily(KILO, places),
  projectPlaces: familyPlaces(KILO),
  settingsFiles: () => [],
  openings: (places) => openingsOf(KILO, places),
  gaps: familyGaps(KILO),
};

/** What `apes hooks check` finds of a harness: outside of the project, and in it. */
import { installationOf } from '../../src/harness/harness-installations.ts';
import { findHarness, type HarnessName } from '../../src/harness/harnesses.ts';
import type { HookPlaces } from '../../src/harness/hook-file.ts';
import { findInProject } from '../../src/harness/project-findings.ts';
import { loadTomlReader } from '../../src/platform/toml.ts';

export async function findingsOf(harness: HarnessName, places: HookPlaces): Promise<readonly string[]> {
  const installation = installationOf(harness);
  const title = findHarness(harness)?.title ?? '';
  return [
    ...((await installation.openings?.(places)) ?? []),
    ...(await findInProject(title, installation, places, await loadTomlReader())),
  ];
}

/**
 * Checks two things about the hooks:
 * - Our entries must still be in the settings of the harnesses.
 * - The gate must be known to hold in the version of each harness. The last `apes hooks check` of the harness recorded this version.
 */
import { dirname, join } from 'node:path';
import { SHIM_DIRECTORY } from '../../core/harness/shim-path.ts';
import { installationOf } from '../../harness/harness-installations.ts';
import { findHarness } from '../../harness/harnesses.ts';
import { hasAllEntries } from '../../harness/hook-file.ts';
import { type RecordedFile, realPlace, recordedFiles } from '../../harness/put-hooks.ts';
import { kindOfPlace } from '../../platform/confinement.ts';
import type { Installation } from '../../platform/installation.ts';
import { allKnown, type KnownHarness } from '../hooks/held-versions.ts';
import { type CheckResult, ok, warn } from './check.ts';

export async function hooks(installation: Installation): Promise<CheckResult> {
  const { state } = installation.paths;
  const files = recordedFiles(join(state, 'hooks')).filter((file) => !isOfLostProject(file));
  if (files.length === 0) return ok('none (apes hooks install HARNESS gates an agent that does not honour $SHELL)');
  const gone: string[] = [];
  const changed: string[] = [];
  for (const file of files.filter(({ isAsWritten }) => !isAsWritten))
    ((await hasOurs(installation, file)) ? changed : gone).push(file.path);
  if (gone.length > 0)
    return {
      state: 'fail',
      code: 'configuration',
      text: `our entries are gone or altered in ${gone.join(', ')} (by an update of the harness, or a person): the harness is perhaps not gated`,
      advice: 'apes hooks check HARNESS, then apes hooks install HARNESS',
    };
  const known = allKnown(state);
  const open = known.find(({ standing }) => standing === 'does not hold');
  if (open !== undefined)
    return {
      state: 'fail',
      code: 'configuration',
      text: `${open.harness} ${open.version ?? ''}: the gate did not hold when it was last tried`,
      advice: `apes hooks check ${open.harness} --live`,
    };
  const unseen = known.find(isUnseen);
  if (unseen !== undefined) return warn(unseenText(unseen), `apes hooks check ${unseen.harness} --live`);
  const beside = changed.length === 0 ? '' : `; other text was changed in ${changed.join(', ')}`;
  return ok(`in ${files.map(({ path }) => path).join(', ')}${beside}`);
}

/** In a project that was deleted, no harness can run. */
const isOfLostProject = ({ owner }: RecordedFile): boolean =>
  owner?.scope === 'project' && kindOfPlace(owner.project) === 'nothing';

const isUnseen = ({ standing }: KnownHarness): boolean => standing === 'never seen' || standing === 'too old';

const unseenText = ({ harness, version, standing }: KnownHarness): string =>
  standing === 'too old'
    ? `${harness} ${version ?? ''} is older than every version in which the gate was seen to hold`
    : `${harness} ${version ?? '(unknown version)'}: not checked yet, so it is not known whether its gate holds`;

/** Whether all our entries are still in the file. Returns false if the file is unreadable, or if an old record names no harness. */
async function hasOurs({ paths, caller, dist }: Installation, { path, text, owner }: RecordedFile): Promise<boolean> {
  const harness = owner === null ? null : findHarness(owner.harness);
  if (owner === null || harness === null || text === null) return false;
  const { files } = await installationOf(harness.name).plan({
    scope: owner.scope,
    home: paths.home,
    project: owner.project,
    environment: caller.environment,
    dist,
    shims: join(dirname(paths.data), SHIM_DIRECTORY),
  });
  const file = files.find((each) => realPlace(each.path) === path);
  return file !== undefined && hasAllEntries(file, text);
}

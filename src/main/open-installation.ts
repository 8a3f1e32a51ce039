/** Reads the directories and settings of this installation. This file loads little, so that bash can start before other code is loaded. */
import type { Failure } from '../core/failure.ts';
import { type Result, success } from '../core/result.ts';
import { loadSettings } from '../platform/config-file.ts';
import type { Installation } from '../platform/installation.ts';
import type { LauncherCaller } from '../platform/launcher.ts';
import { locate } from '../platform/paths.ts';

/**
 * Fails (78) if a directory or the settings cannot be used.
 * @param dist this package's directory of built files
 */
export async function openInstallation(caller: LauncherCaller, dist: string): Promise<Result<Installation, Failure>> {
  const paths = locate(caller.environment);
  if (!paths.ok) return paths;
  const settings = await loadSettings(paths.value.configFile, caller.environment);
  return settings.ok ? success({ caller, paths: paths.value, settings: settings.value, dist }) : settings;
}

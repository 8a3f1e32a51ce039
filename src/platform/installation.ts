/** What both programs read at their start: the call, the directories of this installation, its settings. */
import type { Settings } from '../core/settings.ts';
import type { Launcher, LauncherCaller } from './launcher.ts';
import type { Paths } from './paths.ts';

/** `dist` is this package's directory of built files. */
export interface Installation {
  readonly caller: LauncherCaller;
  readonly paths: Paths;
  readonly settings: Settings;
  readonly dist: string;
}

export interface Started {
  readonly caller: LauncherCaller;
  readonly launcher: Launcher;
}

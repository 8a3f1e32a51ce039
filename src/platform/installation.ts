/** What `ape-shell` and `apes` read when they start: how they were called, and the directories and settings of this installation. */
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

/** A program of ours that the launcher has started. */
export interface Started {
  readonly caller: LauncherCaller;
  readonly launcher: Launcher;
}

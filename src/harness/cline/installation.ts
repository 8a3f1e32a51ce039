/**
 * Installs hooks for Cline (seen in 3.0.65). A hook is a file of the user or of the project, and has the name of its event. Cline runs all
 * files of an event one after another. If several files replace the input, the last replacement counts. The first line of a file names a
 * program, and Cline finds this program in PATH. Our files name `sh`, because `bash` can be the shim for Gemini CLI and Qwen Code.
 */
import { readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { type Failure, failure } from '../../core/failure.ts';
import { failed, success } from '../../core/result.ts';
import { withBlock, withoutBlock } from '../../core/text/marked-block.ts';
import { namesIn } from '../found-files.ts';
import type { HarnessInstallation } from '../harness-installation.ts';
import { type HookFile, type HookPlaces, type HookPlan, hookPlaceOf, plan } from '../hook-file.ts';
import { guardLineFor, reportLineFor } from '../own-lines.ts';
import { clineLine } from './closed-line.ts';
import { clinePlaces } from './project-places.ts';

const REPORTED = [
  ...['TaskStart', 'TaskResume', 'TaskCancel', 'TaskComplete', 'TaskError'],
  ...['UserPromptSubmit', 'PostToolUse', 'SessionShutdown'],
];

const lineFor = (places: HookPlaces): string =>
  clineLine(guardLineFor(places, 'cline'), join(places.dist, 'bin/deadline'));

function planCline(places: HookPlaces): HookPlan {
  const folder =
    places.scope === 'project'
      ? join(places.project, '.cline/hooks')
      : join(hookPlaceOf(places, 'CLINE_DIR', join(places.home, '.cline')), 'hooks');
  return plan(
    [
      hookScript(join(folder, 'PreToolUse.sh'), lineFor(places), true),
      ...REPORTED.map((event) => hookScript(join(folder, `${event}.sh`), reportLineFor(places, 'cline'), false)),
    ],
    [
      'a denial ends the turn of the agent, and Cline shows the reason; decide, and then send the agent the next message',
      'the hub daemon of Cline keeps the environment of its first start: run `cline hub stop` after a change of variables',
    ],
  );
}

const SHELL = '#!/bin/sh\n';
const BLOCK = 'hook of `apes hooks install cline`';

function hookScript(path: string, line: string, isGate: boolean): HookFile {
  const withLine = (now: string): string | null => {
    const rest = withoutBlock(now, BLOCK);
    return hasOnlyComments(rest) ? withBlock(rest, BLOCK, line, 'end') : null;
  };
  return {
    path,
    apply: (now) => {
      const text = withLine(now === null || now.trim() === '' ? SHELL : now);
      return text === null ? failed(foreignHook(path)) : success(text);
    },
    strip: (now, original) => {
      const rest = withoutBlock(now, BLOCK);
      return success(original === null && rest.trim() === SHELL.trim() ? '' : rest);
    },
    lines: (now) => (isGate && now === withLine(now) ? [line] : []),
  };
}

/** Whether the file begins with our first line, and all its other lines are comments or blank. Any other file has another author. */
const hasOnlyComments = (text: string): boolean =>
  text.startsWith(SHELL) && text.split('\n').every((line) => line.trim() === '' || line.startsWith('#'));

const foreignHook = (path: string): Failure =>
  failure(
    'configuration',
    `${path} is a hook of your own`,
    'give it another ending, such as .bash (Cline takes all of them), and call again; nothing was changed',
  );

/** Finds the user's other hooks for `PreToolUse`. Cline runs these hooks, too. A hook that runs after our hook can replace our command. */
function otherHooks(places: HookPlaces): readonly string[] {
  const own = planCline(places).files[0]?.path ?? '';
  const folders = [
    join(hookPlaceOf(places, 'CLINE_DIR', join(places.home, '.cline')), 'hooks'),
    join(places.home, 'Documents/Cline/Hooks'),
  ];
  const hooks = [...new Set(folders.map(realOf))].flatMap((folder) =>
    namesIn(folder)
      .filter((name) => /^pretooluse(\.\w+)?$/i.test(name))
      .map((name) => join(folder, name)),
  );
  return hooks
    .filter((path) => path !== realOf(own) && !isOwn(path, places))
    .map((path) => `${path}: another hook before a tool: it can replace our command`);
}

/** Whether this file is our hook, for the user or for a project. False if the file cannot be read. */
function isOwn(path: string, places: HookPlaces): boolean {
  try {
    return readFileSync(path, 'utf8') === withBlock(SHELL, BLOCK, lineFor(places), 'end');
  } catch {
    return false;
  }
}

function otherPlugins(places: HookPlaces): readonly string[] {
  const folders = [
    join(hookPlaceOf(places, 'CLINE_DIR', join(places.home, '.cline')), 'plugins'),
    join(places.home, 'Documents/Cline/Plugins'),
  ];
  return folders
    .filter((folder) => namesIn(folder).length > 0)
    .map((folder) => `${folder}: plugins run inside Cline and can replace our command`);
}

function realOf(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return path;
  }
}

export const clineInstallation: HarnessInstallation = {
  scopes: ['user', 'project'],
  plan: planCline,
  line: lineFor,
  projectPlaces: clinePlaces,
  settingsFiles: () => [],
  openings: (places) => [...otherHooks(places), ...otherPlugins(places)],
  gaps: [
    {
      what: 'without ~/.cline/hooks/PreToolUse.sh, or when the sh that runs it is killed, Cline runs the tool',
      closedBy: null,
    },
    {
      what: 'a hook of the project (.clinerules/hooks, .cline/hooks) or a plugin can replace our command',
      closedBy: 'look at them first; apes hooks check cline names them',
    },
    {
      what: 'the Bun in Cline obeys bunfig.toml and .env of the directory in which it starts: they can run programs, or name another CLINE_DIR',
      closedBy: 'look at them first; apes hooks check cline names them',
    },
    {
      what: 'if the sh that runs this hook is stopped for 120 s, the tool runs',
      closedBy: null,
    },
    { what: 'a denial ends the turn: Cline shows the person the reason, the model does not read it', closedBy: null },
  ],
};

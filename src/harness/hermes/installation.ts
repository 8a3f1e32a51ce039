/**
 * Installs our hook under `hooks:` in the config.yaml of a Hermes profile. According to its documentation, Hermes Agent reads shell hooks
 * there. Hermes starts the command without a shell, so our command begins with `/bin/sh -c`. Hermes calls a hook only after a person has
 * agreed to the hook. Hermes records the agreement in a file. A person who installs our hook agrees to it, so we also write the agreement
 * into this file. We have no YAML parser, so we refuse a config.yaml that already has hooks.
 */
import { join } from 'node:path';
import { type Failure, failure } from '../../core/failure.ts';
import { looksLikeHookLine, singleQuoted } from '../../core/grant/own-call.ts';
import { failed, success } from '../../core/result.ts';
import { appendItem, removeItems } from '../../core/text/jsonc-edit.ts';
import { withBlock, withoutBlock } from '../../core/text/marked-block.ts';
import type { HarnessInstallation } from '../harness-installation.ts';
import {
  EMPTY_OBJECT,
  type HookFile,
  type HookPlaces,
  type HookPlan,
  hookPlaceOf,
  plan,
  steps,
  textOr,
} from '../hook-file.ts';
import { guardLineFor } from '../own-lines.ts';
import { isObject } from '../tool-call.ts';
import { hermesPlaces } from './project-places.ts';

const EVENT = 'pre_tool_call';
const SHELL = '/bin/sh -c ';

function planHermes(places: HookPlaces): HookPlan {
  const folder = hookPlaceOf(places, 'HERMES_HOME', join(places.home, '.hermes'));
  const line = guardLineFor(places, 'hermes');
  const command = `${SHELL}${singleQuoted(line)}`;
  return plan(
    [
      settings(join(folder, 'config.yaml'), command, line),
      consent(join(folder, 'shell-hooks-allowlist.json'), command),
    ],
    [
      'this installation counts as your agreement to the hook, so Hermes does not ask you; `hermes hooks list` shows the hook',
      'the hook denies each command, and the denial names the command to call instead; we have not tried whether Hermes runs a command that a hook replaced',
      'each profile has settings of its own: for another profile, call this again with the HERMES_HOME of that profile',
    ],
  );
}

const BLOCK = 'hooks';
/** Matches an empty `hooks:`. Hermes writes such a line into new profiles. */
const EMPTY = /^hooks:[ \t]*(\{[ \t]*\})?[ \t]*(#.*)?\n?$/m;

function settings(path: string, command: string, line: string): HookFile {
  // JSON is valid YAML.
  const block = [
    'hooks:',
    `  ${EVENT}:`,
    `    - command: ${JSON.stringify(command)}`,
    '      timeout: 60',
    '      fail_closed: true',
  ];
  return {
    path,
    strip: (text, original) => {
      const rest = withoutBlock(text, BLOCK);
      const empty = rest === text || original === null ? null : EMPTY.exec(original)?.[0];
      return success(empty === null || empty === undefined ? rest : `${rest}${empty}`);
    },
    apply: (text) => {
      const clean = withoutBlock(text ?? '', BLOCK);
      const mine = EMPTY.test(clean) && !hasChildren(clean) ? clean.replace(EMPTY, '') : clean;
      if (!isPlainMapping(mine)) return failed(notPlain(path));
      return success(withBlock(mine, BLOCK, block.join('\n'), 'end'));
    },
    lines: (text) => (text.includes(withBlock('', BLOCK, block.join('\n'), 'end')) ? [line] : []),
  };
}

/** Whether the line `hooks:` has entries below it. Entries of a list may begin in the first column. */
const hasChildren = (text: string): boolean =>
  /^hooks:[ \t]*(#.*)?\n(?:[ \t]*(?:#.*)?\n)*(?:[ \t]+[^\s#]|-(?:\s|$))/m.test(text);

/** Whether the file is one plain mapping that has no `hooks:`. A block at the end of such a file becomes a member of the mapping. */
function isPlainMapping(text: string): boolean {
  if (/^ *\t/m.test(text)) return false;
  const top = text.split('\n').filter((line) => /^[^\s#]/.test(line));
  return (
    !/^-/.test(top[0] ?? '') &&
    top.every((line) => /^[A-Za-z_][\w.-]*:(\s|$)/.test(line) || /^- /.test(line)) &&
    !top.some((line) => /^hooks:/.test(line))
  );
}

const notPlain = (path: string): Failure =>
  failure(
    'configuration',
    `${path} has hooks of its own, or is written in a way that is not understood here`,
    'put the entry into the file by hand (see docs/harnesses.md); nothing was changed',
  );

function consent(path: string, command: string): HookFile {
  const isOwn = (approval: unknown): boolean => isObject(approval) && isOwnCommand(approval['command']);
  const strip = (text: string) => steps(path, text, [0], (now) => removeItems(now, ['approvals'], isOwn));
  return {
    path,
    strip,
    apply: (text) => {
      const clean = strip(textOr(text, EMPTY_OBJECT));
      return clean.ok
        ? steps(path, clean.value, [0], (now) => appendItem(now, ['approvals'], { event: EVENT, command }))
        : clean;
    },
    lines: () => [],
  };
}

function isOwnCommand(command: unknown): boolean {
  if (typeof command !== 'string' || !command.startsWith(`${SHELL}'`) || !command.endsWith("'")) return false;
  return looksLikeHookLine(command.slice(SHELL.length + 1, -1).replaceAll("'\\''", "'"));
}

export const hermesInstallation: HarnessInstallation = {
  scopes: ['user'],
  plan: planHermes,
  projectPlaces: hermesPlaces,
  settingsFiles: () => [],
  gaps: [
    {
      what: 'we have not tried Hermes: only the documentation says that Hermes calls the hook before each tool and obeys it',
      closedBy: null,
    },
    {
      what: 'a version without fail_closed runs the tool when the hook fails',
      closedBy: 'a version that documents fail_closed',
    },
    {
      what: 'its safe mode and other profiles (HERMES_HOME) leave the hook out',
      closedBy: 'apes hooks install hermes for each profile',
    },
    {
      what: 'with another terminal backend (container, ssh), the program that the denial says to call does not exist there',
      closedBy: 'the local backend',
    },
    { what: 'hooks of its Gateway, and plugins, run inside Hermes', closedBy: 'look at these hooks and plugins first' },
  ],
};

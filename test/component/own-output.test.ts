/** The files with its own output that an agent in Claude Code may read: only these files, and none that another user may have put there. */
import { chmodSync, linkSync, mkdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { success } from '../../src/core/result.ts';
import { answerHook } from '../../src/harness/answer-hook.ts';
import { findHarness } from '../../src/harness/harnesses.ts';
import { FileStage } from './file-stage.ts';

const FIXTURE = fileURLToPath(new URL('../fixtures/hooks/claude-code.Read.json', import.meta.url));
const SESSION = 'acf7feb1-175d-424a-897f-ef0d5d641edd';

let stage: FileStage;
let tasks: string;
let results: string;
beforeEach(async () => {
  stage = await FileStage.open();
  tasks = stage.in(`tmp/claude-${process.getuid?.()}/-home-ada-project`, SESSION, 'tasks');
  results = stage.in('home/.claude/projects/-home-ada-project', SESSION, 'tool-results');
  for (const folder of [tasks, results]) mkdirSync(folder, { recursive: true, mode: 0o700 });
  chmodSync(stage.in('tmp'), 0o777);
  writeFileSync(stage.in('secret'), 'secret', { mode: 0o600 });
});
afterEach(() => stage.close());

function fileIn(folder: string, name: string): string {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writeFileSync(join(folder, name), 'output', { mode: 0o600 });
  return join(folder, name);
}

/** Whether the hook answers Claude Code that it may read the path. */
async function mayRead(path: string, change: (event: Record<string, unknown>) => void = () => undefined) {
  const harness = findHarness('claude-code');
  if (harness === null) throw new Error('no such harness');
  const event = JSON.parse(
    readFileSync(FIXTURE, 'utf8').replaceAll('/home/ada/.claude', stage.in('home/.claude')),
  ) as Record<string, unknown>;
  Object.assign(event, { cwd: stage.project, tool_input: { file_path: path } });
  change(event);
  const answered = await answerHook(harness, Buffer.from(JSON.stringify(event)), {
    own: { shell: '/opt/ape-shell', installation: [], isLedElsewhere: false },
    environment: new Map([['CLAUDE_CODE_TMPDIR', Buffer.from(stage.in('tmp'))]]),
    cwd: stage.project,
    openFiles: async () => success(stage.parts),
    explain: () => 'waits',
    ungatedTools: async () => [],
  });
  if (!answered.ok) throw new Error(answered.failure.message);
  return !harness.dialect.isDenial(JSON.parse(answered.value));
}

describe('own output', () => {
  it('of a background command, or of a result that was too long, may be read', async () => {
    expect(await mayRead(fileIn(tasks, 'b1x2.output'))).toBe(true);
    expect(await mayRead(fileIn(results, 'toolu_01AbC.txt'))).toBe(true);
  });

  it.each<[string, () => string]>([
    [
      'a link in that folder',
      () => {
        symlinkSync(stage.in('secret'), join(tasks, 'b1.output'));
        return join(tasks, 'b1.output');
      },
    ],
    [
      'a second name of another file',
      () => {
        linkSync(stage.in('secret'), join(tasks, 'b1.output'));
        return join(tasks, 'b1.output');
      },
    ],
    ['a path that leaves the folder by ..', () => `${tasks}/../../../../secret`],
    [
      'a path that leaves the folder by .. and comes back',
      () => `${dirname(fileIn(tasks, 'b1.output'))}/../tasks/b1.output`,
    ],
    [
      'a path through a link',
      () => {
        fileIn(tasks, 'b1.output');
        symlinkSync(tasks, stage.in('short'));
        return stage.in('short/b1.output');
      },
    ],
    ['a file in a subfolder', () => fileIn(join(tasks, 'more'), 'b1.output')],
    ['a file beside the folder', () => fileIn(dirname(tasks), 'b1.output')],
    ['a file of another session', () => fileIn(tasks.replace(SESSION, 'other'), 'b1.output')],
    ['a file of another project', () => fileIn(tasks.replace('-home-ada-project', '-home-ada-other'), 'b1.output')],
    ['a file in the folder of another user', () => fileIn(tasks.replace(/claude-\d+/, 'claude-12345'), 'b1.output')],
    ['a transcript', () => fileIn(dirname(dirname(results)), `${SESSION}.jsonl`)],
    ['a hidden name', () => fileIn(tasks, '.output')],
    ['a directory', () => dirname(fileIn(join(tasks, 'b1.output'), 'x'))],
    ['a missing file', () => join(tasks, 'b9.output')],
    [
      'a file that others may write',
      () => {
        const file = fileIn(tasks, 'b1.output');
        chmodSync(file, 0o666);
        return file;
      },
    ],
    [
      'a folder that others may write',
      () => {
        chmodSync(dirname(tasks), 0o777);
        return fileIn(tasks, 'b1.output');
      },
    ],
    [
      'a folder that is a link',
      () => {
        fileIn(tasks, 'b1.output');
        renameSync(tasks, `${tasks}-real`);
        symlinkSync(`${tasks}-real`, tasks);
        return join(tasks, 'b1.output');
      },
    ],
  ])('does not include %s', async (_, path) => {
    expect(await mayRead(path())).toBe(false);
  });

  it('is named only by the harness, in the form that the harness uses', async () => {
    const file = fileIn(tasks, 'b1.output');
    expect(await mayRead(file)).toBe(true);
    for (const [name, value] of [
      ['session_id', '..'],
      ['session_id', ''],
      ['session_id', 7],
      ['transcript_path', `${stage.in('home')}/x.jsonl`],
      ['transcript_path', '/projects/../x/y.jsonl'],
      ['transcript_path', null],
    ] as const)
      expect(await mayRead(file, (event) => Object.assign(event, { [name]: value })), `${name} ${value}`).toBe(false);
  });

  it('may only be read: writing and searching there need a grant', async () => {
    const file = fileIn(tasks, 'b1.output');
    const other = (tool: string, input: object) => (event: Record<string, unknown>) =>
      Object.assign(event, { tool_name: tool, tool_input: input });
    expect(await mayRead(file, other('Write', { file_path: file, content: 'x' }))).toBe(false);
    expect(await mayRead(file, other('Grep', { path: tasks, pattern: 'x' }))).toBe(false);
  });
});

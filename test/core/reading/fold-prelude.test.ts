/** The command is found inside the text that a harness puts around it. */
import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { foldPrelude } from '../../../src/core/reading/fold-prelude.ts';
import { commandsOf, reasonsOf, understand } from './reading-fixture.ts';

const SNAPSHOT = '/home/u/.claude/shell-snapshots/snapshot-bash-1784985178997-ev7jb6.sh';
const claude = (quoted: string, tail = '7544') =>
  `source ${SNAPSHOT} 2>/dev/null || true && shopt -u extglob 2>/dev/null || true && { \\builtin unalias -- 'unsetenv'; \\builtin unset -f -- 'unsetenv'; } >/dev/null 2>&1 || true && eval ${quoted} < /dev/null && pwd -P >| /tmp/claude-${tail}-cwd`;
const openclaw = (command: string) =>
  `export PATH="\${OPENCLAW_PREPEND_PATH}\${PATH:+:$PATH}"; unset OPENCLAW_PREPEND_PATH; ${command}`;
const gemini = (command: string) =>
  `shopt -u promptvars nullglob extglob nocaseglob dotglob; _bgpids_file=/tmp/gemini-shell-DJy1jL/bgpids.tmp\n(\n  trap 'jobs -p > "$_bgpids_file"' EXIT\n${command}\n)\n__code=$?\nexit $__code`;
const codex = (quoted: string, name = 'CODEX_THREAD_ID') =>
  `__CODEX_SNAPSHOT_OVERRIDE_SET_0="\${CODEX_THREAD_ID+x}"\n__CODEX_SNAPSHOT_OVERRIDE_0="\${CODEX_THREAD_ID-}"\n\nif . '/home/u/.codex/shell_snapshots/x.sh' >/dev/null 2>&1; then :; fi\n\nif [ -n "\${__CODEX_SNAPSHOT_OVERRIDE_SET_0}" ]; then export ${name}="\${__CODEX_SNAPSHOT_OVERRIDE_0}"; else unset ${name}; fi\n\nexec '/bin/bash' -c ${quoted}`;
const quoteAs = (quote: string) => (command: string) => `'${command.replaceAll("'", quote)}'`;

describe('the preludes of harnesses', () => {
  test.each([
    ['claude', claude("'git log'"), SNAPSHOT],
    ['codex', codex("'git log'"), '/home/u/.codex/shell_snapshots/x.sh'],
    ['openclaw', openclaw('git log'), undefined],
  ])('%s: the command is found, and what runs before it is named', (harness, text, source) => {
    const folded = foldPrelude(text);
    expect(folded?.harness).toBe(harness);
    expect(folded?.command).toBe('git log');
    expect(folded?.sources).toEqual(source === undefined ? [] : [source]);
    expect(commandsOf(text)).toEqual(['git log']);
    expect(understand(text).opaque).toEqual([]);
    expect(folded?.prelude.includes('git log')).toBe(false);
  });

  test('two calls with different random names contain the same command', () => {
    const [one, two] = ['1a2b', 'ffff'].map((tail) => understand(claude("'ls -l'", tail)));
    expect(one?.commands).toEqual(two?.commands);
  });

  test('the command is what bash evaluates, whatever characters it has', () => {
    const unusual = fc.string({
      minLength: 1,
      maxLength: 12,
      unit: fc.constantFrom("'", '"', '\\', ' ', 'a', '$', '\n', ';', '`'),
    });
    const cases = fc.sample(fc.tuple(unusual, fc.constantFrom(`'"'"'`, `'\\''`)), 60);
    const quoted = cases.map(([command, quote]) => quoteAs(quote)(command));
    // One bash evaluates all commands, because starting a process from this large one is slow.
    const printEach = quoted.map((word) => `printf '%s\\0' ${word}`).join('\n');
    const evaluated = execFileSync('/bin/bash', ['-c', printEach], { encoding: 'utf8' }).split('\0').slice(0, -1);
    expect(evaluated).toEqual(cases.map(([command]) => command));
    expect(quoted.map((word) => foldPrelude(claude(word))?.command)).toEqual(evaluated);
    expect(quoted.map((word) => foldPrelude(codex(word))?.command)).toEqual(evaluated);
  });

  test.each([
    ['another command after it', `${claude("'ls'")}; id`],
    ['another command before it', `id; ${claude("'ls'")}`],
    ['another command inside it', claude("'ls'").replace(' && pwd', ' && id && pwd')],
    ['two words for eval', claude("'ls' 'id'")],
    ['a command that is not quoted', claude('ls')],
    ['a file of another name', claude("'ls'").replace('snapshot-bash-', 'evil-')],
    ['a path with ..', claude("'ls'").replace('/home/u/', '/home/../tmp/')],
    ['another target', claude("'ls'").replace('/tmp/claude-7544-cwd', '/etc/passwd')],
    ['another target that looks the same', claude("'ls'", '7544/../x')],
    ['a blank too many', claude("'ls'").replace('&& eval', '&&  eval')],
    ['codex restores another variable', codex("'ls'", 'PATH')],
    ['codex runs another shell', codex("'ls'").replace('/bin/bash', '/tmp/bash')],
    ['codex with an argument', `${codex("'ls'")} x`],
    ['codex with a line of its own', codex("'ls'").replace('\n\nif .', '\nid\n\nif .')],
    ['openclaw with another variable', openclaw('ls').replace('unset OPENCLAW', 'unset X_OPENCLAW')],
    ['the frame of Gemini CLI, which writes a file', gemini('ls')],
    ['a command without a prelude', 'git log'],
  ])('the text is left as it is: %s', (_what, text) => {
    expect(foldPrelude(text)).toBeNull();
  });

  test('the frame of Gemini CLI is opaque, because a model can make its file a link to any other file', () => {
    for (const command of ['date', 'ls\n)\nid\n(\nls', 'cat <<E'])
      expect(reasonsOf(gemini(command)), command).not.toEqual([]);
  });
});

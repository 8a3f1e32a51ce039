/** Our own calls are recognised by being exactly what we write. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  commandInFrame,
  commandInGatedCall,
  gatedCall,
  guardLine,
  isHookLineOf,
  isOwnHookLine,
  reportLine,
} from '../../src/core/own-call.ts';
import { pathWithoutShims } from '../../src/core/shim-path.ts';

const SHELL = '/opt/ape shell/bin/ape-shell';
const call = (command: string): string => gatedCall(SHELL, command);

/** Gemini CLI 0.61.0 puts this around every command. */
const framed = (command: string, file = '/tmp/gemini-shell-R5Y3Mr/bgpids.tmp'): string =>
  `shopt -u promptvars nullglob extglob nocaseglob dotglob; _bgpids_file=${file}\n(\n  trap 'jobs -p > "$_bgpids_file"' EXIT\n${command}\n)\n__code=$?\nexit $__code`;

describe('a gated call', () => {
  it('gives its command back, whatever is in it', () => {
    const texts = fc.string({ unit: fc.constantFrom("'", '\\', '"', '\n', '$', ' ', 'a', '`', 'é') });
    fc.assert(
      fc.property(texts, (text) => {
        expect(commandInGatedCall(call(text), SHELL)).toBe(text);
      }),
      { numRuns: 500 },
    );
  });

  it('is not recognised when anything stands before, behind or inside it', () => {
    const own = call('true');
    const posing = [
      `${own}; touch x`,
      `${own} && touch x`,
      `${own} touch`,
      `x=1 ${own}`,
      `${own}\ntouch x`,
      `touch x\n${own}`,
      `${own} > x`,
      `(${own})`,
      `${SHELL} -c 'true'`,
      `'${SHELL}' -lc 'true'`,
      `'${SHELL}' -c "true"`,
      `'${SHELL}' -c 'true''; touch x'`,
      `'${SHELL}' -c 'a'$(touch x)'b'`,
      `'./ape-shell' -c 'true'`,
      "'/opt/other/ape-shell' -c 'true'",
      `'${SHELL}' -c 'true`,
    ];
    expect(posing.filter((text) => commandInGatedCall(text, SHELL) !== null)).toEqual([]);
  });

  it('is recognised in the frame that Gemini CLI puts around it, and in no other', () => {
    expect(commandInGatedCall(framed(call('a\nb')), SHELL)).toBe('a\nb');
    expect(commandInGatedCall(framed(`${call('a')}\ntouch x`), SHELL)).toBeNull();
    expect(commandInGatedCall(framed(call('a'), '$(touch x)'), SHELL)).toBeNull();
    expect(commandInGatedCall(framed(call('a'), "'a';touch 'x'"), SHELL)).toBeNull();
    expect(commandInGatedCall(`${framed(call('a'))}; touch x`, SHELL)).toBeNull();
    expect(commandInGatedCall(framed(framed(call('a'))), SHELL)).toBeNull();
  });
});

describe('the frame of Gemini CLI', () => {
  it('gives its command back, whatever random name is in it', () => {
    for (const command of ['date > x', 'a\nb', 'echo )\n(', ' '])
      for (const file of ['/tmp/gemini-shell-R5Y3Mr/bgpids.tmp', '/tmp/gemini-shell-Zz0000/bgpids.tmp'])
        expect(commandInFrame(framed(command, file))).toBe(command);
  });

  it('is no frame when anything else is in it', () => {
    const own = framed('date');
    const posing = [
      `${own}\n`,
      `${own}; touch x`,
      `touch x; ${own}`,
      own.replace('jobs -p', 'touch x'),
      'date',
      framed(''),
    ];
    expect(posing.filter((text) => commandInFrame(text) !== null)).toEqual([]);
    expect(commandInFrame(framed('date', '$(touch x)'))).toBeNull();
  });
});

describe('a hook line', () => {
  const dist = "/opt/it's/dist";

  it('of this installation is known, and one that is nearly so is not', () => {
    const guard = guardLine('/opt/x/dist/bin/hook-guard', 'codex');
    expect(isHookLineOf(guard, '/opt/x/dist')).toBe(true);
    expect(isHookLineOf(reportLine('/opt/x/dist/bin/apes', 'codex'), '/opt/x/dist')).toBe(true);
    for (const other of [`${guard}; touch x`, guard.replace('exit 2', 'exit 0'), guard.replace('/opt/x', '/tmp')])
      expect(isHookLineOf(other, '/opt/x/dist'), other).toBe(false);
  });

  it('of another version or copy is still ours to take out; a user’s own is not', () => {
    expect(isOwnHookLine(guardLine(`${dist}/bin/hook-guard`, 'codex'))).toBe(true);
    expect(isOwnHookLine(reportLine(`${dist}/bin/apes`, 'claude-code'))).toBe(true);
    expect(isOwnHookLine('notify-send done')).toBe(false);
    expect(isOwnHookLine("'/home/ada/hook-guard.sh' codex")).toBe(false);
  });
});

describe('the PATH of an approved command', () => {
  it('has no directory of shims, and is the same text otherwise', () => {
    expect(pathWithoutShims('/a/ape-shell-shims:/usr/bin::/b/ape-shell-shims/')).toBe('/usr/bin:');
    expect(pathWithoutShims('/usr/bin:/my-ape-shell-shims-not')).toBe('/usr/bin:/my-ape-shell-shims-not');
  });
});

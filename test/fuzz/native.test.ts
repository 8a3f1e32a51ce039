/** Gives mutated inputs to every parser of our C programs. The long run is scripts/fuzz/native.mjs. */
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { buildFuzzer, runFuzzer, SEEDS, targets } from './native-fuzzers.ts';

const scratch = mkdtempSync(join(tmpdir(), 'ape-fuzz-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

const SEED = 20_261_122;
const RUNS = 4_000;
const MAX_MS = 120_000;

describe('what our C programs read', () => {
  it('has seeds for each target, and no others', () => {
    expect([...targets()].sort()).toEqual(Object.keys(SEEDS).sort());
  });

  it.each(targets())('%s: no input makes a wrong access or a wrong answer', (target) => {
    const { fault, edges } = runFuzzer(buildFuzzer(target, scratch), target, SEED, RUNS, MAX_MS);
    expect(fault).toBeNull();
    expect(edges).toBeGreaterThan(10);
  });
});

describe('the fuzzer finds a planted fault', () => {
  /** Builds the target with our C sources, but with `wrong` in place of `right` in one of them. */
  function planted(target: string, file: string, right: string, wrong: string): string {
    const bin = join(scratch, 'bin');
    cpSync(join(import.meta.dirname, '../../bin'), bin, { recursive: true });
    const source = readFileSync(join(bin, file), 'utf8');
    expect(source).toContain(right);
    writeFileSync(join(bin, file), source.replace(right, wrong));
    const text = readFileSync(join(import.meta.dirname, 'native', `${target}.c`), 'utf8');
    const at = join(scratch, `planted-${target}.c`);
    cpSync(join(import.meta.dirname, 'native/host.h'), join(scratch, 'host.h'));
    writeFileSync(
      join(scratch, 'host.h'),
      readFileSync(join(scratch, 'host.h'), 'utf8').replaceAll('../../../bin/', `${bin}/`),
    );
    writeFileSync(at, text.replaceAll('../../../bin/', `${bin}/`));
    return runFuzzer(buildFuzzer(`planted-${target}`, scratch, at), target, SEED, RUNS, MAX_MS).fault ?? '';
  }

  it('a profile without the check of its end', () => {
    const fault = planted(
      'leash',
      'leash.c',
      'char *bytes = malloc(*length + 1);',
      'char *bytes = malloc(*length % 64);',
    );
    expect(fault).toMatch(/heap-buffer-overflow|insufficient space/);
  });

  it('a start block whose strings are not bounded', () => {
    const right = 'string < end ? memchr(string, 0, (size_t)(end - string)) : NULL';
    expect(planted('start-block', 'base.h', right, 'strchr(string, 0)')).toMatch(/heap-buffer-overflow/);
  });

  it('an answer of the gate that is taken although it is cut off', () => {
    const fault = planted('hook-answer', 'hook-guard.c', '(size_t)(end - at) != *length || ', '');
    expect(fault).toMatch(/^status/);
  });

  it.each([
    {
      what: 'a word that names no absolute path',
      target: 'installation',
      file: 'installation.h',
      right: "if (at < 0 || !value || *value != '/')",
      wrong: 'if (at < 0 || !value)',
    },
    {
      what: 'a user whose line has a field too few',
      target: 'installation',
      file: 'installation.h',
      right: 'char *fields[6], *at = line;',
      wrong: 'char *fields[5], *at = line;',
    },
    {
      what: 'a path that is as long as its buffer',
      target: 'private-socket',
      file: 'base.h',
      right: 'if (added >= size - length) return 0;',
      wrong: 'if (added > size - length) return 0;',
    },
    {
      what: 'a frame that is cut off and freed a second time',
      target: 'session-report',
      file: 'private-socket.h',
      right: 'frame->payload = NULL;\n    return 0;',
      wrong: 'return 0;',
    },
    {
      what: 'an answer of which only the beginning is checked',
      target: 'session-report',
      file: 'session-report.h',
      right: 'answer.length == 1 &&',
      wrong: '1 &&',
    },
    {
      what: 'a message that Node sends a second time',
      target: 'session-send',
      file: 'session-send.h',
      right: 'return words_of_silence(&message, is_late);',
      wrong: 'return is_late ? words_of_silence(&message, is_late) : argv;',
    },
    {
      what: 'a deadline one second longer than the longest',
      target: 'hook-arguments',
      file: 'hook-guard.c',
      right: 'seconds < DEADLINE ?',
      wrong: 'seconds <= DEADLINE + 1 ?',
    },
    {
      what: 'a time one second longer than a day',
      target: 'deadline',
      file: 'deadline.c',
      right: 'seconds > 86400',
      wrong: 'seconds > 86401',
    },
    {
      what: 'a sequence that the end of a block cuts',
      target: 'pump',
      file: 'pump.c',
      right: "if (at == end || *at == ']'",
      wrong: "if (*at == ']'",
    },
    {
      what: 'a block that makes room too late',
      target: 'pump',
      file: 'pump.c',
      right: 'taken - copied > RING_BYTES - BLOCK_BYTES',
      wrong: 'taken - copied > RING_BYTES',
    },
    {
      what: 'a profile that is not applied',
      target: 'gate-frames',
      file: 'launcher.c',
      right: '  confine();\n  execvp',
      wrong: '  execvp',
    },
    {
      what: 'a profile whose end is one byte beyond its buffer',
      target: 'builtin-words',
      file: 'confine-builtin.c',
      right: 'held.profile = malloc((size_t)length + 1);',
      wrong: 'held.profile = malloc((size_t)length);',
    },
  ])('$target: $what', ({ target, file, right, wrong }) => {
    expect(planted(target, file, right, wrong)).toMatch(/^status/);
  });
});

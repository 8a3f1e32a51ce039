/** ape-shell reads its arguments as bash does. Only `--json` is its own option. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Invocation, readInvocation } from '../../src/core/grant/invocation.ts';

const read = (...argv: string[]): Invocation => {
  const invocation = readInvocation(argv);
  if (!invocation.ok) throw new Error(invocation.failure.message);
  return invocation.value;
};
const complaint = (...argv: string[]): string => {
  const invocation = readInvocation(argv);
  return invocation.ok ? `taken as ${invocation.value.kind}` : invocation.failure.message;
};

describe('the arguments of ape-shell', () => {
  it('-c takes the first operand as the command, and bash gets all arguments', () => {
    expect(read('ape-shell', '-c', 'echo $0 $1', 'name', '-x')).toMatchObject({
      kind: 'command',
      text: 'echo $0 $1',
      bashArguments: ['-c', 'echo $0 $1', 'name', '-x'],
    });
    expect(read('ape-shell', '-lc', 'x')).toMatchObject({ kind: 'command', text: 'x', flags: { isLogin: true } });
    expect(read('ape-shell', '-c', '-l', 'x')).toMatchObject({ kind: 'command', text: 'x', flags: { isLogin: true } });
    expect(read('ape-shell', '-c', '--', '-x')).toMatchObject({ kind: 'command', text: '-x' });
    expect(read('ape-shell', '-c', '-o', 'pipefail', 'x')).toMatchObject({ kind: 'command', text: 'x' });
    expect(read('ape-shell', '-c', '')).toMatchObject({ kind: 'command', text: '' });
  });

  it('a file operand is a script, and the words after it belong to it', () => {
    expect(read('ape-shell', 'run.sh', '-c', 'x')).toMatchObject({
      kind: 'script',
      path: 'run.sh',
      bashArguments: ['run.sh', '-c', 'x'],
    });
    expect(read('ape-shell', '-e', '--', 'run.sh')).toMatchObject({ kind: 'script', path: 'run.sh' });
  });

  it('no operand, or -s, means standard input', () => {
    expect(read('ape-shell')).toMatchObject({ kind: 'stdin', flags: { isPlain: true, isLogin: false } });
    expect(read('ape-shell', '-s', 'a')).toMatchObject({ kind: 'stdin', flags: { isPlain: false } });
    expect(read('ape-shell', '-')).toMatchObject({ kind: 'stdin' });
  });

  it('a leading dash in argv[0] is a login shell', () => {
    expect(read('-ape-shell')).toMatchObject({ kind: 'stdin', flags: { isLogin: true, isPlain: true } });
    expect(read('-ape-shell', '-c', 'x')).toMatchObject({ kind: 'command', flags: { isLogin: true } });
  });

  it('the interactive shell starts only without options other than -l, -i and --login', () => {
    for (const word of ['-l', '-i', '-li', '--login'])
      expect(read('ape-shell', word)).toMatchObject({ flags: { isPlain: true } });
    for (const word of ['-e', '-x', '--norc', '--posix', '-ie', '+e'])
      expect(read('ape-shell', word)).toMatchObject({ flags: { isPlain: false } });
  });

  it('bash does not get --json', () => {
    const invocation = read('ape-shell', '--json', '-c', 'x');
    expect(invocation).toMatchObject({ flags: { isJson: true }, bashArguments: ['-c', 'x'] });
    expect(read('ape-shell', '-c', 'x', '--json')).toMatchObject({ flags: { isJson: false } });
  });

  it('a call that bash would refuse is refused, and so is an unknown option', () => {
    expect(complaint('ape-shell', '-c')).toBe('-c wants a command');
    expect(complaint('ape-shell', '--nonsense')).toContain('--nonsense');
    expect(complaint('ape-shell', '-Z')).toContain('-Z');
    expect(complaint('ape-shell', '-o')).toContain('-o');
    expect(complaint('ape-shell', '-c', '--login', 'x')).toBe('bash takes --login only before the short options');
    expect(complaint('ape-shell', '--norc', '-c', '--norc', 'x')).toContain('--norc');
  });
});

it('bash gets all words as they were given, without our own `--json` among the options', () => {
  const word = fc.oneof(
    fc.constantFrom('-c', '-l', '-i', '-s', '--', '-', '-e', '+e', '-o', '--login', '--json', '--norc', 'x', 'y z', ''),
    fc.string(),
  );
  fc.assert(
    fc.property(fc.array(word, { maxLength: 6 }), (args) => {
      const invocation = readInvocation(['ape-shell', ...args]);
      if (!invocation.ok || invocation.value.kind === 'version' || invocation.value.kind === 'help') return;
      const { bashArguments, flags } = invocation.value;
      const withoutOurs = (words: readonly string[]) => words.filter((each) => each !== '--json');
      expect(withoutOurs(bashArguments)).toEqual(withoutOurs(args));
      if (!flags.isJson) expect(bashArguments).toEqual(args);
    }),
    { numRuns: 2000 },
  );
});

it('no word after the first operand changes the command', () => {
  fc.assert(
    fc.property(fc.array(fc.string(), { maxLength: 4 }), (rest) => {
      expect(read('ape-shell', '-c', 'first', ...rest)).toMatchObject({ kind: 'command', text: 'first' });
    }),
  );
});

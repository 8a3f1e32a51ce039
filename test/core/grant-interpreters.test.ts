/** The note on an approval card that names the interpreters in a line. */
import { describe, expect, it } from 'vitest';
import { interpretersIn } from '../../src/core/reading/interpreters.ts';

describe('the note on interpreters', () => {
  it('names each interpreter in a position where a command may begin', () => {
    expect(interpretersIn('bash build.sh')).toEqual(['bash']);
    expect(interpretersIn('cd x && make -j4; npm run build | tee log')).toEqual(['make', 'npm']);
    expect(interpretersIn('A=1 B="2" /usr/bin/python3 -c "x"')).toEqual(['python3']);
    expect(interpretersIn('echo $(perl -e 1) `node -e 2`')).toEqual(['perl', 'node']);
    expect(interpretersIn('~/x/python3.11-dbg -c 1; bash-5.2 y; ./lua5.4')).toEqual([
      'python3.11-dbg',
      'bash-5.2',
      'lua5.4',
    ]);
    expect(interpretersIn('if true; then vim x; fi')).toEqual(['vim']);
    expect(interpretersIn('time ssh host\n(cd /; xargs rm)')).toEqual(['ssh', 'xargs']);
  });

  it('does not name a word that only resembles an interpreter', () => {
    for (const text of ['ls -la', 'echo bash', 'cat makefile', 'basher x', ''])
      expect(interpretersIn(text)).toEqual([]);
  });
});

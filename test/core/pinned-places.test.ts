/** The directories between a writable one and what stays read-only in it are pinned, if that is there. */
import { expect, it } from 'vitest';
import { pinnedPlaces } from '../../src/core/confinement/pinned-places.ts';

const THERE = ['/p/.cargo/config.toml', '/p/deep/er/sub/.git', '/p/.git', '/q/.config/git', '/link/.cargo/config'];
const kindOf = (path: string) => (path.startsWith('/link') ? 'unknown' : THERE.includes(path) ? 'file' : 'nothing');
const pinned = (write: readonly string[], readOnly: readonly string[] = THERE) =>
  pinnedPlaces({ write, readOnly }, kindOf);

it('are those above what is there, the upper ones first', () => {
  expect(pinned(['/p'])).toEqual(['/p/deep', '/p/.cargo', '/p/deep/er', '/p/deep/er/sub']);
  expect(pinned(['/p/deep/er', '/q'])).toEqual(['/q/.config', '/p/deep/er/sub']);
});

it('are none above what is not there, right in a writable directory, or in none', () => {
  expect(pinned(['/p'], ['/p/.github/hooks', '/p/.git'])).toEqual([]);
  expect(pinned(['/other'])).toEqual([]);
  expect(pinned(['/p/.cargo/config.toml'])).toEqual([]);
});

it('are those above what cannot be looked at', () => {
  expect(pinned(['/link'])).toEqual(['/link/.cargo']);
});

/** The directories between a writable directory and an existing read-only path in it: the host pins them. */
import { expect, it } from 'vitest';
import { pinnedPlaces } from '../../src/core/confinement/pinned-places.ts';

const THERE = ['/p/.cargo/config.toml', '/p/deep/er/sub/.git', '/p/.git', '/q/.config/git', '/link/.cargo/config'];
const kindOf = (path: string) => (path.startsWith('/link') ? 'unknown' : THERE.includes(path) ? 'file' : 'nothing');
const pinned = (write: readonly string[], readOnly: readonly string[] = THERE) =>
  pinnedPlaces({ write, readOnly }, kindOf);

it('pinned directories are those above an existing path, the upper directories first', () => {
  expect(pinned(['/p'])).toEqual(['/p/deep', '/p/.cargo', '/p/deep/er', '/p/deep/er/sub']);
  expect(pinned(['/p/deep/er', '/q'])).toEqual(['/q/.config', '/p/deep/er/sub']);
});

it('no directory is pinned for a missing path, for a path directly in a writable directory, or for a path outside', () => {
  expect(pinned(['/p'], ['/p/.github/hooks', '/p/.git'])).toEqual([]);
  expect(pinned(['/other'])).toEqual([]);
  expect(pinned(['/p/.cargo/config.toml'])).toEqual([]);
});

it('directories above a path that cannot be looked at are pinned too', () => {
  expect(pinned(['/link'])).toEqual(['/link/.cargo']);
});

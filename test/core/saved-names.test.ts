/** Which file wget may write if another command of the line, or another URL, changes which numbers are free. */
import { expect, it } from 'vitest';
import { APP, assess } from './scope-fixture.ts';

const written = (text: string): readonly (readonly string[])[] =>
  (assess(text).requiredPermissions ?? [])
    .filter(({ permission }) => permission.tool === 'wget')
    .map(({ permission }) =>
      permission.resources
        .filter(({ kind, access }) => kind === 'path' && access === 'write')
        .map(({ value, isExact }) => `${value}${isExact ? '' : '…'}`),
    );

const NAMED = [`${APP}/x`, `${APP}/x.1`];
const ANY = [`${APP}…`];

it.each([
  ['wget https://a.com/x', [NAMED]],
  ['wget -O x https://a.com/x', [[`${APP}/x`]]],
  ['wget https://a.com/x && wget https://a.com/x', [NAMED, ANY]],
  ['wget https://a.com/x https://b.com/x', [ANY]],
  ['touch x.1 && wget https://a.com/x', [ANY]],
  ['rm x.1; wget https://a.com/x', [ANY]],
  ['rm -r ./x; wget https://a.com/x', [ANY]],
  ['make && wget https://a.com/x', [ANY]],
  ['for i in 1 2; do wget https://a.com/x; done', [ANY]],
  ['touch y x.y && wget https://a.com/x', [NAMED]],
  ['wget https://a.com/y && wget https://a.com/x', [[`${APP}/y`, `${APP}/y.1`], NAMED]],
  ['mkdir -p d && wget https://a.com/x', [NAMED]],
])('%s', (text, paths) => {
  expect(written(text).map((each) => [...each].sort())).toEqual(paths.map((each) => [...each].sort()));
});

it('the card says that wget writes ~/.wget-hsts, and --hsts-file names another file that is written', () => {
  const [required] = assess('wget -q https://a.com/x').requiredPermissions ?? [];
  expect(required?.permission.sentence).toContain('~/.wget-hsts');
  expect(written('wget --hsts-file h https://a.com/x')).toEqual([[`${APP}/h`, `${APP}/x`, `${APP}/x.1`]]);
});

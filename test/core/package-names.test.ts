/** Which words a package manager looks up in a registry under the name that is written, and which it takes for something else. */
import { expect, it } from 'vitest';
import { effectsOfLine } from './rule-effects.ts';

it.each(['foo', 'foo@1.2.3', 'foo@^1.2', 'foo@latest', 'foo@1.x', '@a/b', '@a/b@2.0.0-rc.1', 'socket.io', 'foo@*'])(
  'npm install %s names a package',
  (word) => {
    expect(effectsOfLine(`npm install '${word}'`)).not.toMatchObject({ kind: 'opaque' });
  },
);

it.each(['foo==1.0', 'foo[a,b]', 'foo~=1.4', 'foo===1.0+local'])('pip install %s names a package', (word) => {
  expect(effectsOfLine(`pip install '${word}'`)).not.toMatchObject({ kind: 'opaque' });
});

it.each(['libc6:amd64', 'foo=1:2.3-4'])('apt-get install %s names a package', (word) => {
  expect(effectsOfLine(`apt-get install ${word}`)).not.toMatchObject({ kind: 'opaque' });
});

it.each([
  ...['npm install .foo', 'npm install ..a', 'npm install x.tgz', 'npm install x.tar.gz', 'npm install x@.'],
  ...[
    'npm install x@file:..',
    'npm install x@npm:evil',
    'npm install x@y.tgz',
    'npm install @a/b@..',
    'npm install file:x',
  ],
  ...['npm install git:x', 'npm install x@github:y', 'pip install .foo', 'pip install x.whl', 'pip install x.tar.bz2'],
])('%s is opaque: the word is no name in a registry', (line) => {
  expect(effectsOfLine(line)).toMatchObject({ kind: 'opaque' });
});

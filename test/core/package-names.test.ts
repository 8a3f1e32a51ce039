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

it.each(['libc6:amd64', 'foo=1:2.3-4', 'foo:amd64=1.2', 'foo=1.*'])('apt-get install %s names a package', (word) => {
  expect(effectsOfLine(`apt-get install '${word}'`)).not.toMatchObject({ kind: 'opaque' });
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

it.each([
  ...['apt-get remove curl:amd64+', 'apt-get remove curl=8.5.0+', 'apt-get purge curl+', 'apt remove x=1:2+'],
  ...['apt-get install curl:amd64-', 'apt-get install curl=8.5.0-', 'apt install curl-', 'apt-get install mail^'],
  ...['apt-get install x=1^', 'apt-get install curl/stable+', "apt-get install 'x?'", "apt-get install 'x*'"],
  ...["apt-get install 'x|'", "apt-get remove 'x$'", "apt install '~nx'", "apt install '?name(x)'", 'apt show ./x.deb'],
])('%s is opaque: apt takes the word for an instruction or a pattern', (line) => {
  expect(effectsOfLine(line)).toMatchObject({ kind: 'opaque' });
});

it.each([
  ['apt-get install l.b', 'write', 'l.b'],
  ['apt-get remove li+b', 'delete', 'li+b'],
  ['apt-get purge docker.io', 'delete', 'docker.io'],
])('%s also means any package: the name may be a regular expression', (line, access, value) => {
  const resources = [
    { kind: 'package', access, value: '', isExact: false },
    { kind: 'package', access, value, isExact: true },
  ];
  expect(effectsOfLine(line)).toMatchObject({ permission: { resources } });
});

it.each(['npm install npm:evil', 'pnpm add jsr:evil', 'yarn add workspace:x', 'npx npm:evil', 'npm install a:1'])(
  '%s is opaque: the word before a colon is a protocol',
  (line) => {
    expect(effectsOfLine(line)).toMatchObject({ kind: 'opaque' });
  },
);

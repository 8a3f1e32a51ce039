/** Threat: a word in a message of a C program, such as an argument or a path, acts on the terminal that shows the message. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { removeDirectory } from '../../scripts/remove-directory.mjs';
import { DIST } from '../fixtures/programs.ts';

/** Octal and `\x` forms are for printf(1), which makes the argument: one of them is no UTF-8. */
const ODD = String.raw`a\033[31mb\302\2335mc\n\177\r\342\200\256d\342\201\246e\330\234f\233g\342h`;
const SHOWN = String.raw`a\x1b[31mb\xc2\x9b5mc\x0a\x7f\x0d\xe2\x80\xaed\xe2\x81\xa6e\xd8\x9cf\x9bg`;

const messageOf = (line: string): Buffer =>
  spawnSync('bash', ['--norc', '-c', line], { env: { PATH: '/usr/bin:/bin', APES_RESIDENT: '0' }, input: '{}' }).stderr;
const argument = `"$(printf '${ODD}')"`;

it.each([
  ['hook-guard', `'${DIST}/bin/hook-guard' claude-code ${argument}`],
  ['the launcher', `'${DIST}/bin/ape-shell' --installation=${argument} -c true`],
  ['leash', `'${DIST}/bin/leash' /tmp ${argument} x 3< <(printf '\\0\\0\\0\\0\\0'; sleep 0.3)`],
  ['leash, about a directory', `'${DIST}/bin/leash' ${argument} true x 3< <(printf '\\0\\0\\0\\0\\0'; sleep 0.3)`],
])('%s shows such bytes as \\xNN', (_, line) => {
  const message = messageOf(line);
  expect(message.toString('latin1')).toContain(SHOWN);
  expect(message.subarray(0, -1).includes('\n')).toBe(false);
});

it('letters of other scripts stay as they are', () => {
  const { stderr } = spawnSync(join(DIST, 'bin/hook-guard'), ['claude-code', 'größe 日本 🦍']);
  expect(stderr.toString()).toContain('größe 日本 🦍');
});

it('a directory that was deleted before the confinement is named with its own error', () => {
  const place = mkdtempSync(join(tmpdir(), 'ape-native-'));
  mkdirSync(join(place, 'gone'));
  writeFileSync(join(place, 'file'), '');
  // The kept path is below a file: the error ENOTDIR of this path is ignored, and must not be in the message.
  const profile = Buffer.from(['v1', 'l3', 'X/usr', `o${place}/file/below`, '.', ''].join('\0'));
  const length = Buffer.alloc(4);
  length.writeUInt32BE(profile.length);
  writeFileSync(join(place, 'control'), Buffer.concat([Buffer.from([0]), length, profile]));
  const leash = `'${DIST}/bin/leash' /proc/self/cwd /usr/bin/true true`;
  expect(
    messageOf(`cd '${place}/gone' && rmdir ../gone && ${leash} 3< <(cat '${place}/control'; sleep 1)`).toString(),
  ).toBe(
    'apes: cannot confine it: the directory cannot be entered again: No such file or directory; nothing ran; ask for the exact line, which runs unconfined\n',
  );
  removeDirectory(place);
});

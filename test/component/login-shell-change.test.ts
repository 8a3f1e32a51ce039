/** Which program changes a login shell, and what to do if there is none. */
import { expect, it } from 'vitest';
import { changingCommand } from '../../src/cli/shell/change.ts';

const [CHSH, USERMOD] = ['/usr/bin/chsh', '/usr/sbin/usermod'];
const change = (chsh: string | null, usermod: string | null, isRoot: boolean) =>
  changingCommand('u', '/bin/bash', { chsh, usermod, isRoot });

it('chsh is called if it is there, and usermod by root only', () => {
  expect(change(CHSH, USERMOD, false)).toEqual({ ok: true, value: [CHSH, '-s', '/bin/bash', 'u'] });
  expect(change(CHSH, null, true)).toEqual({ ok: true, value: [CHSH, '-s', '/bin/bash', 'u'] });
  expect(change(null, USERMOD, true)).toEqual({ ok: true, value: [USERMOD, '-s', '/bin/bash', 'u'] });
});

it('a user who is not root is not told to install usermod if it is there', () => {
  expect(change(null, USERMOD, false)).toMatchObject({
    failure: {
      message: 'chsh is not on this machine, and only root may call usermod',
      advice: 'call the same verb as root, with sudo and --user',
    },
  });
  for (const isRoot of [true, false])
    expect(change(null, null, isRoot)).toMatchObject({
      failure: { message: 'neither chsh nor usermod is on this machine' },
    });
});

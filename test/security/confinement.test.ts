/**
 * Threat: a covered command does something that its scope does not cover, because a rule file or a tool has a fault. The kernel must
 * prevent it. Every way out is tried twice: unconfined, where it must work (or the test would prove nothing), and confined.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  closeSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Confinement } from '../../src/core/confinement/confinement.ts';
import { type Ended, type HeldRun, NOTHING, profileOf, REACHED, runHeld } from '../fixtures/held-run.ts';

const NOBODY = 65534;
const isRoot = process.getuid?.() === 0;
const USERS: readonly (readonly [string, number | undefined])[] = isRoot
  ? [
      ['root', undefined],
      ['a user', NOBODY],
    ]
  : [['a user', undefined]];

const top = mkdtempSync(join(tmpdir(), 'ape-held-'));
const inside = join(top, 'inside');
const outside = join(top, 'outside');
const attempt = join(top, 'bin', 'attempt');
const servers: Server[] = [];
let port = '';
let victim: ChildProcess;
let ownGroup = 0;

beforeAll(async () => {
  chmodSync(top, 0o755);
  mkdirSync(join(top, 'bin'));
  const source = fileURLToPath(new URL('../fixtures/attempt.c', import.meta.url));
  execFileSync(process.env['CC'] ?? 'cc', ['-O1', source, '-o', attempt]);
  const tcp = createServer((socket) => socket.destroy());
  await new Promise<void>((resolve) => tcp.listen(0, '127.0.0.1', resolve));
  port = String((tcp.address() as { port: number }).port);
  servers.push(tcp);
});

afterAll(() => {
  for (const server of servers) server.close();
  rmSync(top, { recursive: true, force: true });
});

/** Makes all files anew, owned by this user, so that only the confinement can prevent an access. */
function lay(uid: number | undefined): void {
  for (const place of [inside, outside]) {
    rmSync(place, { recursive: true, force: true });
    mkdirSync(join(place, 'folder', 'empty'), { recursive: true });
    writeFileSync(join(place, 'file'), 'as it was\n', { mode: 0o600 });
    writeFileSync(join(place, 'program'), '#!/bin/sh\necho ran > "$0.mark"\necho done\n', { mode: 0o700 });
    copyFileSync(attempt, join(place, 'attempt'));
    symlinkSync(join(outside, 'file'), join(place, 'link-out'));
    symlinkSync(outside, join(place, 'folder-out'));
    if (uid === undefined) continue;
    execFileSync('chown', ['-hR', `${uid}:${uid}`, place]);
  }
}

const writable = (more: Partial<Confinement> = {}): Confinement => ({
  ...NOTHING,
  read: [inside],
  write: [inside],
  execute: [attempt],
  ...more,
});
const readable = (more: Partial<Confinement> = {}): Confinement => ({
  ...NOTHING,
  read: [inside],
  execute: [attempt],
  ...more,
});

async function tried(
  uid: number | undefined,
  confinement: Confinement | null,
  ways: readonly string[],
  more: Pick<HeldRun, 'inherited' | 'input' | 'through'> = {},
): Promise<string> {
  const ended = await runHeld({
    argv: [attempt, ...ways],
    profile: confinement === null ? null : profileOf(confinement),
    cwd: inside,
    ...(uid === undefined ? {} : { uid }),
    ...more,
  });
  return `${ended.out}${ended.err}`.trim() || `status ${ended.status} ${ended.signal ?? ''}`.trim();
}

const METADATA: readonly string[] = [
  ...'fchmodat fchmodat2 fchownat utimensat setxattr lsetxattr fsetxattr removexattr lremovexattr fremovexattr setxattrat removexattrat file_setattr'.split(
    ' ',
  ),
  ...(process.arch === 'x64' ? ['lchown', 'utime', 'utimes', 'futimesat'] : []),
];
const OTHER_WAYS: readonly string[] =
  'request_key keyctl msgget semget mq_open shmctl msgsnd msgctl semop semtimedop semctl mq_unlink open_by_handle_at mount setns umount2 pivot_root open_tree move_mount fsopen fsconfig fsmount fspick mount_setattr open_tree_attr'.split(
    ' ',
  );

/** ioctl(2) requests that type into a terminal. */
const TYPING = ['5412', '541C'];
/**
 * ioctl(2) requests that need only a descriptor open for reading: attributes, subvolumes and snapshots of btrfs, keys
 * and policies of encrypted directories, verity, attributes of FAT.
 */
const CHANGING =
  '40086602 40046602 401c5820 40087602 5000940e 50009401 50009417 50009418 5000940f 5000943f 4008941a c0506617 c0406618 c0406619 800c6613 40806685 40047211'.split(
    ' ',
  );

/** A kernel that reaches a level refuses the access. A host without a level runs nothing, and says so. */
const REFUSED = /^(EACCES|EPERM|EXDEV|ENOSYS|ESRCH|status 1(26)?|.*(Permission denied|cannot open shared object).*)$/s;
const NOT_HELD = /nothing ran/;
const expectRefused = (outcome: string): void => expect(outcome).toMatch(REACHED.level === 0 ? NOT_HELD : REFUSED);

describe.each(USERS)('files, for %s', (_name, uid) => {
  beforeEach(() => lay(uid));

  const file = join(outside, 'file');
  const OUT: readonly (readonly string[])[] = [
    ['read', file],
    ['list', outside],
    ['write', file],
    ['append', file],
    ['create', join(outside, 'new')],
    ['truncate', file],
    ['rename', join(inside, 'file'), join(outside, 'moved')],
    ['rename', file, join(inside, 'moved')],
    ['exchange', join(inside, 'file'), file],
    ['link', file, join(inside, 'linked')],
    ['link', join(inside, 'file'), join(outside, 'linked')],
    ['symlink', '/', join(outside, 'symlink')],
    ['unlink', file],
    ['mkdir', join(outside, 'made')],
    ['rmdir', join(outside, 'folder', 'empty')],
    ['fifo', join(outside, 'fifo')],
    ['tmpfile', outside],
    ['read', join(inside, 'link-out')],
    ['write', join(inside, 'link-out')],
    ['write', join(inside, 'folder-out', 'file')],
    ['create', join(inside, '..', 'outside', 'new')],
    ['write', '../outside/file'],
    ['chdir', outside, 'file'],
    ['exec', join(outside, 'program'), 'program'],
    ['exec', join(outside, 'attempt'), 'attempt', 'stat', '/'],
    ['memfd', join(outside, 'attempt'), 'attempt', 'stat', '/'],
  ];

  test.each(OUT)('an access outside works unconfined, and is refused confined: %s %s %s', async (...ways) => {
    const words = ways.filter((word) => word !== undefined);
    const free = await tried(uid, null, words);
    expect(free).toBe('done');
    lay(uid);
    expectRefused(await tried(uid, writable(), words));
    expect(readFileSync(file, 'utf8')).toBe('as it was\n');
    expect(execFileSync('ls', ['-A', outside], { encoding: 'utf8' }).split('\n').sort()).toEqual(
      ['', 'attempt', 'file', 'folder', 'folder-out', 'link-out', 'program'].sort(),
    );
  });

  test('in a directory that may only be read, nothing can be executed, made, linked, moved or removed', async () => {
    const program = join(inside, 'attempt');
    for (const held of [readable(), writable()]) {
      expectRefused(await tried(uid, held, ['exec', program, 'attempt', 'stat', '/']));
      expectRefused(await tried(uid, held, ['memfd', program, 'attempt', 'exec', program, 'attempt', 'stat', '/']));
    }
    for (const way of [
      ['create', join(inside, 'new')],
      ['write', join(inside, 'file')],
      ['link', join(inside, 'file'), join(inside, 'linked')],
      ['link', join(inside, 'file'), join(inside, 'folder', 'linked')],
      ['rename', join(inside, 'file'), join(inside, 'moved')],
      ['rename', join(inside, 'file'), join(inside, 'folder', 'moved')],
      ['unlink', join(inside, 'file')],
      ['rmdir', join(inside, 'folder', 'empty')],
    ]) {
      expectRefused(await tried(uid, readable(), way));
      expect([way, await tried(uid, null, way)]).toEqual([way, 'done']);
      lay(uid);
    }
  });

  test('no device and no socket can be made, not even where files can be written', async () => {
    for (const way of ['whiteout', 'socket-node', 'block']) {
      expect(await tried(uid, null, [way, join(inside, way)])).toBe(
        way === 'block' && uid !== undefined ? 'EPERM' : 'done',
      );
      rmSync(join(inside, way), { force: true });
      const outcome = await tried(uid, writable(), [way, join(inside, way)]);
      expect(outcome).toMatch(REACHED.level === 0 ? NOT_HELD : /^EACCES$/);
    }
  });

  test('inside, all of these accesses work', async () => {
    const ways = [
      ['read', join(inside, 'file')],
      ['write', join(inside, 'file')],
      ['create', join(inside, 'new')],
      ['truncate', join(inside, 'file')],
      ['rename', join(inside, 'file'), join(inside, 'folder', 'moved')],
      ['symlink', '/', join(inside, 'symlink')],
      ['mkdir', join(inside, 'made')],
      ['chmod', join(inside, 'program')],
      ['touch', join(inside, 'program')],
      ['unlink', join(inside, 'folder', 'moved')],
      ['tmpfile', inside],
    ];
    for (const way of ways) {
      const outcome = await tried(uid, writable(), way);
      if (REACHED.level === 0) expect(outcome).toMatch(NOT_HELD);
      else expect([way[0], outcome]).toEqual([way[0], 'done']);
    }
  });

  const SET_ID = ['chmod', 'fchmod', 'fchmodat', 'fchmodat2', 'open', 'mknodat', 'openat2', 'unnamed'];
  if (process.arch === 'x64') SET_ID.push('old-open', 'creat', 'mknod');
  test.each(SET_ID)('%s makes no set-user-ID program, not even where files can be written', async (how) => {
    const program = join(inside, 'attempt');
    const modeOf = (): number => (existsSync(program) ? statSync(program).mode : 0) & 0o6000;
    for (const [mode, isFree] of [
      ['4755', false],
      ['2755', uid !== undefined],
    ] as const) {
      lay(uid);
      if (how === 'unnamed') rmSync(program);
      expect(await tried(uid, null, ['set-id', how, program, mode])).toBe('done');
      expect(modeOf()).toBe(Number.parseInt(mode, 8) & 0o6000);
      lay(uid);
      if (how === 'unnamed') rmSync(program);
      const outcome = await tried(uid, writable(), ['set-id', how, program, mode]);
      const isDone = isFree && how !== 'openat2' && REACHED.level > 0;
      expect(outcome).toMatch(REACHED.level === 0 ? NOT_HELD : isDone ? /^done$/ : /^(EPERM|ENOSYS)$/);
      expect(modeOf() !== 0).toBe(isDone);
      if (REACHED.level > 0 && how !== 'openat2') {
        lay(uid);
        if (how === 'unnamed') rmSync(program);
        expect(await tried(uid, writable(), ['set-id', how, program, '755'])).toBe('done');
      }
    }
  });

  test('open(2) without O_CREAT may have any mode argument', async () => {
    const outcome = await tried(uid, writable(), ['set-id', 'opened', join(inside, 'attempt')]);
    expect(outcome).toMatch(REACHED.level === 0 ? NOT_HELD : /^done$/);
  });

  test('a file that may only be read keeps its mode, owner, times and attributes', async () => {
    for (const way of ['chmod', 'chown', 'touch']) {
      expect(await tried(uid, null, [way, file])).toBe('done');
      expectRefused(await tried(uid, readable(), [way, file]));
      expectRefused(await tried(uid, readable(), [way, join(inside, 'file')]));
    }
    const fd = openSync(file, 'r');
    for (const way of ['fchmod', 'fchown']) {
      expect(await tried(uid, null, [way, '4'], { inherited: [fd] })).toBe('done');
      expectRefused(await tried(uid, readable(), [way, '4'], { inherited: [fd] }));
    }
    closeSync(fd);
  });

  test.each(METADATA)('%s cannot be called if the profile has no writable path', async (name) => {
    expect(await tried(uid, null, ['call', name])).not.toMatch(/^(EACCES|EPERM|done)$/);
    expect(await tried(uid, readable(), ['call', name])).toMatch(REACHED.level === 0 ? NOT_HELD : /^EACCES$/);
    if (REACHED.level > 0) expect(await tried(uid, writable(), ['call', name])).not.toBe('EACCES');
  });

  test('a program that may be executed stays confined, also through the loader and from memory', async () => {
    const loader =
      /interpreter: (\S+?)\]/.exec(execFileSync('readelf', ['-l', attempt], { encoding: 'utf8' }))?.[1] ?? '';
    expect(await tried(uid, null, ['loader', loader, attempt, 'read', file])).toBe('done');
    for (const way of [
      ['loader', loader, attempt, 'read', file],
      ['memfd', attempt, 'attempt', 'read', file],
      ['exec', attempt, 'attempt', 'exec', attempt, 'attempt', 'read', file],
    ])
      expectRefused(await tried(uid, writable(), way));
  });

  test('an inherited descriptor of a directory gives no access to files outside', async () => {
    const fd = openSync(outside, 'r');
    expect(await tried(uid, null, ['inherited-openat', '4', 'file'], { inherited: [fd] })).toBe('done');
    expectRefused(await tried(uid, writable(), ['inherited-openat', '4', 'file'], { inherited: [fd] }));
    closeSync(fd);
  });

  test('a file that is inherited for reading cannot be opened again for writing', async () => {
    const fd = openSync(file, 'r');
    expect(await tried(uid, null, ['reopen', '/proc/self/fd/4'], { inherited: [fd] })).toBe('done');
    expectRefused(await tried(uid, writable(), ['reopen', '/proc/self/fd/4'], { inherited: [fd] }));
    closeSync(fd);
  });
});

describe.each(USERS)('network, for %s', (_name, uid) => {
  beforeEach(() => lay(uid));

  test('without a port there is no TCP, UDP or other socket', async () => {
    for (const way of [
      ['tcp', port],
      ['fast-open', port],
      ['fast-open-message', port],
      ['fast-open-messages', port],
      ['listen', '0'],
      ['listen-unbound'],
      ['udp', port],
    ]) {
      expect([way[0], await tried(uid, null, way)]).toEqual([way[0], 'done']);
      expectRefused(await tried(uid, writable(), way));
    }
    for (const way of [['raw'], ['packet'], ['vsock'], ['mptcp', port]])
      expectRefused(await tried(uid, writable(), way));
  });

  test('of the families of netlink(7) only those that describe the network can be opened', async () => {
    for (const family of ['0', '4']) // NETLINK_ROUTE, NETLINK_SOCK_DIAG
      expect(await tried(uid, writable(), ['netlink', family])).toMatch(REACHED.level === 0 ? NOT_HELD : /^done$/);
    for (const family of ['15', '16']) {
      expect(await tried(uid, null, ['netlink', family])).toBe('done'); // NETLINK_KOBJECT_UEVENT, NETLINK_GENERIC
      for (const confinement of [
        writable(),
        writable({ level: 2, connect: [443] }),
        writable({ level: 2, connect: 'any' }),
      ])
        expectRefused(await tried(uid, confinement, ['netlink', family]));
    }
  });

  test('with a port there is TCP only to that port', async () => {
    const other = createServer((socket) => socket.destroy());
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const another = String((other.address() as { port: number }).port);
    const spare = createServer();
    await new Promise<void>((resolve) => spare.listen(0, '127.0.0.1', resolve));
    const unused = String((spare.address() as { port: number }).port);
    await new Promise((resolve) => spare.close(resolve));
    expect(await tried(uid, null, ['listen', unused])).toBe('done');
    const confinement = writable({ level: 2, connect: [Number(port), Number(unused)] });
    const reached = await tried(uid, confinement, ['tcp', port]);
    const ways = [
      ['tcp', another],
      ['fast-open', another],
      ['fast-open-message', another],
      ['fast-open-messages', another],
      ['mptcp', another],
      ['listen', '0'],
      ['listen', unused],
      ['listen-unbound'],
      ['raw'],
    ];
    // A protocol above TCP may connect inside the kernel, where Landlock does not check the port.
    expect(await tried(uid, null, ['upper-protocol'])).toMatch(/^(?:done|E(?!ACCES).*)$/);
    expect(await tried(uid, confinement, ['no-delay'])).toMatch(REACHED.level >= 2 ? /^done$/ : NOT_HELD);
    if (REACHED.level >= 2) {
      expect(await tried(uid, confinement, ['upper-protocol'])).toBe('EACCES');
      expect(reached).toBe('done');
      for (const way of ways) expectRefused(await tried(uid, confinement, way));
    } else
      for (const outcome of [reached, await tried(uid, confinement, ['udp', port])]) expect(outcome).toMatch(NOT_HELD);
    other.close();
  });

  test('no socket of another program can be reached by its path or its name, also over a pair', async () => {
    const path = join(outside, 's');
    const server = createServer((socket) => socket.destroy());
    await new Promise<void>((resolve) => server.listen(path, resolve));
    if (uid !== undefined) chownSync(path, uid, uid);
    expect(await tried(uid, null, ['unix', path])).toBe('done');
    for (const confinement of [writable(), writable({ connect: 'any' }), writable({ write: [inside, outside] })]) {
      expectRefused(await tried(uid, confinement, ['unix', path]));
      expectRefused(await tried(uid, confinement, ['unix', '@ape-test-abstract']));
      expectRefused(await tried(uid, confinement, ['unix-pair', path]));
      expectRefused(await tried(uid, confinement, ['unix-pair-raw', path]));
    }
    expect(await tried(uid, writable(), ['unix-pair-stream', path])).toMatch(
      REACHED.level === 0 ? NOT_HELD : /^(EISCONN|EINVAL)$/,
    );
    await new Promise((resolve) => server.close(resolve));
  });
});

describe.each(USERS)('processes, for %s', (_name, uid) => {
  beforeAll(() => {
    lay(uid);
    const user = uid === undefined ? {} : { uid, gid: uid };
    victim = spawn('/bin/sleep', ['1000'], { stdio: 'ignore', cwd: outside, detached: true, ...user });
    ownGroup = victim.pid ?? 0;
  });
  afterAll(() => {
    victim.kill('SIGKILL');
  });

  test('outside cannot be traced or read, and none of their descriptors can be taken', async () => {
    const pid = String(victim.pid);
    for (const way of [
      ['ptrace', pid],
      ['steal-descriptor', pid],
      ['read', `/proc/${pid}/environ`],
      ['read', `/proc/${pid}/mem`],
      ['read', `/proc/${pid}/root${outside}/file`],
      ['read', `/proc/${pid}/cwd/file`],
      ['read', `/proc/${pid}/fd/0`],
    ]) {
      if (way[0] !== 'ptrace') expect([way, await tried(uid, null, way)]).toEqual([way, 'done']);
      expectRefused(await tried(uid, writable(), way));
    }
    expect(await tried(uid, null, ['ptrace', pid])).toBe('done');
  });

  test('outside get no signal (Linux 6.12); own children do', async () => {
    const pid = String(victim.pid);
    expect(await tried(uid, null, ['signal', pid])).toBe('done');
    for (const way of ['signal', 'signal-pidfd']) {
      const outcome = await tried(uid, writable(), [way, pid]);
      if (REACHED.level > 0 && REACHED.landlockAbi < 6) expect(outcome).toBe('done');
      else expectRefused(outcome);
    }
    expect(await tried(uid, writable(), ['signal-own'])).toMatch(REACHED.level === 0 ? NOT_HELD : /^done$/);
  });

  test('outside get no resource limits, with which the kernel would kill them; own children do', async () => {
    const pid = String(victim.pid);
    expect(await tried(uid, null, ['limit', pid])).toBe('done');
    expectRefused(await tried(uid, writable(), ['limit', pid]));
    expect(await tried(uid, writable(), ['limit-own'])).toMatch(REACHED.level === 0 ? NOT_HELD : /^done$/);
  });

  const ABOUT =
    'affinity scheduler parameters attributes priority priority-of-group priority-of-user io-priority io-priority-of-group io-priority-of-user'.split(
      ' ',
    );
  test.each(ABOUT)('outside keep their %s', async (what) => {
    const pid = what.endsWith('-of-user')
      ? String(uid ?? 0)
      : String(what.endsWith('-of-group') ? ownGroup : victim.pid);
    if (what.endsWith('-of-user') === false || uid !== undefined)
      expect(await tried(uid, null, ['about', what, pid])).toBe('done');
    for (const who of what.includes('-of-') ? [pid, '0'] : [pid])
      expect(await tried(uid, writable(), ['about', what, who])).toMatch(REACHED.level === 0 ? NOT_HELD : /^EPERM$/);
    if (!what.includes('-of-'))
      expect(await tried(uid, writable(), ['about', what, '0'])).toMatch(REACHED.level === 0 ? NOT_HELD : /^done$/);
  });

  test.each(['compare', 'write-memory', 'move-memory', 'robust-list', 'advise-memory'])(
    'outside are not reached by %s',
    async (what) => {
      const needsRoot = what === 'advise-memory' && uid !== undefined;
      expect(await tried(uid, null, ['about', what, String(victim.pid)])).toBe(needsRoot ? 'EPERM' : 'done');
      expectRefused(await tried(uid, writable(), ['about', what, String(victim.pid)]));
    },
  );

  test('outside get no signal by a file that is ready (Linux 6.12)', async () => {
    const user = uid === undefined ? {} : { uid, gid: uid };
    const other = spawn('/bin/sleep', ['1000'], { stdio: 'ignore', cwd: outside, ...user });
    const pid = String(other.pid);
    await tried(uid, writable(), ['signal-by-file', pid]);
    const isAlive = await tried(uid, null, ['signal', pid]);
    if (REACHED.level === 0 || REACHED.landlockAbi >= 6) expect(isAlive).toBe('done');
    const ended = new Promise<string | null>((resolve) => other.once('exit', (_status, signal) => resolve(signal)));
    expect(await tried(uid, null, ['signal-by-file', pid])).toBe('done');
    expect(await ended).toBe('SIGKILL');
  });

  test('shared memory and messages of a process outside cannot be reached by their number', async () => {
    const as = uid === undefined ? [] : [`--reuid=${uid}`, `--regid=${uid}`, '--clear-groups'];
    for (const [kind, option, way] of [
      ['shm', ['-M', '4096'], 'shared-memory-of-another'],
      ['msg', ['-Q'], 'message-of-another'],
    ] as const) {
      const made = execFileSync('/usr/bin/setpriv', [...as, 'ipcmk', ...option], { encoding: 'utf8' });
      const number = /\d+/.exec(made)?.[0] ?? '';
      try {
        expect(await tried(uid, null, [way, number])).toBe('done');
        expect(await tried(uid, writable(), [way, number])).toMatch(REACHED.level === 0 ? NOT_HELD : /^EPERM$/);
      } finally {
        execFileSync('ipcrm', [kind === 'shm' ? '-m' : '-q', number]);
      }
    }
  });

  test('mounts, namespaces, io_uring, kernel keys, shared memory and file handles cannot be used', async () => {
    for (const way of [
      ['mount', join(inside, 'folder')],
      ['bind', outside, join(inside, 'folder')],
      ['open-tree', outside],
      ['chroot', outside, '/file'],
      ['user-namespace'],
      ['user-namespace-clone'],
      ['user-namespace-clone3'],
      ['io-uring'],
      ['keys'],
      ['shared-memory'],
      ['handle', join(outside, 'file'), inside],
      ['module'],
      ['hostname'],
    ])
      expectRefused(await tried(uid, writable(), way));
  });

  test('system calls by the numbers of 32-bit programs are refused', async () => {
    // A kernel without CONFIG_IA32_EMULATION has no such call: int 0x80 is SIGSEGV, confined or not.
    const unconfined = await tried(uid, null, ['i386']);
    expect(unconfined).toMatch(/^done$|^status null SIGSEGV$/);
    const confined = await tried(uid, writable(), ['i386']);
    if (unconfined !== 'done') expect(confined).toMatch(/^status null SIG(?:SEGV|SYS)$/);
    else if (REACHED.level === 0) expect(confined).toMatch(NOT_HELD);
    else expect(confined).toMatch(process.arch === 'x64' ? /SIGSYS/ : /^done$/);
  });

  test('system calls by the numbers of x32 are refused', async () => {
    expect(await tried(uid, null, ['x32'])).not.toBe('EPERM');
    expect(await tried(uid, writable(), ['x32'])).toMatch(
      REACHED.level === 0 ? NOT_HELD : process.arch === 'x64' ? /^EPERM$/ : /^ENOSYS$/,
    );
  });

  test.each(OTHER_WAYS)('%s cannot be called', async (name) => {
    if (uid === undefined) expect(await tried(uid, null, ['call', name])).not.toMatch(/^(EPERM|done)$/);
    expect(await tried(uid, writable(), ['call', name])).toMatch(REACHED.level === 0 ? NOT_HELD : /^EPERM$/);
  });

  test('ioctl(2) neither types into a terminal nor changes what lies behind a descriptor', async () => {
    const fd = openSync(join(outside, 'file'), 'r');
    for (const request of [...TYPING, ...CHANGING]) {
      expect([request, await tried(uid, null, ['request', '4', request], { inherited: [fd] })]).not.toEqual([
        request,
        'EPERM',
      ]);
      const outcome = await tried(uid, writable(), ['request', '4', request], { inherited: [fd] });
      expect([request, outcome]).toEqual([request, expect.stringMatching(REACHED.level === 0 ? NOT_HELD : /^EPERM$/)]);
    }
    closeSync(fd);
  });

  test('ioctl(2) can ask for the kind of a file and the data that a descriptor has', async () => {
    const fd = openSync(join(outside, 'file'), 'r');
    for (const request of ['541B', '80086601', 'c020660b', '40049409'])
      expect([request, await tried(uid, writable(), ['request', '4', request], { inherited: [fd] })]).toEqual([
        request,
        expect.stringMatching(REACHED.level === 0 ? NOT_HELD : /^(?!EPERM)/),
      ]);
    closeSync(fd);
  });

  test('ioctl(2) on a device needs more than the right to read or write it (Linux 6.10)', async () => {
    expect(await tried(uid, null, ['pty-number', '/dev/ptmx'])).toBe('done');
    const outcome = await tried(uid, writable({ write: ['/dev/ptmx'] }), ['pty-number', '/dev/ptmx']);
    if (REACHED.level === 0) expect(outcome).toMatch(NOT_HELD);
    else expect(outcome).toBe(REACHED.landlockAbi < 5 ? 'done' : 'EACCES');
  });

  test('root keeps only the capabilities about files and users, a user keeps none, and no capability comes back', async () => {
    const outcome = await tried(uid, writable(), ['capabilities'], {
      through: uid === undefined ? ['/usr/bin/setpriv', '--inh-caps', '+sys_admin,+net_admin'] : [],
    });
    const isAll = uid === undefined ? /^ff ff 0 bounding 0$/ : /^0 0 0 bounding \d+$/;
    expect(outcome).toMatch(REACHED.level === 0 ? NOT_HELD : isAll);
  });

  test('nothing can be typed into the terminal', async () => {
    const outcome = await tried(uid, writable(), ['type']);
    expectRefused(outcome);
    expect(outcome).toMatch(REACHED.level === 0 ? NOT_HELD : /^EPERM$/);
  });
});

describe('a profile that cannot be applied', () => {
  beforeEach(() => lay(undefined));
  const mark = join(inside, 'ran');
  const run = (profile: Buffer): Promise<Ended> =>
    runHeld({ argv: ['/bin/sh', '-c', `: > ${mark}`], profile, cwd: inside });

  const whole = profileOf(writable());
  const text = whole.toString();
  test.each([
    ['is cut off', Buffer.from(text.slice(0, -2))],
    ['lacks its last NUL', Buffer.from(text.slice(0, -1))],
    ['is cut off in a path', Buffer.from(text.slice(0, 40))],
    ['goes on after its end', Buffer.from(`${text}w/\0`)],
    ['is of another version', Buffer.from(text.replace('v1\0', 'v2\0'))],
    ['has an unknown entry', Buffer.from(text.replace('.\0', 'q/\0.\0'))],
    ['names no level', Buffer.from(text.replace('l1\0', ''))],
    ['names a level that does not exist', Buffer.from(text.replace('l1\0', 'l4\0'))],
    ['names a port that does not exist', Buffer.from(text.replace('.\0', 'c65536\0.\0'))],
    ['names a path to write that does not exist', Buffer.from(text.replace('.\0', `w${inside}/not-there\0.\0`))],
    ['names a path that has become a link', Buffer.from(text.replace('.\0', `w${inside}/folder-out\0.\0`))],
    ['names a path behind a link', Buffer.from(text.replace('.\0', `r${inside}/folder-out/file\0.\0`))],
    ['names a relative path', Buffer.from(text.replace('.\0', 'wfolder\0.\0'))],
  ])('and %s: nothing runs', async (_why, profile) => {
    expect(profile.equals(whole)).toBe(false);
    const ended = await run(profile);
    expect(ended).toMatchObject({ status: 72, out: '' });
    expect(ended.err).toMatch(
      /^apes: cannot confine it: .*; nothing ran; ask for the exact line, which runs unconfined\n$/,
    );
    expect(existsSync(mark)).toBe(false);
  });

  test('with the unchanged profile the program runs, if this host has a level', async () => {
    const ended = await run(profileOf(writable()));
    expect(existsSync(mark)).toBe(REACHED.level > 0);
    expect(ended.status).toBe(REACHED.level > 0 ? 0 : 72);
  });
});

describe.each(USERS)('paths that stay read-only, for %s', (_name, uid) => {
  beforeEach(() => lay(uid));
  const kept = join(inside, 'folder');
  const confinement = writable({ level: 3, readOnly: [kept] });

  test('cannot be changed by any name, and other paths can', async () => {
    const ways = [
      ['create', join(kept, 'new')],
      ['create', 'folder/new'],
      ['rmdir', join(kept, 'empty')],
      ['chmod', kept],
      ['rename', join(inside, 'file'), join(kept, 'moved')],
      ['rename', kept, join(inside, 'elsewhere')],
      ['rename', join(kept, 'empty'), join(inside, 'moved')],
      ['link', join(inside, 'file'), join(kept, 'linked')],
      ['create', `/proc/self/root${kept}/new`],
      ['create', `/proc/self/cwd/folder/new`],
      ['mount', kept],
      ['user-namespace'],
    ];
    for (const way of ways) {
      const outcome = await tried(uid, confinement, way);
      expect([way, outcome]).toEqual([
        way,
        expect.stringMatching(REACHED.level < 3 ? NOT_HELD : /^(EROFS|EXDEV|EBUSY|EPERM|EACCES)$/),
      ]);
    }
    const outcome = await tried(uid, confinement, ['create', join(inside, 'new')]);
    expect(outcome).toMatch(REACHED.level < 3 ? NOT_HELD : /^done$/);
  });

  test('cannot be changed, even if the command runs in one of them', async () => {
    const ended = await runHeld({
      argv: ['/bin/sh', '-c', 'echo x > here || echo refused; id -u'],
      profile: profileOf(confinement),
      cwd: kept,
      ...(uid === undefined ? {} : { uid }),
    });
    expect(existsSync(join(kept, 'here'))).toBe(false);
    if (REACHED.level < 3) expect(ended.status).toBe(72);
    else expect(ended.out).toBe(`refused\n${uid ?? process.getuid?.()}\n`);
  });

  test('are ignored if they are missing; if one has become a link, nothing runs', async () => {
    const kept = (name: string) => tried(uid, { ...confinement, readOnly: [join(inside, name)] }, ['stat', '/']);
    expect(await kept('.envrc')).toMatch(REACHED.level < 3 ? NOT_HELD : /^done$/);
    expect(await kept('folder-out')).toMatch(NOT_HELD);
  });
});

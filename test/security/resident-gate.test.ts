/** The resident gate decides as a new gate process would, or does not answer. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { GatedStage } from './gated-stage.ts';

const gated = new GatedStage();
const covered = "ape-shell -c 'echo covered'";
const socket = '$APES_HOME/run/gate.sock';
const gatePid = '$(cat $APES_HOME/run/gate.pid)';
const awaitGate = `until [ -S ${socket} ] && [ -f $APES_HOME/run/gate.pid ]; do sleep 0.05; done`;

beforeAll(async () => {
  await gated.open();
  await gated.approved(covered, 'always');
  await gated.run(`${covered}; ${awaitGate}`);
});
afterAll(() => gated.close());

test('the resident gate starts at the first call, is private, and answers the next calls', async () => {
  const run = await gated.run(`stat -c '%a %F' ${socket} $APES_HOME/run; ${covered}`);
  expect(run.out).toBe('600 socket\n700 directory\ncovered\n');
  expect(run.status).toBe(0);
});

test('each call is judged by its own environment and directory', async () => {
  expect((await gated.run(`cd /; ${covered}`)).status).toBe(75);
  expect((await gated.run(`GIT_DIR=/x ${covered}`)).status).toBe(75);
  expect((await gated.run(`APES_ASYNC_EXIT_CODE=9 ape-shell -c 'echo other'`)).status).toBe(9);
  expect((await gated.run(`APES_USER=human ape-shell -c 'echo other'`)).err).toContain('Waiting for approval');
  expect((await gated.run(`APES_QUIET=1 ${covered}`)).err).toBe('');
});

test('only spaces, tabs and newlines are an empty command; bash would run any other blank', async () => {
  const call = (text: string) => gated.run(`ape-shell -c "$(printf '${text}')"`);
  expect((await call(' \\t')).status).toBe(0);
  for (const text of ['\\r', '\\v', '\\302\\240']) expect([text, (await call(text)).status]).toEqual([text, 75]);
});

test('the resident gate does not answer a caller that opts out of it, or that sees other files', async () => {
  const answered = async (call: string) =>
    (await gated.run(`strace -f -e trace=execve -o trace ${call} >&2; grep -c 'execve("[^"]*/node"' trace`)).out.trim();
  const call = 'ape-shell -c "echo covered"';
  expect(await answered(call)).toBe('0');
  expect(await answered(`env APES_RESIDENT=false ${call}`)).not.toBe('0');
  const elsewhere = await gated.run(
    `unshare -m strace -f -e trace=execve -o trace ${call}; grep -c 'execve("[^"]*/node"' trace`,
  );
  expect(elsewhere.out).toMatch(/^covered\n[1-9]/);
});

test('the calling process becomes bash, with the same pid, and its own signals and status', async () => {
  const call = "ape-shell -c 'echo $$; kill -TERM $$'";
  await gated.approved(call);
  const run = await gated.run(`${call} & wait $!; echo "$! $?"`);
  const [pid = '', ended = ''] = run.out.trim().split('\n');
  expect(ended).toBe(`${pid} 143`);
});

test('a caller does not connect to a socket in a directory that others can enter', async () => {
  const run = await gated.run(
    `chmod 711 $APES_HOME/run; strace -e trace=connect -o trace ${covered}; chmod 700 $APES_HOME/run; grep -c gate.sock trace`,
  );
  expect(run.out).toBe('covered\n0\n');
});

/** The parts of a program in place of the resident gate: it takes the path of the socket, and answers one call. */
const BINDS = `import os, socket, struct, sys
s = socket.socket(socket.AF_UNIX)
if os.path.exists(sys.argv[1]): os.unlink(sys.argv[1])
s.bind(sys.argv[1])`;
const ACCEPTS = `s.listen(5)
print('listening', flush=True)
c, _ = s.accept()`;

test('a caller does not believe an impostor that runs as another user', async () => {
  // The impostor binds as root and listens as another user: the peer credentials of a socket are those of the process at listen(2).
  gated.file(
    'impostor.py',
    `${BINDS}
os.chmod(sys.argv[1], 0o777)
if sys.argv[2] == 'nobody': os.setuid(65534)
${ACCEPTS}
p = b'/bin/sh\\0sh\\0-c\\0echo believed\\0'
c.sendall(b'x' + struct.pack('>I', len(p)) + p)
import time
time.sleep(600)
`,
  );
  const meet = (user: string) =>
    gated.run(
      `python3 impostor.py ${socket} ${user} > said & until [ -s said ]; do sleep 0.05; done; ape-shell -c 'echo unapproved'; echo $?; kill %1; rm -f ${socket} said`,
    );
  expect((await meet('nobody')).out).toBe('75\n');
  // The same program is believed if it runs as our own user, so the refusal above is because of the user. The poll is for a busy
  // machine: a caller does not wait for a slow gate.
  await expect.poll(async () => (await meet('ourselves')).out, { timeout: 60_000 }).toBe('believed\n0\n');
});

test('a gate that breaks off in the middle of its answer changes nothing of the call, and nothing runs', async () => {
  gated.file(
    'breaks-off.py',
    `${BINDS}
os.chmod(sys.argv[1], 0o600)
${ACCEPTS}
for kind, p in ((b'c', b'/'), (b's', b'PATH=/nonexistent')): c.sendall(kind + struct.pack('>I', len(p)) + p)
c.close()
`,
  );
  const run = () =>
    gated.run(
      `python3 breaks-off.py ${socket} > said & until [ -s said ]; do sleep 0.05; done; ${covered}; echo $?; kill %1; rm -f ${socket} said`,
    );
  // The poll is for a busy machine, where a caller does not wait for a slow gate, and for a real gate that still starts and takes the socket.
  await expect.poll(run, { timeout: 60_000 }).toMatchObject({
    out: '70\n',
    err: expect.stringContaining('the resident gate broke off its answer; nothing ran'),
  });
});

test('callers do not wait for a gate that hangs, and nothing runs unapproved', async () => {
  await gated.run(`${covered}; ${awaitGate}`);
  const run = await gated.run(
    `pid=${gatePid}; kill -STOP $pid; ${covered}; ape-shell -c 'touch hung'; echo $?; ls hung 2>/dev/null; kill -KILL $pid`,
  );
  expect(run.out).toBe('covered\n75\n');
});

test('each call runs although the resident gate is killed after it', async () => {
  const run = await gated.run(`for i in 1 2 3; do ${covered}; ${awaitGate}; kill -KILL ${gatePid}; done`);
  expect(run.out).toBe('covered\ncovered\ncovered\n');
});

test('a gate does not keep the umask of the caller that started it', async () => {
  await gated.run(`${covered}; ${awaitGate}; kill -KILL ${gatePid}; rm -f ${socket} $APES_HOME/run/gate.pid`);
  const run = await gated.run(`(umask 777; ${covered}); ${awaitGate}; grep Umask /proc/${gatePid}/status`);
  expect(run.out).toBe('covered\nUmask:\t0077\n');
});

test('a gate whose socket is removed ends by itself', async () => {
  const run = await gated.run(
    `${covered} >/dev/null; ${awaitGate}; pid=${gatePid}; rm ${socket}; gone $pid; echo it ended`,
  );
  expect(run.out).toBe('it ended\n');
});

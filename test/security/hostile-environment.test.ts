/** Unusual environments: a name that occurs twice, names that are not UTF-8, more variables than fit into the buffer of a socket. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { DIST } from '../fixtures/programs.ts';
import { GatedStage } from './gated-stage.ts';

const gated = new GatedStage();
const bin = `${DIST}/bin/`;

beforeAll(async () => {
  await gated.open();
  const source = gated.file(
    'twice.c',
    `#include <stdlib.h>
#include <string.h>
#include <unistd.h>
extern char **environ;
/* twice FIRST LAST PROGRAM ARG...: FIRST is the first variable, LAST the last one. */
int main(int count, char **words) {
  char **list = calloc(100000, sizeof *list);
  size_t n = 0, length = strchr(words[1], '=') - words[1] + 1;
  (void)count;
  list[n++] = words[1];
  for (char **v = environ; *v; v++) if (strncmp(*v, words[1], length)) list[n++] = *v;
  list[n++] = words[2];
  execve(words[3], words + 3, list);
  return 1;
}
`,
  );
  execFileSync('cc', ['-o', join(gated.scratch, 'work/twice'), source]);
  await gated.run(
    'mkdir good evil; printf "#!/bin/sh\\necho good\\n" > good/tool; printf "#!/bin/sh\\necho evil\\n" > evil/tool; chmod +x */tool',
  );
});
afterAll(() => gated.close());

const good = '"PATH=$PWD/good:$PATH"';
const evil = '"PATH=$PWD/evil:$PATH"';

test('a variable that occurs twice is bound with the value that programs use', async () => {
  const id = await gated.approved(`env ${good} apes run -- tool`, 'always');
  expect(id).toMatch(/^g_/);
  const first = await gated.run(`./twice ${evil} ${good} ${bin}apes run -- tool`);
  expect([first.status, first.out]).toEqual([0, 'good\n']);
  const last = await gated.run(`./twice ${good} ${evil} ${bin}apes run -- tool`);
  expect(last.status).toBe(75);
  expect(last.out).not.toContain('evil');
});

test('a variable that occurs twice occurs once in a later run of the request', async () => {
  const id = await gated.approved(`env ${good} ape-shell -c 'tool; true'`);
  const run = await gated.run(`./twice ${good} ${evil} ${bin}apes grants run ${id}`);
  expect([run.status, run.out]).toEqual([0, 'good\n']);
});

test('an exported function whose name is not UTF-8 never reaches the command', async () => {
  const call = "ape-shell -c 'type $'\\''\\xff'\\'' >/dev/null 2>&1 && echo there || echo absent'";
  await gated.approved(call, 'always');
  const one = "$'BASH_FUNC_\\xff%%=() { :; }'";
  const run = await gated.run(`./twice ${one} ${one} ${bin}${call}`);
  expect([run.status, run.out]).toEqual([0, 'absent\n']);
});

const awaitGate = 'until [ -S $APES_HOME/run/gate.sock ] && [ -f $APES_HOME/run/gate.pid ]; do sleep 0.05; done';

test('a stopped gate delays no caller whose environment is too long for the socket buffer', async () => {
  await gated.approved("ape-shell -c 'echo covered'", 'always');
  const run = await gated.run(
    `ape-shell -c 'echo covered'; ${awaitGate}; pid=$(cat $APES_HOME/run/gate.pid); kill -STOP $pid;
     long=$(head -c 120000 /dev/zero | tr '\\0' x); export A=$long B=$long C=$long D=$long E=$long F=$long
     timeout 60 ape-shell -c 'echo covered'; echo $?; kill -KILL $pid; rm -f $APES_HOME/run/gate.*`,
  );
  expect(run.out).toBe('covered\ncovered\n0\n');
});

test('a stopped gate whose queue is full delays no caller', async () => {
  gated.file(
    'fill.py',
    `import os, socket, subprocess
calls = []
while True:
    s = socket.socket(socket.AF_UNIX)
    s.setblocking(False)
    try:
        s.connect(os.environ['APES_HOME'] + '/run/gate.sock')
    except BlockingIOError:
        break
    calls.append(s)
print(subprocess.run(['ape-shell', '-c', 'echo covered'], timeout=60).returncode, flush=True)
`,
  );
  const run = await gated.run(
    `ape-shell -c 'echo covered'; ${awaitGate}; pid=$(cat $APES_HOME/run/gate.pid); kill -STOP $pid; python3 fill.py; kill -KILL $pid; rm -f $APES_HOME/run/gate.*`,
  );
  expect(run.out).toBe('covered\ncovered\n0\n');
});

test('two megabytes of environment and ten thousand variables reach the command unharmed', async () => {
  const make =
    'for i in $(seq 10000); do export "V$i=$i"; done; long=$(head -c 100000 /dev/zero | tr "\\0" x); for i in $(seq 15); do export "L$i=$long"; done';
  const call = `ape-shell -c 'env | grep -c "^[VL][0-9]*="'`;
  const id = await gated.approved(`${make}; ${call}`);
  const run = await gated.run(`${make}; apes grants run ${id}`);
  expect([run.status, run.out]).toEqual([0, '10015\n']);
});

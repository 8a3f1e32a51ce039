/** Which processes, containers and rows a line would affect, read from /proc, from a daemon's socket by GET, and from an SQLite file. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, symlinkSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ImpactStage } from './impact-stage.ts';

let stage: ImpactStage;
beforeEach(() => {
  stage = new ImpactStage();
});
afterEach(() => stage.close());

describe('processes, which Linux shows in /proc', () => {
  const NAME = `sleep-for-${process.pid}`;
  /** The kernel's name of the program. It is not `sleep`, because other tests start and end programs of that name. */
  const PROGRAM = `nap${process.pid}z`;
  let sleeper: ChildProcess;
  beforeEach(async () => {
    const program = join(stage.directory, PROGRAM);
    symlinkSync('/bin/sleep', program);
    sleeper = spawn('bash', ['-c', 'exec -a "$0" "$1" 600', NAME, program], { detached: true, stdio: 'ignore' });
    const isReady = () => readFileSync(`/proc/${sleeper.pid}/cmdline`, 'utf8').startsWith(NAME);
    while (!isReady()) await sleep(10);
  });
  afterEach(async () => {
    sleeper.kill();
    await once(sleeper, 'exit');
  });

  it('are named with their command line and age', async () => {
    const found = await stage.one(`kill -9 ${sleeper.pid} 999999999`);
    expect(found).toMatchObject({ count: 1, note: '999999999: not there' });
    expect(found.items[0]).toMatch(new RegExp(`^${sleeper.pid} ${PROGRAM} \\(${NAME} 600, \\d+ s\\)$`));
    expect(sleeper.exitCode).toBeNull();
  });

  it('are found by group, by name and by command line', async () => {
    for (const line of [
      `kill -- -${sleeper.pid}`,
      `kill -TERM -${sleeper.pid}`,
      `pkill -f ${NAME}`,
      `pkill -f '^${NAME}'`,
    ]) {
      const found = await stage.one(line);
      expect([line, found.items.map((item) => item.split(' ')[0])]).toEqual([line, [String(sleeper.pid)]]);
    }
    for (const line of ['pkill NAP', 'killall NAP', 'pkill -9 -x NAP'].map((text) => text.replace('NAP', PROGRAM)))
      expect([line, (await stage.one(line)).count]).toEqual([line, 1]);
    const withDot = PROGRAM.replace('p', '.');
    expect((await stage.one(`pkill -x ${withDot}`)).count).toBe(1);
    expect((await stage.one(`killall ${withDot}`)).count).toBe(0);
    expect((await stage.one(`pkill -i ${PROGRAM.toUpperCase()}`)).count).toBe(1);
    expect((await stage.one(`pkill -x ${PROGRAM.slice(0, -1)}`)).count).toBe(0);
    expect((await stage.one(`pkill -u root -f ${NAME}`)).note).toBe('the command may choose fewer of them');
  });

  it('are found by killall with a name that the kernel cuts, and unknown if killall does not compare names', async () => {
    const long = `${PROGRAM}-of-a-long-name`;
    symlinkSync('/bin/sleep', join(stage.directory, long));
    const other = spawn(join(stage.directory, long), ['600'], { stdio: 'ignore' });
    await once(other, 'spawn');
    expect(await stage.one(`killall ${long}`)).toMatchObject({
      count: 1,
      note: 'the command may choose fewer of them',
    });
    other.kill();
    await once(other, 'exit');
    for (const [line, note] of [
      [`killall -r ${PROGRAM.slice(0, -1)}`, 'processes are not looked up by such a pattern'],
      [`killall -qr ${PROGRAM}`, 'processes are not looked up by such a pattern'],
      [`killall --regexp ${PROGRAM}`, 'processes are not looked up by such a pattern'],
      [`killall '${PROGRAM}$'`, 'processes are not looked up by such a pattern'],
      ['killall /bin/sleep', 'processes are not looked up by the file that they run'],
      [`killall -g ${PROGRAM}`, 'whole process groups are not looked up by a name'],
      ['killall "$NAME"', 'the names are only known when the command runs'],
    ] as const)
      expect([line, await stage.one(line)]).toMatchObject([line, { count: null, note }]);
    expect(await stage.look(`killall ${PROGRAM} "$NAME"`)).toHaveLength(2);
    for (const option of ['-l', '--list']) expect(await stage.look(`killall ${option}`)).toEqual([]);
    expect((await stage.one(`killall -v --older-than 5m ${PROGRAM}`)).count).toBe(1);
  });

  it('are unknown if only running the line would show them', async () => {
    expect(await stage.one('kill "$pid"')).toMatchObject({
      count: null,
      note: 'the names are only known when the command runs',
    });
    expect((await stage.one('kill %1')).note).toBe('jobs of the shell are not known here');
    expect((await stage.one("pkill -f '(a+)+$'")).note).toBe('processes are not looked up by such a pattern');
    expect(await stage.look('kill -l')).toEqual([]);
  });

  it.each([
    ['kill 0', 'the process group of the command itself is not known here'],
    ['kill -9 0', 'the process group of the command itself is not known here'],
    ['kill -s TERM -- 0', 'the process group of the command itself is not known here'],
    ['kill 99999999999', 'a word that is not a number of a process is not looked up'],
    ['pkill --inverse foo', 'processes are not looked up by these options'],
    ['pkill --pidfile x', 'processes are not looked up by these options'],
    ['pkill --unknown-option foo', 'processes are not looked up by these options'],
    ['pkill -u root', 'the line gives no name: each process that the options choose gets the signal'],
  ])('are not known for %s', async (line, note) => {
    expect(await stage.one(line)).toMatchObject({ count: null, note });
  });

  it('are all processes for the pid -1', async () => {
    const found = await stage.one('kill -9 -1');
    expect(found.count).toBeGreaterThan(1);
    expect(found.items).toHaveLength(8);
  });
});

it.each([
  ['docker network rm web', 'networks deleted by docker network rm web', 'networks are not looked up'],
  ['docker network prune', 'networks deleted by docker network prune', 'networks are not looked up'],
  ['docker builder prune -a', 'build caches deleted by docker builder prune -a', 'build caches are not looked up'],
  [
    'docker compose -f x.yaml down',
    'containers deleted by docker compose -f x.yaml down',
    'the compose file is not read',
  ],
  ['docker compose stop', 'containers stopped by docker compose stop', 'the compose file is not read'],
  ['docker compose -p a kill', 'containers stopped by docker compose -p a kill', 'the compose file is not read'],
  ['docker-compose restart down', 'containers stopped by docker-compose restart down', 'the compose file is not read'],
  [
    'docker compose $VERB',
    'containers touched by docker compose $VERB',
    'the names are only known when the command runs',
  ],
])('%s asks nothing about containers', async (line, what, note) => {
  expect(await stage.look(line)).toMatchObject([{ what, count: null, note }]);
});

it.each(['docker compose logs rm', 'docker compose up stop', 'docker-compose ps'])(
  '%s ends no container',
  async (line) => expect(await stage.look(line)).toEqual([]),
);

describe('containers', () => {
  let daemon: Server;
  const seen: string[] = [];
  const ANSWERS: Readonly<Record<string, unknown>> = {
    '/containers/json?all=1': [
      {
        Id: 'ab12cd',
        Names: ['/web'],
        Image: 'nginx',
        ImageID: 'sha256:11',
        State: 'running',
        Status: 'Up 3 hours',
        Mounts: [{ Name: 'data' }],
      },
      {
        Id: 'ef34ab',
        Names: ['/old'],
        Image: 'alpine',
        ImageID: 'sha256:22',
        State: 'exited',
        Status: 'Exited (0) 2 days ago',
      },
    ],
    '/images/json': [
      { Id: 'sha256:11', RepoTags: ['nginx:latest'], Size: 100 },
      { Id: 'sha256:33', RepoTags: ['<none>:<none>'], Size: 20 },
      { Id: 'sha256:44', RepoTags: ['unused:1'], RepoDigests: ['unused@sha256:d1'], Size: 3 },
      { Id: 'sha256:45', RepoTags: ['quay.io/team/tool:latest'], Size: 4 },
    ],
    '/volumes': { Volumes: [{ Name: 'data' }, { Name: 'loose' }] },
  };
  beforeEach(async () => {
    seen.length = 0;
    daemon = createServer((request, response) => {
      seen.push(`${request.method} ${request.url}`);
      const answer = ANSWERS[request.url ?? ''];
      if (answer !== undefined) response.end(JSON.stringify(answer));
    });
    const path = join(stage.directory, 'docker.sock');
    daemon.listen(path);
    await once(daemon, 'listening');
    stage.environment.set('DOCKER_HOST', `unix://${path}`);
  });
  afterEach(() => {
    daemon.closeAllConnections();
    daemon.close();
  });

  it('are read from the daemon by read-only requests', async () => {
    expect(await stage.one('docker rm -f web ef34')).toMatchObject({
      count: 2,
      items: ['web (nginx, Up 3 hours)', 'old (alpine, Exited (0) 2 days ago)'],
    });
    expect(await stage.one('docker rmi nginx')).toMatchObject({ count: 1, bytes: 100, items: ['nginx:latest'] });
    expect(await stage.one('docker volume rm data')).toMatchObject({ count: 1, items: ['data'] });
    expect(await stage.one('docker container prune -f')).toMatchObject({
      count: 1,
      items: ['old (alpine, Exited (0) 2 days ago)'],
    });
    expect((await stage.one('docker container prune -f --filter until=1h')).note).toContain(
      'a filter may choose fewer',
    );
    expect(await stage.look('docker system prune -f')).toMatchObject([{ count: 1 }, { count: 1, bytes: 20 }]);
    expect(await stage.look('docker system prune -af --volumes')).toMatchObject([
      { count: 1 },
      { count: 3, bytes: 27 },
      { items: ['loose'] },
    ]);
    expect(await stage.look('docker ps; docker run --rm alpine rm x')).toEqual([]);
    expect(seen.every((line) => line.startsWith('GET '))).toBe(true);
  });

  it.each([
    ['docker rmi docker.io/library/nginx', ['nginx:latest']],
    ['docker rmi docker.io/nginx:latest nginx', ['nginx:latest']],
    ['docker rmi sha256:11', ['nginx:latest']],
    ['docker rmi unused@sha256:d1', ['unused:1']],
    ['docker rmi 3', ['33']],
    ['docker rm ab', ['web (nginx, Up 3 hours)']],
    ['docker stop --timeout 3 web', ['web (nginx, Up 3 hours)']],
    ['podman rmi tool', ['quay.io/team/tool:latest']],
    ['podman rmi team/tool:latest', ['quay.io/team/tool:latest']],
  ])('%s means an object by another form of its name', async (line, items) => {
    stage.environment.set('CONTAINER_HOST', stage.environment.get('DOCKER_HOST') ?? '');
    expect(await stage.one(line)).toMatchObject({ count: 1, items, note: null });
  });

  it('are not known, and no count of 0, if a name is not found or has two meanings', async () => {
    stage.environment.set('CONTAINER_HOST', stage.environment.get('DOCKER_HOST') ?? '');
    expect(await stage.one('docker rm web other')).toMatchObject({
      count: null,
      items: ['web (nginx, Up 3 hours)'],
      note: 'which of the containers is meant by other is not known',
    });
    for (const line of ['docker rmi tool', 'docker rmi 4', 'docker volume rm da', 'podman rmi localhost/tool'])
      expect([line, await stage.one(line)]).toMatchObject([line, { count: null, items: [] }]);
    for (const line of ['podman rm --all', 'podman rm --cidfile f', 'podman rmi -a', 'podman stop -l'])
      expect([line, await stage.one(line)]).toMatchObject([
        line,
        { count: null, note: expect.stringContaining('does not name the') },
      ]);
  });

  it.each([
    ['podman pod rm web', 'pods and their containers deleted'],
    ['podman pod stop -a', 'pods and their containers stopped'],
    ['podman pod prune', 'pods and their containers deleted'],
    ['podman kube down web.yaml', 'pods and their containers deleted'],
    ['podman play kube --down web.yaml', 'pods and their containers deleted'],
    ['podman system reset -f', 'containers, images and volumes deleted'],
    ['docker stack rm web', 'services deleted'],
    ['docker secret rm key', 'secrets deleted'],
    ['docker buildx prune -f', 'builders and build caches deleted'],
  ])('%s ends something that is not looked up', async (line, what) => {
    expect(await stage.one(line)).toMatchObject({ what: `${what} by ${line}`, count: null });
  });

  it('are not looked up for a verb of such a noun that ends nothing', async () => {
    for (const line of ['podman pod ps', 'docker context use rm2', 'podman kube play web.yaml'])
      expect([line, await stage.look(line)]).toEqual([line, []]);
  });

  it('are unknown if the daemon does not answer within the time for the preview', async () => {
    daemon.removeAllListeners('request');
    const beganMs = performance.now();
    expect((await stage.look('docker rm web', 200))[0]?.note).toBe('the docker daemon did not answer');
    expect(performance.now() - beganMs).toBeLessThan(10_000);
    stage.environment.set('DOCKER_HOST', 'tcp://10.0.0.1:2375');
    expect((await stage.one('docker rm web')).note).toBe('the environment names a daemon that is not looked up here');
    stage.environment.set('DOCKER_HOST', `unix://${stage.directory}/none.sock`);
    expect((await stage.one('docker rm web')).note).toContain('no docker daemon answers at');
    expect((await stage.one('docker -H tcp://x rm web')).note).toBe('the line names another daemon or configuration');
    expect((await stage.one('docker rm $(docker ps -q)')).note).toBe('the names are only known when the command runs');
    expect((await stage.one('docker compose down -v')).count).toBeNull();
  });
});

describe('rows', () => {
  const make = (journal: string) => {
    const file = new Database(join(stage.directory, 'a.db'));
    file.pragma(`journal_mode = ${journal}`);
    file.exec('create table users (id integer); create table "my table" (id integer)');
    file.exec(
      'with recursive n(i) as (select 1 union all select i + 1 from n where i < 25000) insert into users select i from n',
    );
    file.exec('insert into "my table" values (1), (2)');
    // A query of this view never ends.
    file.exec('create view endless as with recursive n(i) as (select 1 union all select i + 1 from n) select i from n');
    return file;
  };

  it('are counted up to a limit, in plain tables', async () => {
    make('delete').close();
    const before = readFileSync(join(stage.directory, 'a.db'));
    expect(await stage.one('sqlite3 a.db \'DELETE FROM "my table"; DROP TABLE IF EXISTS Users\'')).toMatchObject({
      isCut: true,
      items: expect.arrayContaining(['users: more than 20000']),
    });
    expect(await stage.one("sqlite3 a.db 'delete from users where id = 3'")).toMatchObject({
      note: 'a WHERE clause may choose fewer rows',
    });
    expect(await stage.one("sqlite3 a.db 'delete from endless'")).toMatchObject({
      count: 0,
      note: expect.stringContaining('no plain tables'),
    });
    expect(await stage.look("sqlite3 a.db 'select * from users'")).toEqual([]);
    for (const end of ['on conflict(id) do update set n=1', 'on duplicate key  update n=1'])
      expect(await stage.look(`sqlite3 a.db 'insert into users values(1) ${end}'`)).toEqual([]);
    expect(await stage.one('sqlite3 -cmd \'delete from "my table"\' a.db .tables')).toMatchObject({ count: 2 });
    expect(await stage.one('sqlite3 a.db \'update or ignore "my table" set id = 1\'')).toMatchObject({ count: 2 });
    expect(readFileSync(join(stage.directory, 'a.db')).equals(before)).toBe(true);
  });

  it('are unknown in a file that others write, in a missing file, and in a file that is no database', async () => {
    const file = make('wal');
    expect(await stage.one("sqlite3 a.db 'delete from users'")).toMatchObject({
      count: null,
      note: expect.stringContaining('its log or journal'),
    });
    file.close();
    expect((await stage.one("sqlite3 none.db 'drop table x'")).note).toBe('there is no such database file');
    stage.files(['text'], 200);
    expect((await stage.one("sqlite3 text 'drop table x'")).note).toBe('the file is not a SQLite database');
  });

  it('of a database server are unknown', async () => {
    expect((await stage.one("psql -c 'DROP TABLE users; delete from logs'")).note).toContain(
      'the SQL names users, logs',
    );
    expect((await stage.one("psql shop -c 'drop schema public cascade'")).note).toContain('a whole database or schema');
    expect(await stage.look("psql -c 'select 1'")).toEqual([]);
  });
});

describe('a line that affects nothing', () => {
  it('has no preview and takes no time', async () => {
    for (const line of ['ls -l', 'git status', 'cat a | grep b', 'npm test', 'echo rm -rf /'])
      expect([line, await stage.look(line)]).toEqual([line, []]);
  });
});

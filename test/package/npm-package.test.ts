/** `npm pack`, and `npm install -g` of its package into an empty prefix with an empty HOME. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeStage, type Stage } from './packing.ts';
import { typedIntoBash } from './typed.ts';

let stage: Stage;
let tarball: string;

/** Every file that may be in the package. */
const LISTED = [
  /^(?:package\.json|LICENSE|(?:README|ARCHITECTURE|CHANGELOG|CONTRIBUTING|SECURITY)\.md)$/,
  /^docs\/(?:[a-z-]+\.md|decisions\/[\w-]+\.md|compatibility\/[\w.-]+|examples\/[\w.-]+)$/,
  /^bin\/[a-z-]+\.[ch]$/,
  /^scripts\/(?:build-native|compile-cache|place-file)\.mjs$/,
  /^scripts\/package\/(?:completions|install|native-modules|smaller)\.mjs$/,
  /^dist\/bin\/(?:ape-shell|apes)$/,
  /^dist\/(?:built|THIRD-PARTY-LICENCES|rules\.json|mcp-rules\.json|acp-editor\.mjs)$/,
  /^dist\/main\/(?:ape-shell|apes|program|one-shot|interactive|after-prompt|looking-up|unbash|xterm-headless)\.cjs$/,
  /^dist\/lazy\/[\w.@-]+\.cjs$/,
  /^dist\/client\/(?:client\.mjs|types\/[\w/-]+\.d\.ts)$/,
  /^dist\/harness\/(?:(?:frames|guard-client)\.js|[\w-]+\/(?:window-)?plugin\.js|openclaw\/certify-gateway\.mjs)$/,
  /^dist\/pty\/(?:setup|completion)\.bash$/,
  /^dist\/share\/(?:man\/man1\/[a-z-]+\.1|bash-completion\/completions\/apes|zsh\/site-functions\/_apes|fish\/vendor_completions\.d\/apes\.fish)$/,
  /^dist\/web\/assets\/[\w.-]+$/,
];

beforeAll(async () => {
  stage = await makeStage();
  const packed = await stage.run('npm', ['pack', '--silent'], {}, stage.checkout);
  expect(packed).toMatchObject({ status: 0 });
  const name = readdirSync(stage.checkout).find((each) => each.endsWith('.tgz'));
  tarball = join(stage.checkout, name ?? 'none');
});
afterAll(() => stage?.remove());

const inTarball = (): string[] =>
  execFileSync('tar', ['-tzf', tarball], { encoding: 'utf8' })
    .trim()
    .split('\n')
    .map((path) => path.replace(/^package\//, ''));

const install = (prefix: string, ...options: string[]) =>
  stage.run('npm', ['install', '-g', '--prefix', prefix, ...options, tarball]);

describe('the package', () => {
  it('has no file beyond the list, and no compiled file', () => {
    expect(inTarball().filter((path) => !LISTED.some((each) => each.test(path)))).toEqual([]);
    for (const name of ['ape-shell', 'apes']) {
      const text = execFileSync('tar', ['-xzOf', tarball, `package/dist/bin/${name}`], { encoding: 'utf8' });
      expect(text).toMatch(/^#!\/bin\/sh\n/);
    }
  });

  it('has the licence of each package whose code is in it', () => {
    const text = execFileSync('tar', ['-xzOf', tarball, 'package/dist/THIRD-PARTY-LICENCES'], { encoding: 'utf8' });
    for (const name of ['fastify', 'pg', 'pino', 'kysely', '@modelcontextprotocol/sdk', 'nodemailer'])
      expect(text).toMatch(new RegExp(`^${name} \\d`, 'm'));
  });

  it('leaves the compiled programs in the checkout', () => {
    const bin = join(stage.checkout, 'dist/bin');
    expect(readFileSync(join(bin, 'ape-shell')).subarray(1, 4).toString()).toBe('ELF');
    expect(readdirSync(bin).filter((name) => name.endsWith('.compiled'))).toEqual([]);
  });
});

describe('npm install -g with its install scripts', () => {
  let prefix: string;
  const bin = (name: string): string => join(prefix, 'bin', name);

  beforeAll(async () => {
    prefix = join(stage.directory, 'with-scripts');
    // A file of another program, and a folder that cannot be made.
    mkdirSync(join(prefix, 'share/zsh/site-functions'), { recursive: true });
    writeFileSync(join(prefix, 'share/zsh/site-functions/_apes'), '# mine\n');
    writeFileSync(join(prefix, 'share/fish'), '');
    expect(await install(prefix)).toMatchObject({ status: 0 });
  });

  it('installs a shell and a server that answer', async () => {
    expect(await stage.run(bin('ape-shell'), ['--version'])).toMatchObject({ status: 0, stderr: '' });
    const up = await stage.run(bin('apes'), ['up', '--port', '0', '--json']);
    expect(up).toMatchObject({ status: 0 });
    try {
      const asked = await stage.run(bin('ape-shell'), ['-c', 'touch must-not-be-there']);
      expect(asked.status).toBe(75);
      expect(asked.stderr).toContain('NOT RUN YET');
      expect(existsSync(join(stage.directory, 'must-not-be-there'))).toBe(false);
      expect(await stage.run(bin('apes'), ['server', 'check'])).toMatchObject({ status: 0 });
    } finally {
      expect(await stage.run(bin('apes'), ['down'])).toMatchObject({ status: 0 });
    }
  });

  it('installs programs of one build: the resident gate and the launcher agree', () => {
    const built = readFileSync(join(prefix, 'lib/node_modules/ape-shell/dist/built'), 'utf8').trim();
    expect(readFileSync(join(prefix, 'lib/node_modules/ape-shell/dist/bin/ape-shell')).includes(built)).toBe(true);
  });

  it('keeps no files for other systems or from compiling, and stays small', () => {
    const pty = join(prefix, 'lib/node_modules/ape-shell/node_modules/node-pty');
    expect(readdirSync(pty)).not.toContain('third_party');
    expect(existsSync(join(pty, 'prebuilds')) ? readdirSync(join(pty, 'prebuilds')) : []).toEqual([]);
    expect(readdirSync(join(pty, 'build/Release'))).toEqual(['pty.node']);
    const kilobytes = Number(execFileSync('du', ['-sk', prefix], { encoding: 'utf8' }).split('\t')[0]);
    expect(kilobytes).toBeLessThan(45_000);
  });

  it('lets bash with bash-completion complete apes, which finds the file by itself', async () => {
    const environment = { ...stage.environment, PATH: `${dirname(bin('apes'))}:${stage.environment.PATH}` };
    const share = { XDG_DATA_DIRS: `${prefix}/share` };
    expect(await typedIntoBash('apes gr\t', { ...environment, ...share }, / apes grants /)).toContain('apes grants ');
    expect(await typedIntoBash('ape-shell --vers\t', { ...environment, ...share }, /--version /)).toContain(
      'ape-shell --version ',
    );
  });

  it('leaves a completion file of another program unchanged, and succeeds even if a completion cannot be written', () => {
    expect(readFileSync(join(prefix, 'share/zsh/site-functions/_apes'), 'utf8')).toBe('# mine\n');
    expect(readFileSync(join(prefix, 'share/bash-completion/completions/apes'), 'utf8')).toContain('complete -F _apes');
    expect(readFileSync(join(prefix, 'share/fish'), 'utf8')).toBe('');
  });
});

describe('npm install -g --ignore-scripts', () => {
  it('installs programs that say in one line what to do, and doing so helps', async () => {
    const prefix = join(stage.directory, 'without-scripts');
    expect(await install(prefix, '--ignore-scripts')).toMatchObject({ status: 0 });
    const ended = await stage.run(join(prefix, 'bin/ape-shell'), ['-c', 'touch must-not-be-there']);
    expect(ended).toMatchObject({ status: 78, stdout: '' });
    expect(ended.stderr).toMatch(/^ape-shell: nothing ran: .*; compile it: npm rebuild -g .*\n$/);
    expect(existsSync(join(stage.directory, 'must-not-be-there'))).toBe(false);
    const advice = ended.stderr.trim().split('compile it: ')[1] ?? '';
    const done = await stage.run('sh', ['-c', advice], {
      npm_config_prefix: prefix,
      npm_config_ignore_scripts: 'true',
    });
    expect(done).toMatchObject({ status: 0 });
    expect(await stage.run(join(prefix, 'bin/ape-shell'), ['--version'])).toMatchObject({ status: 0, stderr: '' });
    expect(await stage.run(join(prefix, 'bin/apes'), ['version'])).toMatchObject({ status: 0, stderr: '' });
  });
});

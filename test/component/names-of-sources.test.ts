/**
 * `cp s/x d/` writes `d/x`, also if `s/x` is a link to a file with another name. If `d/x` is a link, cp writes its target. And the first
 * source of a command may become a link on the way to the second one. Archives and servers name files too, and a file may have a second
 * name. Bash runs each line, and shows which file the line really reaches.
 */
import { execFileSync } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isAtOrBelow } from '../../src/core/text/path.ts';
import { lookupsOf } from '../../src/gate/facts/look-up.ts';
import { allRules, effectsOfLine } from '../core/rule-effects.ts';
import { assessOnHost } from './assess-on-host.ts';

let top: string;
let cwd: string;
beforeEach(() => {
  top = realpathSync(mkdtempSync(join(tmpdir(), 'ape-names-')));
  for (const name of ['w/s', 'w/d', 'w/near', 'w/a/b/c', 'out/dir']) mkdirSync(join(top, name), { recursive: true });
  for (const name of ['w/near/other', 'w/near/plain', 'out/x', 'out/dir/y', 'x', 'w/x', 'w/a/x'])
    writeFileSync(join(top, name), `${name}\n`);
  symlinkSync('../near/other', join(top, 'w/s/x'));
  symlinkSync(join(top, 'out/dir'), join(top, 'w/s/l'));
  cwd = join(top, 'w');
});
afterEach(() => rmSync(top, { recursive: true }));

function run(line: string): void {
  execFileSync('bash', ['-c', line], { cwd, env: { PATH: process.env['PATH'], HOME: join(top, 'w') } });
}

/**
 * Whether the assessment of the line covers an access to the path; true also if the line is opaque.
 * @param isExact whether only the path itself counts, and no directory above it
 */
function says(line: string, access: 'read' | 'write' | 'delete', path: string, isExact = false): boolean {
  const assessment = assessOnHost(line, cwd, join(top, 'w'));
  const permissions = assessment.requiredPermissions;
  if (permissions === null) return true;
  return permissions
    .flatMap(({ permission }) => permission.resources)
    .some(
      (each) =>
        each.kind === 'path' &&
        each.access === access &&
        (each.isExact || isExact ? each.value === join(top, path) : isAtOrBelow(join(top, path), each.value)),
    );
}

/** The paths of a line that is one call of a program, which need not be on this machine. */
function alone(line: string) {
  const entries = new Map([['PATH', '']]);
  const {
    home: _home,
    hasSearchedCd: _hasSearchedCd,
    resolveName: _resolveName,
    ...lookups
  } = lookupsOf({ cwd, entries });
  const found = effectsOfLine(line, { ...lookups, rules: allRules, cwd, home: null });
  expect(found.kind).toBe('understood');
  return found.kind === 'understood' ? found.permission.resources.filter(({ kind }) => kind === 'path') : [];
}

describe('a file that gets its name from a source', () => {
  it.each([
    ['cp s/x d/', 'd/x'],
    ['cp s/x d', 'd/x'],
    ['cp -t d s/x', 'd/x'],
    ['cp ~/s/x d', 'd/x'],
    ['cp s/{x,../near/plain} d', 'd/x'],
    ['cp near/plain s/x d', 'd/x'],
    ["sh -c 'cp s/x d'", 'd/x'],
    ['split -b 3 near/other d/', 'd/aa'],
    ['split -b 3 near/other d/n-', 'd/n-ab'],
  ])('may be written through a link: %s', (line, link) => {
    expect(says(line, 'write', 'out/x')).toBe(false);
    symlinkSync('../../out/x', join(top, 'w', link));
    expect(says(line, 'write', 'out/x')).toBe(true);
    run(line);
    expect(readFileSync(join(top, 'out/x'), 'utf8')).not.toBe('out/x\n');
  });

  it.each(['cp s/.envrc d', 'cp s/x s/.envrc d', 'ln s/.envrc d'])('may have a dangerous name: %s', (line) => {
    symlinkSync('../near/other', join(top, 'w/s/.envrc'));
    expect(says(line, 'write', 'w/d/.envrc', true)).toBe(true);
    run(line);
    expect(readFileSync(join(top, 'w/d/.envrc'), 'utf8')).toBe('w/near/other\n');
  });

  it.each(['gunzip .envrc.gz', 'gzip -d ./.envrc.gz', 'gunzip -k .envrc-gz'])('may lose its ending: %s', (line) => {
    execFileSync('bash', ['-c', 'echo evil | gzip > .envrc.gz && cp .envrc.gz .envrc-gz'], { cwd });
    expect(says(line, 'write', 'w/.envrc', true)).toBe(true);
    run(line);
    expect(readFileSync(join(top, 'w/.envrc'), 'utf8')).toBe('evil\n');
  });

  it.each([
    'cp s/.e* d',
    'cp -P s/.[e]nvrc d',
    'cp s/.{e,f}* d',
    'cp -t d s/.e*',
    'find s -exec cp {} d \\;',
    'find s/ -name .envrc -exec cp -t d {} +',
    'for f in s/.e*; do cp "$f" d; done',
  ])('may have a dangerous name, found when it runs: %s', (line) => {
    expect(says(line, 'write', 'w/d/.envrc', true)).toBe(false);
    symlinkSync('../near/other', join(top, 'w/s/.envrc'));
    rmSync(join(top, 'w/s/l'));
    expect(says(line, 'write', 'w/d/.envrc', true)).toBe(true);
    run(`${line} || true`);
    expect(readFileSync(join(top, 'w/d/.envrc'), 'utf8')).toBe('w/near/other\n');
  });

  it('has the name of a link at which find starts', () => {
    symlinkSync('../near/other', join(top, 'w/s/.envrc'));
    const line = 'find s/.envrc -exec cp {} d \\;';
    expect(says(line, 'write', 'w/d/.envrc', true)).toBe(true);
    run(line);
    expect(readFileSync(join(top, 'w/d/.envrc'), 'utf8')).toBe('w/near/other\n');
  });

  it('is not known with text behind the {} of find', () => {
    rmSync(join(top, 'w/s/l'));
    expect(says('find s -exec cp {} d \\;', 'write', 'out/x')).toBe(false);
    expect(says('find s -name .env -exec cp {}rc d \\;', 'write', 'out/x')).toBe(true);
  });

  it.each(['gunzip .e*', 'gunzip ./.envrc?gz', 'gzip -d ./.envrc[.]*'])(
    'may lose its ending, found when it runs: %s',
    (line) => {
      execFileSync('bash', ['-c', 'rm s/l && echo evil | gzip > .envrc.gz'], { cwd });
      expect(says(line, 'write', 'w/.envrc', true) || says(line, 'write', 'out/x')).toBe(true);
      run(line);
      expect(readFileSync(join(top, 'w/.envrc'), 'utf8')).toBe('evil\n');
    },
  );

  it.each(['git mv s d', 'mv s d', 'git mv -k s near d'])('may be in a moved tree: %s', (line) => {
    run('git init -q && rm s/l');
    symlinkSync('../near/other', join(top, 'w/s/.envrc'));
    expect(says(line, 'delete', 'w/s/.envrc', true)).toBe(true);
    run(`git add -A && ${line}`);
    expect(readdirSync(join(top, 'w/d/s'))).toContain('.envrc');
  });

  it('is known if all names are harmless', () => {
    rmSync(join(top, 'w/s/l'));
    for (const line of ['cp near/* d', 'find near -exec cp {} d \\;', 'gzip near/*', 'gunzip near/*', 'cp -r near/* d'])
      expect([line, says(line, 'write', 'w/d/.envrc', true), says(line, 'write', 'out/x')]).toEqual([
        line,
        false,
        false,
      ]);
  });

  it('is beside the link that the word names, and not beside its target', () => {
    expect(says('gzip -f s/x', 'write', 'w/s/x.gz')).toBe(true);
    expect(says('gzip -f s/x', 'delete', 'w/s/x')).toBe(true);
    run('gzip -f s/x');
    expect(readdirSync(join(top, 'w/s')).sort()).toEqual(['l', 'x.gz']);
  });

  it('is known if the link has another name', () => {
    symlinkSync('../../out/x', join(top, 'w/d/other'));
    expect(says('cp near/plain d', 'write', 'out/x')).toBe(false);
    cwd = join(top, 'w/d');
    expect(says('cp ../near/plain .', 'write', 'out/x')).toBe(false);
  });
});

describe('a tree with links that lead out', () => {
  it.each(['scp -r s h:', 'scp -r . h:x', 'terraform fmt -recursive'])('is followed by: %s', (line) => {
    symlinkSync(join(top, 'out/x'), join(top, 'w/s/x.tf'));
    expect(alone(line).some(({ value, isExact }) => !isExact && isAtOrBelow(join(top, 'out/x'), value))).toBe(true);
  });
});

describe('a link from which find starts', () => {
  it.each(['find s/l -exec rm {} \\;', 'find s/l -delete', 'find s/l -exec mv {} a/ \\;', 'find ~/s/l -exec rm {} +'])(
    'is itself what the command deletes: %s',
    (line) => {
      expect(says(line, 'delete', 'w/s/l')).toBe(true);
      run(line);
      expect(readdirSync(join(top, 'w/s'))).toEqual(['x']);
    },
  );
});

describe('the name of what wget fetches', () => {
  const written = (): readonly string[] =>
    alone('wget https://example.com/page').flatMap(({ access, value }) =>
      access === 'write' ? [value.slice(cwd.length)] : [],
    );

  it('is the first one with a number that is not there yet', () => {
    expect(written()).toEqual(['/page', '/page.1']);
    for (const name of ['page', 'page.1', 'page.2', 'page.4', 'page.x']) writeFileSync(join(cwd, name), '');
    expect(written()).toEqual(['/page', '/page.3']);
  });

  it('is any name in the directory if there are too many names', () => {
    for (let at = 0; at <= 1_024; at++) writeFileSync(join(cwd, `page.${at}`), '');
    expect(written()).toEqual(['']);
  });
});

describe('a source behind a link that an earlier source becomes', () => {
  it.each([
    'mv s/l l/y .',
    'cp -d s/l l/y .',
    'ln s/l l/y .',
    'mv -t . near/plain s/l l/y',
    'mv s/l* l/y .',
    'mv "$PWD"/s/l l/y .',
    'cp -r s s/l/y d',
  ])('is not known: %s', (line) => {
    if (line.startsWith('cp -r')) mkdirSync(join(top, 'w/d/s'));
    expect(says(line, line.startsWith('mv') ? 'delete' : 'read', 'out/dir/y')).toBe(true);
    run(line);
  });

  it.each(['mv near/plain near/other d', 'mv d/d near', 'mv d/d near/plain a', 'cp -d s/x near/plain .'])(
    'is known: %s',
    (line) => {
      mkdirSync(join(top, 'w/d/d'));
      for (const access of ['read', 'write', 'delete'] as const) expect(says(line, access, 'x')).toBe(false);
      run(line);
    },
  );
});

describe('a command after one that moves the working directory', () => {
  it.each([
    'mv ../c ../../../c && cat ../../x',
    'mv ../../b ../../.. && cat ../../x',
    'mv ../c ../../../c; cat ../../x',
    "sh -c 'mv ../c ../../../c'; cat ../../x",
    '{ sleep 0.2; cat ../../x; } & mv ../c ../../../c; wait',
    'git mv ../c ../../../c && cat ../../x',
    'cd / && cd - && mv ../c ../../../c && cat ../../x',
    'cp -t . near ../../x; mv ../c ../../../c ../../x ../../../d',
  ])('has no known paths: %s', (line) => {
    cwd = join(top, 'w/a/b/c');
    const access = line.endsWith('x') || line.endsWith('wait') ? 'read' : 'delete';
    expect(says(line, access, 'x')).toBe(true);
  });

  it('reaches another file, as bash shows', () => {
    cwd = join(top, 'w/a/b/c');
    const shown = execFileSync('bash', ['-c', 'mv ../c ../../../c && cat ../../x'], { cwd, encoding: 'utf8' });
    expect(shown).toBe('x\n');
  });

  it.each(['mv x ../y && cat ../x', 'rm -rf ../../z && cat ../x', 'mv ../../near ../../far && cat ../x'])(
    'has known paths if the working directory stays: %s',
    (line) => {
      cwd = join(top, 'w/a/b/c');
      expect(says(line, 'read', 'x')).toBe(false);
    },
  );
});

describe('a name with directories in it', () => {
  const isAnywhere = (line: string): boolean =>
    alone(line).some(({ access, value, isExact }) => access === 'write' && value === '/' && !isExact);

  beforeEach(() => symlinkSync(join(top, 'out/dir'), join(cwd, 'd/l')));

  it('leads tar through a link below the directory', () => {
    mkdirSync(join(cwd, 's/p/d/l'), { recursive: true });
    writeFileSync(join(cwd, 's/p/d/l/new'), '');
    run('tar -C s/p -cf a.tar d/l/new');
    rmSync(join(cwd, 's'), { recursive: true });
    expect(says('tar -xf a.tar', 'write', 'out/dir/new')).toBe(true);
    run('tar -xf a.tar');
    expect(readdirSync(join(top, 'out/dir'))).toEqual(['new', 'y']);
  });

  it.each(['unzip a.zip', 'unzip a.zip -d .', 'scp -r h:x .', 'rsync -a h:x .', 'wget -r https://example.com/'])(
    'may lead through such a link: %s',
    (line) => {
      rmSync(join(cwd, 's'), { recursive: true });
      expect(isAnywhere(line)).toBe(true);
      rmSync(join(cwd, 'd/l'));
      expect(isAnywhere(line)).toBe(false);
    },
  );

  it('is not what wget gives to one file', () => {
    rmSync(join(cwd, 's'), { recursive: true });
    expect(isAnywhere('wget -P . https://example.com/x')).toBe(false);
  });
});

describe('a second name of a file', () => {
  it.each(['ln ../out/x n', 'cp -l ../out/x n', 'cp -al ../out n', 'ln -t . ../out/x'])(
    'is a way to write the file: %s',
    (line) => {
      expect(says(line, 'write', 'out/x')).toBe(true);
      rmSync(join(cwd, 'x'));
      run(line);
      run('for each in x n n/x; do if [ -f "$each" ]; then echo changed >"$each"; fi; done');
      expect(readFileSync(join(top, 'out/x'), 'utf8')).toBe('changed\n');
    },
  );

  it('is not a symbolic link', () => expect(says('ln -s ../out/x n', 'write', 'out/x', true)).toBe(false));
});

describe('a packed file whose name is written without its ending', () => {
  it.each(['zcat p', 'gzip -dc p', 'gunzip -c p', 'gzip -l p', 'for f in p; do zcat "$f"; done'])(
    'is read: %s',
    (line) => {
      run('gzip -c ../out/x >../out/x.gz');
      symlinkSync('../out/x.gz', join(cwd, 'p.gz'));
      expect(says(line, 'read', 'out/x.gz')).toBe(true);
      run(line);
    },
  );

  it('is read and deleted by gunzip', () => {
    run('gzip -c ../out/x >p.gz');
    expect(says('gunzip p', 'delete', 'w/p.gz')).toBe(true);
    run('gunzip p');
    expect(readFileSync(join(cwd, 'p'), 'utf8')).toBe('out/x\n');
  });
});

/** A tool that looks for its project upward from the working directory runs and writes what is there, and the permission says so. */
import { describe, expect, it } from 'vitest';
import type { CommandContext } from '../../src/core/effects/command-context.ts';
import { NO_EFFECT } from '../../src/core/effects/command-context.ts';
import { splitProjectNames } from '../../src/core/effects/project-root.ts';
import { readRule } from '../../src/core/rules/read-rule.ts';
import { effectsOfLine, here } from './rule-effects.ts';

/** A host on which each of the folders has each of the files. A name with a text counts as a file that has the text. */
const withFiles = (folders: Readonly<Record<string, readonly string[]>>): CommandContext => ({
  ...here,
  cwd: '/w/top/sub',
  projectOf: (path, names) => {
    const above = path.split('/').map((_, at, all) => all.slice(0, all.length - at).join('/') || '/');
    const found = splitProjectNames(names).map(({ files, text }) => {
      const has = (folder: string) => files.some(({ file }) => folders[folder]?.includes(file));
      return text === null ? above.findIndex(has) : above.findLastIndex(has);
    });
    return above[Math.max(...found)] ?? null;
  },
});

const touched = (line: string, context: CommandContext): readonly string[] => {
  const effects = effectsOfLine(line, context);
  if (effects.kind === 'opaque') throw new Error(`${line} is opaque: it ${effects.reason}`);
  return effects.permission.resources
    .filter(({ kind }) => kind === 'path')
    .map(({ access, value, isExact }) => `${access} ${value}${isExact ? '' : '…'}`);
};

describe('The project above the working directory', () => {
  it.each([
    ['rake test', 'Rakefile'],
    ['bundle exec rake', 'Gemfile'],
    ['npm test', 'package.json'],
    ['npm run x', 'node_modules'],
    ['pnpm test', 'pnpm-workspace.yaml'],
    ['pnpm run x', 'package.json'],
    ['yarn build', 'package.json', 'yarn run build'],
    ['yarn test', '.yarnrc.yml'],
    ['npx vitest', 'package.json'],
    ['jest', 'jest.config.ts'],
    ['vitest run', 'vite.config.ts'],
    ['vite build', 'postcss.config.js'],
    ['next build', 'package.json'],
    ['eslint .', 'eslint.config.mjs'],
    ['prettier --check .', 'prettier.config.js'],
    ['mocha', '.mocharc.cjs'],
    ['nx build', 'nx.json'],
    ['turbo build', 'turbo.json'],
    ['ts-node a.ts', 'tsconfig.json'],
    ['uv run a.py', 'pyproject.toml'],
    ['uv sync', 'pyproject.toml'],
    ['uv add x', '.venv'],
    ['poetry install', 'pyproject.toml'],
    ['mypy .', 'mypy.ini'],
    ['pylint a.py', 'pylintrc'],
    ['flake8', '.flake8'],
    ['tox', 'tox.ini'],
    ['pytest', 'pytest.ini'],
    ['python3 -m pytest', 'pyproject.toml'],
    ['cargo build', 'Cargo.toml'],
    ['cargo build', '.cargo/config.toml'],
    ['rustfmt a.rs', 'rust-toolchain.toml'],
    ['go test ./...', 'go.work'],
    ['go build', 'go.mod'],
    ['golangci-lint run', '.golangci.yml'],
    ['rubocop', '.rubocop.yml'],
    ['gradle build', 'settings.gradle.kts'],
    ['mvn test', '.mvn'],
    ['composer install', 'composer.json'],
    ['dotnet build', 'Directory.Build.props'],
    ['docker compose up', 'compose.yaml'],
  ])('is run by %s if it has %s', (line, file, same = line) => {
    expect(touched(same, withFiles({ '/w/top': [file] }))).toContain('execute /w/top…');
    expect(touched(same, withFiles({ '/w/top/sub': [file] }))).not.toContain('execute /w/top…');
  });

  it.each([
    ['uv add x', 'pyproject.toml'],
    ['npm install', 'package.json'],
    ['cargo build', 'Cargo.toml'],
    ['go get example.com/x', 'go.mod'],
    ['tsc', 'tsconfig.json'],
  ])('is written by %s if it has %s', (line, file) =>
    expect(touched(line, withFiles({ '/w/top': [file] }))).toContain('write /w/top…'),
  );

  it('has the cache and the settings of a tool that looks at the working directory only', () => {
    const context = withFiles({ '/w/top': ['ruff.toml', 'biome.json'] });
    expect(touched('ruff check', context)).toEqual(['write /w/top/.ruff_cache…', 'write /w/top/sub…']);
    expect(touched('biome ci', context)).toEqual(['read /w/top/sub…', 'read /w/top/biome.json']);
  });

  it('is the highest folder, where the tool reads all files or looks for the root of a workspace', () => {
    const both = { '/w': ['package.json', 'Rakefile'], '/w/top': ['package.json', 'Rakefile'] };
    expect(touched('rake test', withFiles(both))).toContain('execute /w/top…');
    expect(touched('npm test', withFiles(both))).toContain('execute /w…');
  });

  it('of an operand elsewhere counts for a tool that obeys the files beside the operand', () => {
    const context = withFiles({ '/w/other': ['prettier.config.js', 'eslint.config.js'] });
    expect(touched('prettier ../../other/a/b.js', context)).toContain('execute /w/other…');
    expect(touched('eslint ../../other/a', context)).toContain('execute /w/other…');
    expect(touched('prettier a/b.js', context)).toEqual(['execute /w/top/sub…', 'read /w/top/sub/a/b.js…']);
  });

  it('is not known if an earlier command may make or remove one of its files', () => {
    const earlier = (path: string) => ({
      ...withFiles({ '/w/top/sub': ['Rakefile'], '/w/top': ['Rakefile'] }),
      earlier: { ...NO_EFFECT, changed: [{ path, isTree: false }] },
    });
    expect(touched('rake', earlier('/w/x'))).toContain('execute /w/top/sub…');
    expect(touched('rake', earlier('/w/top/sub/Rakefile'))).toContain('execute /w/top…');
    expect(touched('rake', earlier('/w/Rakefile'))).toContain('execute /w…');
  });

  it('is also looked for above the link through which the shell has reached the working directory', () => {
    const context = {
      ...withFiles({ '/w/top': ['go.mod'], '/real': ['go.mod'] }),
      resolvePath: (path: string) => path.replace(/^\/w\/top\/sub/, '/real/sub'),
    };
    expect(touched('go build', context)).toEqual(expect.arrayContaining(['execute /w/top…', 'execute /real…']));
  });

  it('is any folder if the working directory is not known', () =>
    expect(touched('rake', { ...withFiles({}), cwd: null })).toContain('execute /…'));
});

it('a rule file with @project names the files of its project', () => {
  const rule = (more: object) => readRule({ tool: 'x', does: 'Runs x.', adds: ['execute tree @project'], ...more });
  expect(rule({ project: ['a.toml'] }).ok).toBe(true);
  for (const more of [{}, { project: [] }, { project: ['a b'] }]) expect(rule(more).ok).toBe(false);
});

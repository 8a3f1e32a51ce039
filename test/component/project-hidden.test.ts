/** A file below the project does not hide the project, if some versions of the tool ignore this file. The files are on a real disk. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { projectOf } from '../../src/gate/facts/project-of.ts';
import { effectsOfLine, here } from '../core/rule-effects.ts';

let top: string;
beforeEach(() => {
  top = realpathSync(mkdtempSync(join(tmpdir(), 'ape-hidden-')));
});
afterEach(() => rmSync(top, { recursive: true, force: true }));

/** A text that ends in a slash makes a folder. */
function put(folder: string, name: string, text: string): void {
  const path = join(top, folder, name);
  mkdirSync(name.endsWith('/') ? path : dirname(path), { recursive: true });
  if (!name.endsWith('/')) writeFileSync(path, text);
}

function executed(line: string): readonly string[] {
  const effects = effectsOfLine(line, {
    ...here,
    cwd: join(top, 'sub'),
    projectOf: (path, names) => projectOf(path, names, null),
  });
  if (effects.kind === 'opaque') throw new Error(`${line} is opaque: it ${effects.reason}`);
  return effects.permission.resources.filter(({ access }) => access === 'execute').map(({ value }) => value);
}

it.each([
  ['flake8', '.flake8', '[x]', '.flake8', '[flake8]'],
  ['python3 -m flake8', '.flake8', '[x]', 'setup.cfg', '[flake8]'],
  ['mypy .', 'mypy.ini', 'no settings', 'mypy.ini', '[mypy]'],
  ['uv run mypy .', 'mypy.ini', 'no settings', '.mypy.ini', '[mypy]'],
  ['isort .', '.isort.cfg', '[x]', '.isort.cfg', '[settings]'],
  ['pylint a.py', 'pylintrc.toml', 'x = 1', 'pylintrc', '[MAIN]'],
  ['tox', 'tox.ini', 'not UTF-8', 'tox.ini', '[tox]'],
  ['pytest', 'pytest.toml', '[pytest]', 'pytest.ini', '[pytest]'],
  ['pytest', '.pytest.ini', '[x]', '.pytest.ini', '[pytest]'],
  ['python3 -m pytest', 'pyproject.toml', '[project]', 'pyproject.toml', '[tool.pytest.ini_options]'],
  ['python3 -m coverage run -m pytest', 'pyproject.toml', '[project]', 'pyproject.toml', '[tool.pytest.ini_options]'],
  ['uv run pytest', 'pyproject.toml', '[project]', 'pyproject.toml', '[tool.pytest.ini_options]'],
  ['poetry run pytest', 'setup.cfg', '[x]', 'setup.cfg', '[tool:pytest]'],
  ['yarn run build', 'node_modules/', '', 'package.json', '{}'],
  ['npm test', 'node_modules', 'a file', 'package.json', '{}'],
  ['npm test', 'package.json/', '', 'package.json', '{}'],
  ['npm test', 'package.json', '{}', 'package.json', '{"work\\u0073paces":["sub"]}'],
  ['eslint .', 'eslint.config.ts', '1', 'eslint.config.js', '1'],
  ['prettier --check .', '.prettierrc', '# only a comment', 'prettier.config.js', '1'],
  ['nx build', 'angular.json', '{}', 'nx.json', '{}'],
  ['nx build', 'package.json', '{}', 'node_modules/nx/package.json', '{}'],
  ['cargo build', 'rust-toolchain.toml', '[toolchain]', 'rust-toolchain', 'mine'],
  ['bundle exec rake', 'gems.rb', '1', 'Gemfile', '1'],
  ['bundle install', '.bundle', 'a file', '.bundle/', ''],
  ['mvn test', '.mvn', 'a file', '.mvn/', ''],
  ['gradle build', 'settings.gradle.dcl', '1', 'settings.gradle', '1'],
  ['dotnet build', 'Directory.Solution.props', '1', 'Directory.Solution.targets', '1'],
  ['mocha', '.mocharc.mjs', '1', '.mocharc.cjs', '1'],
  ['jest', 'jest.config.mts', '1', 'package.json', '{}'],
  ['vite build', 'postcss.config.mts', '1', 'postcss.config.cjs', '1'],
])('%s runs the project above although there is %s', (line, below, belowText, above, aboveText) => {
  put('sub', below, belowText);
  expect(executed(line)).not.toContain(top);
  put('.', above, aboveText);
  expect(executed(line)).toContain(top);
});

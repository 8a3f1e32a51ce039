/** Imports go downwards only. Planted faults show that the test can fail. */
import { describe, expect, it } from 'vitest';
import { type Import, importsOf, importsOfSource } from './imports.ts';

/** The rows, from top to bottom. A folder may import from lower rows and from itself, never from its own row or above. */
const LAYERS: readonly (readonly string[])[] = [
  ['main'],
  ['cli'],
  ['acp'], // above mcp, because it starts an agent as the proxy for MCP servers starts a server
  ['certify'], // drives the harnesses of the folder harness
  ['mcp', 'shell', 'server', 'harness'],
  ['run'], // starts what is permitted: a one-shot command, a tool of MCP, a line
  ['gate', 'session', 'web'],
  ['grants', 'audit', 'store', 'pty', 'rpc'],
  ['terminal'], // below pty, because a pseudo-terminal has the size of a terminal
  ['platform'],
  ['core'],
];

/** Folders of core/, from top to bottom. Each imports values only from folders below it; types may be imported from any. */
const CORE_FLOORS = ['policy', 'scope', 'effects', 'reading'];

/** Folders of the server, from top to bottom. Files beside these folders may be imported by all. Types may come from above. */
const SERVER_FLOORS = ['http', 'notifications', 'grants', 'identity'];

/** Packages that a whole folder may import. Any other package may be imported by one file only. */
const WHOLE_FOLDER: Readonly<Record<string, string>> = { kysely: 'store', typebox: 'core/wire' };

/** An entry of typebox that counts as a library of its own: it compiles schemas to JavaScript, which a process must be allowed to evaluate. */
const SCHEMA_COMPILER = 'typebox/compile';

/** The schemas of the API. The server imports their values; every other folder imports only types. */
const WIRE = 'core/wire/';

/** The files that Node evaluates for `ape-shell -c`. The first loads the second at run time, by a name that no import shows. */
const QUICK_ENTRIES = ['main/ape-shell.ts', 'main/one-shot.ts'];

/** How a harness is run for its certification is in the folder of the harness, but only the certification may import it. */
const CERTIFICATION_FILE = /^harness\/[^/]+\/certify[^/]*\.mjs$/;

const folderOf = (file: string): string => file.split('/')[0] ?? '';
/** Returns the folder whose row applies to the file. */
const layerOf = (file: string): string => (CERTIFICATION_FILE.test(file) ? 'certify' : folderOf(file));
const packageOf = (name: string): string =>
  name === SCHEMA_COMPILER
    ? name
    : name
        .split('/')
        .slice(0, name.startsWith('@') ? 2 : 1)
        .join('/');
const rowOf = (file: string): number => LAYERS.findIndex((row) => row.includes(layerOf(file)));
const show = ({ from, target }: Import): string => `${from} imports ${target}`;

function upward(imports: readonly Import[]): string[] {
  return imports
    .filter(({ from, target, isOwn }) => isOwn && layerOf(from) !== layerOf(target) && rowOf(from) >= rowOf(target))
    .map(show);
}

function againstStages(imports: readonly Import[]): string[] {
  const stageOf = (file: string): number =>
    folderOf(file) === 'core' ? CORE_FLOORS.indexOf(file.split('/')[1] ?? '') : -1;
  return imports
    .filter(({ isOwn, kind }) => isOwn && kind !== 'type')
    .filter(({ from, target }) => stageOf(target) >= 0 && stageOf(from) > stageOf(target))
    .map(show);
}

function upwardInServer(imports: readonly Import[]): string[] {
  const floorOf = (file: string): number => SERVER_FLOORS.indexOf(file.split('/')[1] ?? '');
  return imports
    .filter(({ isOwn, kind }) => isOwn && kind !== 'type')
    .filter(({ from, target }) => folderOf(from) === 'server' && folderOf(target) === 'server')
    .filter(({ from, target }) => floorOf(target) >= 0 && floorOf(from) > floorOf(target))
    .map(show);
}

/** Core receives the parser's tree as data. Only core/reading may import the types of this tree. */
const isTree = ({ from, target, kind }: Import): boolean =>
  from.startsWith('core/reading/') && target === 'unbash' && kind === 'type';

const isSchemaLibrary = ({ from, target }: Import): boolean => from.startsWith(WIRE) && target === 'typebox';

function outOfCore(imports: readonly Import[]): string[] {
  return imports
    .filter((each) => !isTree(each) && !isSchemaLibrary(each))
    .filter(({ from, target, isOwn }) => folderOf(from) === 'core' && !(isOwn && folderOf(target) === 'core'))
    .map(show);
}

/** A module that evaluates a schema loads the library of schemas. A program that has to start quickly imports only the derived types. */
function evaluatedSchemas(imports: readonly Import[]): string[] {
  return imports
    .filter(({ target, kind }) => target.startsWith(WIRE) && kind !== 'type')
    .filter(({ from }) => !from.startsWith(WIRE) && folderOf(from) !== 'server')
    .map(show);
}

/** Returns packages that are evaluated from more than one place. Types cost nothing and may be imported anywhere. */
function scatteredPackages(imports: readonly Import[]): string[] {
  const places = new Map<string, Set<string>>();
  for (const { from, target, isOwn, kind } of imports) {
    if (isOwn || kind === 'type' || target.startsWith('node:')) continue;
    const name = packageOf(target);
    const folder = WHOLE_FOLDER[name];
    const place = folder !== undefined && from.startsWith(`${folder}/`) ? `${folder}/` : from;
    places.set(name, (places.get(name) ?? new Set()).add(place));
  }
  return [...places].filter(([, where]) => where.size > 1).map(([name, where]) => `${name}: ${[...where].join(', ')}`);
}

/** Returns the packages that are evaluated at the start of the entry, on any path of imports. */
function eagerPackages(imports: readonly Import[], entry: string): string[] {
  const reached = new Set([entry]);
  const packages: string[] = [];
  for (const file of reached)
    for (const each of imports.filter(({ from, kind }) => from === file && kind === 'value')) {
      if (each.isOwn) reached.add(each.target);
      else if (!each.target.startsWith('node:')) packages.push(show(each));
    }
  return packages;
}

describe('the layers of src/', () => {
  const imports = importsOfSource();

  it('were read at all', () => {
    expect(imports.length).toBeGreaterThan(100);
    expect(imports.some(({ kind }) => kind === 'lazy')).toBe(true);
  });

  it('include every folder', () => {
    const folders = new Set(imports.filter(({ from }) => from.includes('/')).map(({ from }) => folderOf(from)));
    expect([...folders].filter((name) => !LAYERS.flat().includes(name))).toEqual([]);
  });

  it('are imported downwards only', () => {
    expect(upward(imports)).toEqual([]);
    expect(againstStages(imports)).toEqual([]);
  });

  it('inside the server go from http to notifications to grants to identity', () => {
    expect(SERVER_FLOORS.every((floor) => imports.some(({ from }) => from.startsWith(`server/${floor}/`)))).toBe(true);
    expect(upwardInServer(imports)).toEqual([]);
    const planted = importsOf('server/identity/x.ts', `import { a } from '../http/a.ts'; import { b } from '../b.ts';`);
    expect(upwardInServer(planted)).toEqual(['server/identity/x.ts imports server/http/a.ts']);
  });

  it('let core import nothing but itself', () => {
    expect(outOfCore(imports)).toEqual([]);
  });

  it('let each library be imported in one place only', () => {
    expect(scatteredPackages(imports)).toEqual([]);
  });

  it('let only the server evaluate the schemas of the API; its clients import the types', () => {
    expect(imports.some(({ from, target }) => from.startsWith('grants/') && target.startsWith(WIRE))).toBe(true);
    expect(evaluatedSchemas(imports)).toEqual([]);
  });

  it('let a one-shot command start without any library', () => {
    for (const entry of QUICK_ENTRIES) {
      expect(imports.some(({ from }) => from === entry)).toBe(true);
      expect(eagerPackages(imports, entry)).toEqual([]);
    }
  });
});

describe('the checks of these rules', () => {
  it('find an upward import, also of a type, an import from the same row, and an import()', () => {
    const text = `import type { A } from '../cli/a.ts';\nexport * from '../server/b.ts';\nawait import('../main/c.ts');`;
    expect(upward(importsOf('shell/x.ts', text))).toHaveLength(3);
    expect(upward(importsOf('shell/x.ts', `import { a } from '../gate/a.ts'; import './y.ts';`))).toEqual([]);
  });

  it('find an import of a certification by the gate, and an import of a verb by the certification', () => {
    const certification = `import { piAgent } from './certify.mjs';`;
    expect(upward(importsOf('harness/pi/harness.ts', certification))).toEqual([
      'harness/pi/harness.ts imports harness/pi/certify.mjs',
    ]);
    const parts = `import '../../certify/gates.mjs'; import './tools.ts'; import '../opencode/certify-cases.mjs';`;
    expect(upward(importsOf('harness/pi/certify.mjs', parts))).toEqual([]);
    expect(upward(importsOf('harness/pi/certify.mjs', `import '../../cli/program.ts';`))).toHaveLength(1);
  });

  it('find an import of node, of a package and of another folder in core', () => {
    const text = `import fs from 'node:fs';\nimport 'kysely';\nlet x: import('../platform/clock.ts').Clock;`;
    expect(outOfCore(importsOf('core/x.ts', text))).toHaveLength(3);
    const tree = `import type { Script } from 'unbash';`;
    expect(outOfCore(importsOf('core/reading/x.ts', tree))).toEqual([]);
    expect(outOfCore(importsOf('core/grant/grant.ts', tree))).toHaveLength(1);
    expect(outOfCore(importsOf('core/reading/x.ts', `import { parse } from 'unbash';`))).toHaveLength(1);
  });

  it('find a schema that a client would evaluate, also lazily or inside core', () => {
    const schema = `import { AskBodySchema } from '../core/wire/ask.ts';`;
    expect(evaluatedSchemas(importsOf('grants/x.ts', schema))).toEqual(['grants/x.ts imports core/wire/ask.ts']);
    expect(evaluatedSchemas(importsOf('cli/x.ts', `await import('../core/wire/ask.ts');`))).toHaveLength(1);
    expect(evaluatedSchemas(importsOf('core/x.ts', `import { type A, b } from './wire/ask.ts';`))).toHaveLength(1);
    expect(evaluatedSchemas(importsOf('grants/x.ts', `import { type A } from '../core/wire/ask.ts';`))).toHaveLength(1);
    expect(evaluatedSchemas(importsOf('server/x.ts', schema))).toEqual([]);
    expect(evaluatedSchemas(importsOf('grants/x.ts', `import type { A } from '../core/wire/ask.ts';`))).toEqual([]);
  });

  it('find the library of schemas elsewhere in core, and its compiler in a second file', () => {
    const library = `import { Type } from 'typebox';`;
    expect(outOfCore(importsOf('core/wire/x.ts', library))).toEqual([]);
    expect(outOfCore(importsOf('core/grant/grant.ts', library))).toHaveLength(1);
    expect(outOfCore(importsOf('core/wire/x.ts', `import { Compile } from 'typebox/compile';`))).toHaveLength(1);
    const planted = [...importsOf('core/wire/x.ts', library), ...importsOf('server/http/x.ts', library)];
    expect(scatteredPackages(planted)).toEqual(['typebox: core/wire/, server/http/x.ts']);
  });

  it('find a library in a second file', () => {
    const planted = [
      ...importsOf('server/a.ts', `import x from 'fastify';`),
      ...importsOf('cli/b.ts', `const { x } = await import('fastify');`),
      ...importsOf('cli/c.ts', `import type { x } from 'fastify';`),
    ];
    expect(scatteredPackages(planted)).toEqual(['fastify: server/a.ts, cli/b.ts']);
  });

  it('find a library that a one-shot command would evaluate through another file', () => {
    const planted = [
      ...importsOf('main/ape-shell.ts', `import { a } from '../shell/a.ts';`),
      ...importsOf('shell/a.ts', `import { b } from 'commander'; const c = await import('pg');`),
    ];
    expect(eagerPackages(planted, 'main/ape-shell.ts')).toEqual(['shell/a.ts imports commander']);
  });
});

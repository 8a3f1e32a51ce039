/** Random lines of file commands. */

import { NAMES, type Tree } from './file-trees.ts';
import type { Random } from './random.ts';

const quoted = (text: string): string => (/^[\w./@:+,-]+$/.test(text) ? text : `'${text}'`);

/** Returns a word for a path, often one that the line has already. */
function place(random: Random, tree: Tree): string {
  const said = random.chance(0.45) ? tree.said.at(random.below(Math.max(1, tree.said.length))) : undefined;
  const word = said ?? newPlace(random, tree);
  tree.said.push(word);
  return word;
}

function newPlace(random: Random, { base, paths }: Tree): string {
  const name = () => quoted(random.chance(0.5) ? random.pick(NAMES) : (random.pick(paths).split('/')[0] ?? ''));
  if (random.chance(0.4)) {
    const path = random.pick(paths);
    return random.pick([
      () => quoted(path),
      () => `./${quoted(path)}`,
      () => `./${quoted(path)}/`,
      () => `./${quoted(path)}/..`,
      () => `./${quoted(path)}/new`,
      () => `${quoted(path)}/*`,
    ])();
  }
  const whole = random.pick([
    name,
    name,
    name,
    () => `${name()}/${name()}`,
    () => `./${name()}`,
    () => `${name()}/..`,
    () => `${name()}/../${name()}`,
    () => `${name()}/`,
    () => `${name()}/.`,
    () => `./${name()}/${name()}/`,
    () => `../out/${name()}`,
    () => '../out',
    () => '.',
    () => '..',
    () => '*',
    () => './*',
    () => `${name()}/*`,
    () => '?',
    () => './[ab]',
    () => `./${name()}*`,
    () => `{${name()},${name()}}`,
    () => `{${name()},./${name()}}/${name()}`,
    () => `${base}/1/2/3/out/${name()}`,
    () => `~/${name()}`,
    () => `"$HOME"/${name()}`,
    () => 'new',
    () => 'new/x',
    () => './new/',
    () => `${name()}/new`,
    () => `.*`,
    () => `*/`,
    () => `*/${name()}`,
    () => `${name()}//${name()}`,
  ])();
  return whole;
}

type Make = (random: Random, tree: Tree) => readonly string[];

const places =
  (least: number, more: number) =>
  (random: Random, tree: Tree): readonly string[] =>
    Array.from({ length: least + random.below(more + 1) }, () => place(random, tree));

/** The options of each tool; `@` becomes a word for a path. */
const OPTIONS: Readonly<Record<string, readonly string[]>> = {
  cp: [
    '-r',
    '-R',
    '-a',
    '-P',
    '-L',
    '-H',
    '-d',
    '-f',
    '-n',
    '-l',
    '-s',
    '-T',
    '-u',
    '--remove-destination',
    '--strip-trailing-slashes',
    '-p',
    '--attributes-only',
    '-i',
    '--copy-contents',
    '-t@',
    '--target-directory=@',
    '-rf',
    '-rf',
    '-r',
    '-rl',
    '-rs',
    '-rP',
    '-rH',
    '--no-dereference',
    '--force',
  ],
  mv: ['-f', '-n', '-T', '-u', '-t@', '--strip-trailing-slashes', '--update=all', '-v'],
  ln: ['-s', '-f', '-sf', '-sfn', '-T', '-n', '-r', '-sr', '-L', '-P', '-t@', '-sfr', '-v', '-i'],
  rm: ['-r', '-f', '-rf', '-R', '-d', '-rv', '--one-file-system', '--interactive=never'],
  rmdir: ['-p', '--ignore-fail-on-non-empty', '-v'],
  mkdir: ['-p', '-m700', '-v', '-pv'],
  touch: ['-a', '-m', '-c', '-r@', '-d2001-01-01', '-t200101010101'],
  chmod: ['-R', '-f', '-v', '--reference=@'],
  tee: ['-a', '-i', '-p'],
  sed: ['-i', '-n', '-s', '--follow-symlinks', '-E', '-z', '-u', '--posix', '-l 5'],
  sort: ['-o@', '-u', '-r', '-T@', '-m', '-c', '-n'],
  split: ['-l1', '-b2', '-d', '-a1', '--additional-suffix=.x', '-n2', '-x'],
  gzip: ['-k', '-f', '-d', '-c', '-l', '-t', '-kf', '-df', '-v', '-9'],
  gunzip: ['-k', '-f', '-c', '-kf'],
  xz: ['-k', '-f', '-d', '-c', '-kf', '--format=lzma'],
  bzip2: ['-k', '-f', '-d', '-c', '-kf'],
  tar: [
    '-v',
    '-z',
    '-p',
    '-k',
    '-m',
    '--strip-components=1',
    '-C@',
    '--overwrite',
    '--exclude=a',
    '-w',
    '-a',
    '--wildcards',
    '-X@',
  ],
  zip: ['-r', '-j', '-u', '-f', '-y', '-q', '-ry'],
  unzip: ['-o', '-n', '-j', '-d@', '-q', '-l', '-p'],
  dd: [],
  find: [
    '-type f',
    '-name a',
    '-maxdepth 1',
    '-L',
    '-H',
    '-delete',
    '-depth',
    '-follow',
    '-mindepth 1',
    '-empty',
    '-ls',
    '-newer @',
    '-samefile @',
  ],
  rsync: [
    '-a',
    '-r',
    '-R',
    '-l',
    '-b',
    '-u',
    '--delete',
    '-L',
    '--inplace',
    '--mkpath',
    '-n',
    '-x',
    '--partial',
    '--existing',
    '-t',
    '-P',
    '--delete-excluded',
  ],
  cat: ['-n', '-A'],
  head: ['-n1', '-c5'],
  tail: ['-n1', '-c5'],
  grep: ['-r', '-R', '-l', '-v', '-h', '-s', '-H', '-f@'],
  diff: ['-r', '-u', '-N', '-q', '-ru'],
  cmp: ['-s'],
  ls: ['-l', '-R', '-L', '-a', '-d'],
  wc: ['-l'],
  uniq: ['-c', '-d'],
  cut: ['-c1-5'],
  comm: ['-1'],
  join: ['-v1'],
  paste: ['-s'],
  xxd: ['-p', '-r'],
  base64: ['-d'],
  sha256sum: ['-b'],
  stat: ['-L'],
  realpath: ['-e'],
  readlink: ['-f'],
  file: [],
  tac: [],
  nl: [],
  od: ['-c'],
  fold: ['-w5'],
  expand: [],
  tree: ['-l', '-a'],
  du: ['-a', '-L'],
  zcat: [],
  gzcat: [],
  awk: [],
  strings: [],
  chown: ['-R', '-f', '-H', '-P', '-L'],
  test: [],
};

const archives = ({ paths }: Tree, ending: string): readonly string[] =>
  paths.filter((path) => path.endsWith(ending)).map(quoted);

/** The operands of tools that do not take any number of paths. */
const SHAPES: Readonly<Record<string, Make>> = {
  cp: places(1, 3),
  mv: places(1, 3),
  ln: places(1, 2),
  diff: places(2, 0),
  cmp: places(2, 0),
  comm: places(2, 0),
  join: places(2, 0),
  uniq: places(1, 1),
  xxd: places(1, 1),
  chmod: (random, tree) => [random.pick(['700', 'u+x', 'a-w', '644', 'go=']), ...places(1, 1)(random, tree)],
  chown: (random, tree) => ['0:0', ...places(1, 1)(random, tree)],
  sed: (random, tree) => [random.pick(['s/F/G/', 'p', '1d', "'s/F/&&/g'"]), ...places(1, 1)(random, tree)],
  awk: (random, tree) => ["'{print}'", ...places(1, 1)(random, tree)],
  grep: (random, tree) => ['F', ...places(1, 1)(random, tree)],
  cut: places(1, 1),
  split: (random, tree) => [
    place(random, tree),
    ...(random.chance(0.7) ? [random.pick(['a', 'b/', 'd/p-', 'new-', 'c/a', './d/b'])] : []),
  ],
  tar: (random, tree) => {
    const archive = random.pick([...archives(tree, '.tar'), 's.tar', 'new.tar', place(random, tree)]);
    return random.pick([
      () => ['-xf', archive, ...(random.chance(0.2) ? places(1, 1)(random, tree) : [])],
      () => ['-cf', archive, ...places(1, 2)(random, tree)],
      () => ['cf', archive, ...places(1, 2)(random, tree)],
      () => ['-tf', archive],
    ])();
  },
  zip: (random, tree) => [random.pick(['new.zip', 'a', 'b', place(random, tree)]), ...places(1, 2)(random, tree)],
  unzip: (random, tree) => [random.pick([...archives(tree, '.zip'), 'new.zip', place(random, tree)])],
  dd: (random, tree) => [
    `if=${place(random, tree)}`,
    `of=${place(random, tree)}`,
    ...(random.chance(0.2) ? ['conv=notrunc'] : []),
  ],
  rsync: places(2, 1),
  test: (random, tree) => [random.pick(['-f', '-e', '-s']), place(random, tree)],
};

function command(random: Random, tree: Tree, tool = random.pick(Object.keys(OPTIONS))): string {
  const options: string[] = [];
  const known = OPTIONS[tool] ?? [];
  if (known.length > 0)
    for (let count = random.below(4); count > 0; count--)
      options.push(random.pick(known).replace('@', place(random, tree)));
  const operands = (SHAPES[tool] ?? places(1, 2))(random, tree);
  const words =
    tool === 'find'
      ? [...operands.slice(0, 1 + random.below(2)), ...options.map((each) => each)]
      : random.chance(0.15)
        ? [...operands, ...options]
        : random.chance(0.2)
          ? [...options, '--', ...operands]
          : [...options, ...operands];
  return [tool, ...words].join(' ');
}

const WRITERS = [
  'cp',
  'mv',
  'ln',
  'rm',
  'tee',
  'sed',
  'tar',
  'rsync',
  'mkdir',
  'gzip',
  'sort',
  'split',
  'touch',
  'zip',
  'unzip',
  'xz',
  'find',
  'chmod',
  'dd',
];

export function randomLine(random: Random, tree: Tree): string {
  const one = () =>
    command(random, tree, random.chance(0.7) ? random.pick(WRITERS) : random.pick(Object.keys(OPTIONS)));
  tree.said.length = 0;
  const unpack = () => {
    const file = random.pick([...archives(tree, '.tar'), ...archives(tree, '.zip'), 's.tar']);
    return file.includes('.zip') ? `unzip -o ${file}` : `tar -xf ${file}`;
  };
  return random.pick([
    one,
    one,
    one,
    unpack,
    () => `ln ${place(random, tree)} ${place(random, tree)}; tee ${place(random, tree)}`,
    () => `cp -rl ${place(random, tree)} ${place(random, tree)}; chmod -R 700 ${place(random, tree)}`,
    () => `${unpack()}; ${one()}`,
    () => `${one()}; ${one()}`,
    () => `${one()} && ${one()}`,
    () => `${one()}; ${one()}; ${one()}`,
    () => `cd ${place(random, tree)} && ${one()}`,
    () => `${one()}; cd ${place(random, tree)}; ${one()}`,
    () => `${one()} > ${place(random, tree)}`,
    () => `${one()} < ${place(random, tree)}`,
    () => `echo x >> ${place(random, tree)}; ${one()}`,
    () => `${one()} | tee ${place(random, tree)}`,
    () => `for f in ${place(random, tree)} ${place(random, tree)}; do ${one()}; done`,
    () => `for f in ${place(random, tree)}; do ${random.pick(WRITERS)} "$f" ${place(random, tree)}; done`,
    () => `find ${place(random, tree)} -name a -exec ${one()} {} \\;`,
    () =>
      `find ${place(random, tree)} -type f -exec ${random.pick(['rm', 'cat', 'sed -i p', 'touch', 'chmod 700', 'cp -t d', 'mv -t d', 'gzip', 'tee'])} {} ${random.pick(['\\;', '+'])}`,
    () =>
      `find ${place(random, tree)} -type f -exec true {} \\; ${random.pick(['-o', ',', '-a', '-false -o'])} -exec ${one()} {} \\;`,
    () => `printf '%s\\n' ${place(random, tree)} | xargs ${one()}`,
  ])();
}

/** Makes the questions of the impact preview for the programs in `BY_PROGRAM`: kill, docker, clients of SQL databases and others. */
import type { Word } from '../reading/reading.ts';
import type { Question } from './question.ts';
import { AT_RUN_TIME, hasAny, literalTexts, splitWords, targetsOfWord, type WordsOfCall } from './words.ts';

type MakeQuestions = (call: WordsOfCall) => readonly Question[];

const kill: MakeQuestions = (call) => {
  const [first] = literalTexts(call.words);
  if (first === '-l' || first === '-L' || first === '-0') return [];
  if ((first === '-s' || first === '-n') && /^(?:0|EXIT)$/i.test(literalTexts(call.words)[1] ?? '')) return [];
  const words = [...call.words];
  const option = words[0]?.kind === 'literal' ? words[0].value : '';
  if (option === '-s' || option === '-n') words.splice(0, 2);
  else if (/^-(?:\d+|[A-Za-z].*|-.*)$/.test(option)) words.splice(0, 1);
  const values = literalTexts(words).filter((text) => text !== '--');
  const numbers = values.filter((text) => /^-?\d{1,9}$/.test(text)).map(Number);
  const isJob = values.some((text) => text.startsWith('%'));
  const isUnknown = words.some((word) => word.kind !== 'literal');
  const isOwnGroup = numbers.some((number) => number === 0);
  const isOther = values.some((text) => !/^(?:-?\d{1,9}|%.*)$/.test(text));
  const note = isUnknown
    ? AT_RUN_TIME
    : isOwnGroup
      ? 'the process group of the command itself is not known here'
      : isJob
        ? 'jobs of the shell are not known here'
        : isOther
          ? 'a word that is not a number of a process is not looked up'
          : null;
  if (note !== null && numbers.every((number) => number === 0))
    return [{ kind: 'unknown', what: `processes that get a signal by ${call.source}`, note }];
  return [
    {
      kind: 'processes',
      what: `processes that get a signal by ${call.source}`,
      pids: numbers.filter((pid) => pid > 0),
      groups: numbers.filter((pid) => pid < -1).map((pid) => -pid),
      isEverything: numbers.includes(-1),
      note,
    },
  ];
};

/** Options of pkill that do not change the choice of processes, or that `pkill` below handles. */
const PLAIN_PKILL = /^(?:-[fxie]|--(?:full|exact|ignore-case|echo|signal))$/;
/** Options that make pkill choose fewer processes. Every other option, such as `--inverse`, may make pkill choose other processes. */
const NARROWS_PKILL = /^(?:-[uUPgGstnoO]|--(?:euid|uid|parent|pgroup|group|session|terminal|newest|oldest|older))$/;

const pkill: MakeQuestions = (call) => {
  const what = `processes that get a signal by ${call.source}`;
  const words = call.words.filter((word) => !(word.kind === 'literal' && /^-(?:\d+|[A-Z]{2,}\d?)$/.test(word.value)));
  const split = splitWords(
    words,
    '-u -U -P -g -G -s -t -O --euid --uid --parent --pgroup --group --session --terminal --older --signal',
  );
  const [name, ...more] = literalTexts(split.operands);
  const isKnown = [...split.options.keys()].every((option) => PLAIN_PKILL.test(option) || NARROWS_PKILL.test(option));
  if (!isKnown) return [{ kind: 'unknown', what, note: 'processes are not looked up by these options' }];
  if (split.operands.length === 0)
    return [
      { kind: 'unknown', what, note: 'the line gives no name: each process that the options choose gets the signal' },
    ];
  const isPlain = name !== undefined && more.length === 0 && /^\^?[\w ./:@=-]+\$?$/.test(name);
  if (!isPlain)
    return [
      {
        kind: 'unknown',
        what,
        note: name === undefined ? AT_RUN_TIME : 'processes are not looked up by such a pattern',
      },
    ];
  const narrowing = [...split.options.keys()].some((option) => NARROWS_PKILL.test(option));
  return [
    {
      kind: 'named',
      what,
      name,
      by: hasAny(split, '-f --full') ? 'command line' : 'name',
      isWhole: hasAny(split, '-x --exact'),
      isPattern: true,
      ignoresCase: hasAny(split, '-i --ignore-case'),
      isPartial: narrowing,
    },
  ];
};

/** The kernel cuts the name of a process to this length. For a longer name, killall also compares the command line. */
const KERNEL_NAME_LENGTH = 15;

const killall: MakeQuestions = (call) => {
  if (literalTexts(call.words).some((text) => /^(?:-l|--list|-0|-V|--version)$/.test(text))) return [];
  const words = call.words.filter((word) => !(word.kind === 'literal' && /^-(?:\d+|[A-Z]{2,}\d?)$/.test(word.value)));
  const valued = '-s --signal -u --user -o --older-than -y --younger-than -n --ns -Z --context';
  const split = splitWords(words, valued);
  const what = `processes that get a signal by ${call.source}`;
  const unknown = (note: string): Question => ({ kind: 'unknown', what, note });
  if (hasAny(split, '-g --process-group')) return [unknown('whole process groups are not looked up by a name')];
  if (hasAny(split, '-r --regexp')) return [unknown('processes are not looked up by such a pattern')];
  const isPartial = [...split.options.keys()].some(
    (option) => !/^(?:-[qsvwI]|--(?:quiet|signal|verbose|wait|ignore-case))$/.test(option),
  );
  const names = literalTexts(split.operands);
  const questions = names.map((name): Question => {
    if (name.includes('/')) return unknown('processes are not looked up by the file that they run');
    if (!/^[\w.+@:-]+$/.test(name)) return unknown('processes are not looked up by such a pattern');
    return {
      kind: 'named',
      what,
      name: name.slice(0, KERNEL_NAME_LENGTH),
      by: 'name',
      isWhole: true,
      isPattern: false,
      ignoresCase: hasAny(split, '-I --ignore-case'),
      isPartial: isPartial || name.length > KERNEL_NAME_LENGTH,
    };
  });
  const isKnown = names.length > 0 && names.length === split.operands.length;
  return isKnown ? questions : [...questions, unknown(AT_RUN_TIME)];
};

/** Nouns of docker and podman whose objects are not looked up, each with the name of these objects. */
const NOT_LOOKED_UP: ReadonlyMap<string, string> = new Map([
  ['network', 'networks'],
  ['builder', 'build caches'],
  ['buildx', 'builders and build caches'],
  ['pod', 'pods and their containers'],
  ['kube', 'pods and their containers'],
  ['play', 'pods and their containers'],
  ['machine', 'virtual machines'],
  ['stack', 'services'],
  ['service', 'services'],
  ['swarm', 'services'],
  ['node', 'nodes'],
  ['secret', 'secrets'],
  ['config', 'configurations'],
  ['context', 'contexts'],
  ['plugin', 'plugins'],
  ['manifest', 'lists of images'],
  ['checkpoint', 'checkpoints'],
  ['model', 'models'],
]);
const NOUNS: ReadonlySet<string> = new Set([
  ...['container', 'image', 'volume', 'system', 'compose'],
  ...NOT_LOOKED_UP.keys(),
]);
/** Verbs of the nouns in `NOT_LOOKED_UP` that end or delete an object. */
const ENDS: ReadonlyMap<string, string> = new Map([
  ...['rm', 'remove', 'prune', 'down', '--down', 'leave', 'uninstall', 'reset'].map(
    (verb) => [verb, 'deleted'] as const,
  ),
  ...['kill', 'stop', 'restart', 'disable'].map((verb) => [verb, 'stopped'] as const),
]);

const docker: MakeQuestions = (call) => {
  const all = literalTexts(call.words);
  const tool = call.name === 'podman' ? 'podman' : 'docker';
  const start = all.findIndex((text) => !text.startsWith('-'));
  if (start > 0) return dockerVerbs(all).length === 0 ? [] : [elsewhere(call)];
  const [noun = '', verb = ''] = NOUNS.has(all[0] ?? '') ? all : ['container', ...all];
  const of = noun === 'image' || verb === 'rmi' ? 'images' : noun === 'volume' ? 'volumes' : 'containers';
  const split = splitWords(call.words, '-t --time --timeout -s --signal --filter --cidfile');
  const names = literalTexts(split.operands).slice(NOUNS.has(all[0] ?? '') ? 2 : 1);
  const isUnknown = split.operands.some((word) => word.kind !== 'literal');
  const what = (outcome: string, which: string = of) => `${which} ${outcome} by ${call.source}`;
  const question = (outcome: string, unused: 'no' | 'yes' | 'all', note: string | null = null): Question => ({
    kind: 'containers',
    what: what(outcome),
    tool,
    of,
    names,
    unused,
    note: isUnknown ? AT_RUN_TIME : note,
  });
  const notLookedUp = NOT_LOOKED_UP.get(noun);
  if (notLookedUp !== undefined) {
    const ends = all.slice(1).flatMap((text) => ENDS.get(text) ?? [])[0];
    return ends === undefined
      ? []
      : [{ kind: 'unknown', what: what(ends, notLookedUp), note: `${notLookedUp} are not looked up` }];
  }
  if (noun === 'system' && verb === 'reset')
    return [
      { kind: 'unknown', what: what('deleted', 'containers, images and volumes'), note: 'it deletes all of them' },
    ];
  if (noun === 'compose') return compose({ ...call, words: call.words.slice(1) });
  if (verb === 'prune') {
    const isAll = hasAny(split, '-a --all');
    const note = hasAny(split, '--filter') ? 'a filter may choose fewer' : null;
    if (noun !== 'system') return [{ ...question('deleted', isAll ? 'all' : 'yes', note), names: [] } as Question];
    return (['containers', 'images', ...(hasAny(split, '--volumes') ? (['volumes'] as const) : [])] as const).map(
      (each) => ({
        kind: 'containers',
        what: what('deleted', each),
        tool,
        of: each,
        names: [],
        unused: isAll ? 'all' : 'yes',
        note,
      }),
    );
  }
  const outcome = OUTCOMES.get(verb);
  if (outcome === undefined) return [];
  // In `podman rm --all`, the option chooses the containers, and no word names them.
  if (names.length === 0 && !isUnknown)
    return [{ kind: 'unknown', what: what(outcome), note: `the line does not name the ${of}` }];
  return [question(outcome, 'no')];
};

/** What happens to containers, by verb of `docker compose`. */
const OUTCOMES_OF_COMPOSE: ReadonlyMap<string, string> = new Map([
  ['down', 'deleted'],
  ['rm', 'deleted'],
  ['scale', 'deleted'],
  ['kill', 'stopped'],
  ['stop', 'stopped'],
  ['restart', 'stopped'],
]);

/** Options of `docker compose` and `docker-compose` themselves, in front of the verb, that take a value. */
const VALUED_OF_COMPOSE =
  '-f --file -p --project-name --profile --env-file --project-directory --workdir --ansi --progress --parallel -H --host -c --context';

const compose: MakeQuestions = (call) => {
  const split = splitWords(call.words, VALUED_OF_COMPOSE);
  const [verb] = split.operands;
  const question = (outcome: string, note: string): readonly Question[] => [
    { kind: 'unknown', what: `containers ${outcome} by ${call.source}`, note },
  ];
  if (verb !== undefined && verb.kind !== 'literal') return question('touched', AT_RUN_TIME);
  const outcome = OUTCOMES_OF_COMPOSE.get(verb?.value ?? '');
  return outcome === undefined ? [] : question(outcome, 'the compose file is not read');
};

/** What happens to the named objects, by verb. */
const OUTCOMES: ReadonlyMap<string, string> = new Map([
  ['rm', 'deleted'],
  ['rmi', 'deleted'],
  ['remove', 'deleted'],
  ['kill', 'stopped'],
  ['stop', 'stopped'],
  ['restart', 'stopped'],
]);

const dockerVerbs = (all: readonly string[]) =>
  all.filter((text) => ['rm', 'rmi', 'prune', 'kill', 'stop', 'restart', 'down'].includes(text));

const elsewhere = (call: WordsOfCall): Question => ({
  kind: 'unknown',
  what: `containers touched by ${call.source}`,
  note: 'the line names another daemon or configuration',
});

const NAME = '(?:"[^"]+"|`[^`]+`|\\[[^\\]]+\\]|[\\w$-]+)';
/** `UPDATE` is no statement in `ON CONFLICT DO UPDATE`, `ON DUPLICATE KEY UPDATE`, `FOR UPDATE` and `ON UPDATE CASCADE`. */
const STATEMENT = new RegExp(
  `\\b(?:DELETE\\s+FROM|DROP\\s+TABLE(?:\\s+IF\\s+EXISTS)?|TRUNCATE(?:\\s+TABLE)?|(?<!\\b(?:DO|KEY|FOR|ON)\\s{1,9})UPDATE(?:\\s+OR\\s+\\w+)?)\\s+(?:ONLY\\s+)?(${NAME}(?:\\.${NAME})*)`,
  'giu',
);
const DROPS = /\bDROP\s+(?:DATABASE|SCHEMA|OWNED)\b/i;

/** Returns the tables that the statements drop, and the tables with changed rows. Returns each table once, and at most 16 tables. */
function tablesIn(sql: string): readonly string[] {
  const found = [...sql.slice(0, 100_000).matchAll(STATEMENT)].map(([, name = '']) => name.replace(/["`[\]]/g, ''));
  return [...new Set(found)].slice(0, 16);
}

const sqlite: MakeQuestions = (call) => {
  const [file, ...statements] = operandsOfSqlite(call);
  const commands = call.words.filter((_, at) => /^--?cmd$/.test(literalTexts(call.words.slice(at - 1, at))[0] ?? ''));
  const sql = literalTexts([...commands, ...statements]).join('; ');
  const tables = tablesIn(sql);
  const what = `rows in tables that ${call.source} changes`;
  if (tables.length === 0 || file === undefined) return [];
  const [database] = targetsOfWord(file, call) ?? [];
  if (database === undefined) return [{ kind: 'unknown', what, note: AT_RUN_TIME }];
  const note = /\b(?:WHERE|UPDATE)\b/i.test(sql) ? 'a WHERE clause may choose fewer rows' : null;
  return [{ kind: 'rows', what, database, tables, note }];
};

/** Returns the operands of sqlite3. Long options of sqlite3 begin with one dash. Some options take the next word as a value. */
function operandsOfSqlite({ words }: WordsOfCall) {
  const valued = [
    '-separator',
    '-nullvalue',
    '-cmd',
    '-init',
    '-newline',
    '-mmap',
    '-vfs',
    '-nonce',
    '-maxsize',
    '-heap',
  ];
  const valuedTwice = ['-lookaside', '-pagecache'];
  const isOneOf = (word: Word | undefined, names: readonly string[]): boolean =>
    word?.kind === 'literal' && names.includes(word.value.replace(/^--/, '-'));
  return words.filter((word, at) => {
    const [before, earlier] = [words[at - 1], words[at - 2]];
    const isValue = isOneOf(before, [...valued, ...valuedTwice]) || isOneOf(earlier, valuedTwice);
    return !isValue && !(word.kind === 'literal' && /^-./.test(word.value));
  });
}

const serverSql: MakeQuestions = (call) => {
  const all = literalTexts(call.words).join('\n');
  const tables = tablesIn(all);
  if (tables.length === 0 && !DROPS.test(all)) return [];
  const named = tables.length === 0 ? 'a whole database or schema' : tables.join(', ');
  return [
    {
      kind: 'unknown',
      what: `rows changed by ${call.source}`,
      note: `the SQL names ${named}; only the database knows how many rows the SQL changes`,
    },
  ];
};

const dropDatabase: MakeQuestions = (call) => [
  {
    kind: 'unknown',
    what: `databases deleted by ${call.source}`,
    note: 'only the database server knows the contents of these databases',
  },
];

const BY_PROGRAM: Readonly<Record<string, MakeQuestions>> = {
  kill,
  pkill,
  killall,
  docker,
  podman: docker,
  'docker-compose': compose,
  'podman-compose': compose,
  sqlite3: sqlite,
  psql: serverSql,
  mysql: serverSql,
  mariadb: serverSql,
  dropdb: dropDatabase,
};

/** Returns null if the program is not in `BY_PROGRAM`. Returns an empty list if nothing needs a lookup, for example for `kill -l`. */
export const otherQuestions = (call: WordsOfCall): readonly Question[] | null => {
  const makeQuestions = Object.hasOwn(BY_PROGRAM, call.name) ? BY_PROGRAM[call.name] : undefined;
  return makeQuestions === undefined ? null : makeQuestions(call);
};

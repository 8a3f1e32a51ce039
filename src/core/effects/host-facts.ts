/**
 * Host facts: what the requester's host looked up for a line. The server cannot see the files of that host. The host therefore assesses the
 * line, and records the answer to each lookup. From the recorded answers, the server assesses the line again, by its own rule files. A
 * lookup without a recorded answer makes the line opaque.
 */

import type { ConfinementLevel } from '../confinement/confinement.ts';
import { type Fault, fault } from '../fault.ts';
import type { Resolution } from '../reading/resolution.ts';
import type { Lookup } from '../reading/unwrapping.ts';
import { namePatternText } from '../text/name-pattern.ts';
import type { AgreementSchema, HostFactsSchema } from '../wire/host-facts.ts';
import type { Shape } from '../wire/schema-parts.ts';
import type { CommandContext } from './command-context.ts';
import { isNearOwnPlace, type OwnPlace } from './own-places.ts';

/**
 * Whether bash can parse both the line and every text that a shell in the line reads. `unknown`: bash could not be started, or took too
 * long. `unknown` does not count as `agrees`.
 */
export type Agreement = Shape<typeof AgreementSchema>;

/**
 * All that an assessment looks up on the host.
 * @property home          what `~` becomes: absolute, or null
 * @property hasSearchedCd whether CDPATH is set; if so, the target of a relative `cd` is not known
 * @property own           the files of ape-shell itself on this host; absent: not known
 * @property resolveName   returns what a command name means. `name` is the name without its quoting, and `source` is the name as written
 *                         in the line. `pathFrom` names a variable: the harness's prelude puts the value of this variable in front of
 *                         PATH. Null: no prelude changes PATH
 */
export interface Lookups
  extends Required<
      Pick<
        CommandContext,
        | 'resolvePath'
        | 'repositoryOf'
        | 'projectOf'
        | 'recordsOf'
        | 'hasHooks'
        | 'addsRepository'
        | 'isBareRepository'
        | 'hasLinksOut'
        | 'matchesOf'
        | 'sensitiveBelow'
      >
    >,
    Pick<CommandContext, 'hasBsdTools'> {
  readonly home: string | null;
  readonly hasSearchedCd: boolean;
  readonly own?: readonly OwnPlace[];
  readonly resolveName: (name: string, source: string, lookup: Lookup, pathFrom: string | null) => Resolution;
}

type FoundName = HostFacts['names'][number];
type FoundPath = HostFacts['paths'][number];

/**
 * `home`, `hasSearchedCd` and `hasBsdTools` are as in `Lookups`.
 * @property own              the files of ape-shell itself that equal, contain or are below a path that was looked up; absent: no file
 * @property bash             the answer of `bash -n`
 * @property names            the answers of `resolveName`
 * @property paths            the answers of `resolvePath`
 * @property repositories     the answers of `repositoryOf` and of all functions that `FoundRepository` names
 * @property projects         the answers of `projectOf`; absent: none
 * @property bare             the answers of `isBareRepository`
 * @property linksOut         the answers of `hasLinksOut`
 * @property matches          the answers of `matchesOf`
 * @property hidden           the answers of `sensitiveBelow`
 * @property confinementLevel the level that the host claims for this request; absent: 0. If the claim is too high, the host cannot apply
 *                            the confinement of the permit, and refuses the line. If the claim is too low, fewer lines are covered
 */
export type HostFacts = Shape<typeof HostFactsSchema>;

/**
 * What was looked up about one directory.
 * @property records            the answer of `recordsOf`; absent: an empty list
 * @property isHookless         `hasHooks` for `any` was called and returned false
 * @property hasNoRecordHooks   `hasHooks` for `record` was called and returned false
 * @property hasNoLocalRemote   `hasHooks` for `remote` was called and returned false
 * @property hasPlainRefspecs   `hasHooks` for `refspec` was called and returned false
 * @property hasNoAutoUpstream  `hasHooks` for `upstream` was called and returned false
 * @property hasNoOtherUrls     `hasHooks` for `url` was called and returned false
 * @property hasPlainSort       `hasHooks` for `sort` was called and returned false
 * @property hasUsualEditor     `hasHooks` for `editor` was called and returned false
 * @property hasNoNewRepository `addsRepository` was called and returned false each time
 */
type FoundRepository = HostFacts['repositories'][number];

/** For each kind: the property which records that `hasHooks` returned false. */
const NO_HOOKS = {
  any: 'isHookless',
  record: 'hasNoRecordHooks',
  remote: 'hasNoLocalRemote',
  refspec: 'hasPlainRefspecs',
  upstream: 'hasNoAutoUpstream',
  url: 'hasNoOtherUrls',
  sort: 'hasPlainSort',
  editor: 'hasUsualEditor',
} as const;

/**
 * @property pattern as `namePatternText` writes it
 * @property names   null: not known, or too many
 */
type FoundMatches = HostFacts['matches'][number];

export const levelIn = (hostFacts: HostFacts | null): ConfinementLevel => hostFacts?.confinementLevel ?? 0;

/**
 * The limit for answers of one kind. If a line needs more answers, the host sends no host facts, and only the exact bytes can be approved.
 */
export const MAX_HOST_FACTS = 256;
/** The most names that one answer about a pattern or a directory has. If there are more names, the answer is null (not known). */
export const MAX_NAMES = 1024;
/** The longest text in host facts, in characters. */
export const MAX_HOST_FACT_LENGTH = 8 * 1024;
/** The largest size of all host facts as JSON, in characters. */
export const MAX_HOST_FACTS_SIZE = 256 * 1024;

/** Returns the text whose SHA-256 a permit contains. Host and server make the same text, because JSON keeps the order of members. */
export const canonicalHostFacts = (hostFacts: HostFacts): string => JSON.stringify(hostFacts);

/**
 * Makes lookups that record the answers of `live`. `recordedFacts` returns the host facts so far, or null if the server would refuse these
 * facts (too many, too large or malformed).
 */
export function recordLookups(live: Lookups): {
  readonly lookups: Lookups;
  readonly recordedFacts: (bash: Agreement, confinementLevel: ConfinementLevel) => HostFacts | null;
} {
  const names = new Map<string, FoundName>();
  const paths = new Map<string, FoundPath>();
  const repositories = new Map<string, FoundRepository>();
  const projects = new Map<string, NonNullable<HostFacts['projects']>[number]>();
  const adding = new Set<string>();
  const bare = new Map<string, HostFacts['bare'][number]>();
  const linksOut = new Map<string, HostFacts['linksOut'][number]>();
  const matches = new Map<string, FoundMatches>();
  const hidden = new Map<string, HostFacts['hidden'][number]>();
  const lookups: Lookups = {
    home: live.home,
    hasSearchedCd: live.hasSearchedCd,
    own: live.own ?? [],
    ...bsdToolsOf(live),
    resolveName: (name, source, lookup, pathFrom) => {
      const resolution = live.resolveName(name, source, lookup, pathFrom);
      names.set(nameKey(name, source, lookup), { name, source, lookup, resolution: withoutText(resolution) });
      return resolution;
    },
    resolvePath: (path, end) => {
      const resolved = live.resolvePath(path, end);
      paths.set(pathKey(path, end), { path, end, resolved });
      return resolved;
    },
    repositoryOf: (directory) => recordRepository(directory).top,
    projectOf: (path, names) => {
      const top = live.projectOf(path, names);
      projects.set(projectKey(path, names), { path, names, top });
      return top;
    },
    recordsOf: (directory) => recordRepository(directory).records ?? [],
    hasHooks: (directory, which) => {
      const has = live.hasHooks(directory, which);
      repositories.set(directory, { ...recorded(directory), ...(has ? {} : { [NO_HOOKS[which]]: true }) });
      return has;
    },
    addsRepository: (directory, trees, isForced) => {
      const adds = live.addsRepository(directory, trees, isForced);
      if (adds) adding.add(directory);
      const { hasNoNewRepository: _, ...found } = recorded(directory);
      repositories.set(directory, adding.has(directory) ? found : { ...found, hasNoNewRepository: true });
      return adds;
    },
    hasLinksOut: (directory, depth) => {
      const leadsOut = live.hasLinksOut(directory, depth);
      linksOut.set(linksKey(directory, depth), { directory, depth, leadsOut });
      return leadsOut;
    },
    isBareRepository: (directory) => {
      const isBare = live.isBareRepository(directory);
      bare.set(directory, { directory, isBare });
      return isBare;
    },
    matchesOf: (directory, pattern) => {
      const names = live.matchesOf(directory, pattern);
      const text = namePatternText(pattern);
      matches.set(matchKey(directory, text), { directory, pattern: text, names });
      return names;
    },
    sensitiveBelow: (directory) => {
      const names = live.sensitiveBelow(directory);
      hidden.set(directory, { directory, names });
      return names;
    },
  };
  function recordRepository(directory: string): FoundRepository {
    const top = live.repositoryOf(directory);
    const records = live.recordsOf(directory);
    const { records: _, ...known } = repositories.get(directory) ?? {};
    const found = { ...known, directory, top, ...(records.length === 0 ? {} : { records }) };
    repositories.set(directory, found);
    return found;
  }
  const recorded = (directory: string): FoundRepository => repositories.get(directory) ?? recordRepository(directory);
  function ownPlaces(): { readonly own?: OwnPlace[] } {
    const asked = [
      ...[...paths.values()].flatMap(({ path, resolved }) => [path, resolved]),
      ...[...repositories.values()].flatMap(({ directory, top, records }) => [
        directory,
        ...(top === null ? [] : [top]),
        ...(records ?? []),
      ]),
      ...[...projects.values()].flatMap(({ path, top }) => [path, ...(top === null ? [] : [top])]),
      ...[bare, linksOut, matches, hidden].flatMap((answers) =>
        [...answers.values()].map(({ directory }) => directory),
      ),
    ];
    const own = (live.own ?? []).filter((place) => asked.some((path) => isNearOwnPlace(path, place)));
    return own.length === 0 ? {} : { own };
  }
  const recordedFacts = (bash: Agreement, confinementLevel: ConfinementLevel): HostFacts | null =>
    [names, paths, repositories, projects, bare, linksOut, matches, hidden].some(({ size }) => size > MAX_HOST_FACTS)
      ? null
      : withinLimits({
          bash,
          confinementLevel,
          home: live.home,
          hasSearchedCd: live.hasSearchedCd,
          ...ownPlaces(),
          ...bsdToolsOf(live),
          names: [...names.values()],
          paths: [...paths.values()],
          repositories: [...repositories.values()],
          ...(projects.size === 0 ? {} : { projects: [...projects.values()] }),
          bare: [...bare.values()],
          linksOut: [...linksOut.values()],
          matches: [...matches.values()],
          hidden: [...hidden.values()],
        });
  return { lookups, recordedFacts };
}

/**
 * Makes lookups that answer from host facts. If an answer is missing, the lookup returns a default, and from then on `isComplete` returns
 * false. One exception: for a directory in `repositories`, a missing answer of `hasHooks` or `addsRepository` counts as true, and
 * `isComplete` does not change.
 */
export function lookupsFrom(hostFacts: HostFacts): { readonly lookups: Lookups; readonly isComplete: () => boolean } {
  const names = new Map(hostFacts.names.map((each) => [nameKey(each.name, each.source, each.lookup), each.resolution]));
  const paths = new Map(hostFacts.paths.map((each) => [pathKey(each.path, each.end), each.resolved]));
  const repositories = new Map(hostFacts.repositories.map((each) => [each.directory, each]));
  const projects = new Map((hostFacts.projects ?? []).map((each) => [projectKey(each.path, each.names), each]));
  const linksOut = new Map(hostFacts.linksOut.map((each) => [linksKey(each.directory, each.depth), each.leadsOut]));
  const bare = new Map(hostFacts.bare.map(({ directory, isBare }) => [directory, isBare]));
  const matches = new Map(hostFacts.matches.map((each) => [matchKey(each.directory, each.pattern), each.names]));
  const hidden = new Map(hostFacts.hidden.map(({ directory, names }) => [directory, names]));
  let isComplete = true;
  const answerOr = <T>(answer: T | undefined, otherwise: T): T => {
    if (answer !== undefined) return answer;
    isComplete = false;
    return otherwise;
  };
  const lookups: Lookups = {
    home: hostFacts.home,
    hasSearchedCd: hostFacts.hasSearchedCd,
    own: hostFacts.own ?? [],
    ...bsdToolsOf(hostFacts),
    resolveName: (name, source, lookup) =>
      answerOr(names.get(nameKey(name, source, lookup)), { kind: 'unsure', reason: 'was not looked up' }),
    resolvePath: (path, end) => answerOr(paths.get(pathKey(path, end)), path),
    repositoryOf: (directory) => answerOr(repositories.get(directory), null)?.top ?? null,
    projectOf: (path, names) => answerOr(projects.get(projectKey(path, names)), null)?.top ?? null,
    recordsOf: (directory) => answerOr(repositories.get(directory), null)?.records ?? [],
    hasHooks: (directory, which) => {
      const found = answerOr(repositories.get(directory), null);
      return found?.[NO_HOOKS[which]] !== true;
    },
    addsRepository: (directory) => answerOr(repositories.get(directory), null)?.hasNoNewRepository !== true,
    isBareRepository: (directory) => answerOr(bare.get(directory), true),
    hasLinksOut: (directory, depth) => answerOr(linksOut.get(linksKey(directory, depth)), true),
    matchesOf: (directory, pattern) => answerOr(matches.get(matchKey(directory, namePatternText(pattern))), null),
    sensitiveBelow: (directory) => answerOr(hidden.get(directory), null),
  };
  return { lookups, isComplete: () => isComplete };
}

const bsdToolsOf = ({ hasBsdTools }: Pick<CommandContext, 'hasBsdTools'>): Pick<CommandContext, 'hasBsdTools'> =>
  hasBsdTools === true ? { hasBsdTools } : {};

/** Returns null if the server would refuse these host facts. */
const withinLimits = (hostFacts: HostFacts): HostFacts | null =>
  hostFactsFault(hostFacts) === null && canonicalHostFacts(hostFacts).length <= MAX_HOST_FACTS_SIZE ? hostFacts : null;

/**
 * Checks host facts that fit their schema. Returns a fault or null. The message is a phrase such as "a path that is not absolute"; callers
 * put this phrase into a sentence.
 */
export function hostFactsFault({
  home,
  own = [],
  names,
  paths,
  repositories,
  projects = [],
  bare,
  linksOut,
  matches,
  hidden,
}: HostFacts): Fault | null {
  const resolved = names.flatMap(({ resolution }) =>
    resolution.kind === 'file'
      ? [resolution.path, resolution.realPath, ...resolution.writable.map(({ path }) => path)]
      : [],
  );
  const absolute = [
    ...(home === null ? [] : [home]),
    ...own.map(({ path }) => path),
    ...resolved,
    ...paths.flatMap(({ path, resolved }) => [path, resolved]),
    ...repositories.flatMap(({ directory, top, records = [] }) => [
      directory,
      ...(top === null ? [] : [top]),
      ...records,
    ]),
    ...projects.flatMap(({ path, top }) => [path, ...(top === null ? [] : [top])]),
    ...[...bare, ...linksOut, ...matches, ...hidden].map(({ directory }) => directory),
    ...matches.flatMap(({ names: found }) =>
      (found ?? []).flatMap(({ target, itself }) => [target ?? '/', itself ?? '/']),
    ),
  ];
  if (!absolute.every((path) => path.startsWith('/'))) return fault('a path that is not absolute');
  const below = [
    ...matches.flatMap(({ names: found }) => (found ?? []).map(({ name }) => name)),
    ...hidden.flatMap(({ names: found }) => found ?? []),
  ];
  if (!below.every((name) => name !== '' && !name.startsWith('/') && !name.includes('\0')))
    return fault('a name that is not below its directory');
  const texts = [
    ...names.flatMap(({ name, source, resolution }) => [name, source, reasonOf(resolution)]),
    ...projects.map(({ names: looked }) => looked),
  ];
  return [...absolute, ...below, ...matches.map(({ pattern }) => pattern), ...texts].some(
    (text) => text.length > MAX_HOST_FACT_LENGTH,
  )
    ? fault(`a text of more than ${MAX_HOST_FACT_LENGTH} characters`)
    : null;
}

const reasonOf = (resolution: Resolution): string => ('reason' in resolution ? resolution.reason : '');

const pathKey = (path: string, end: 'target' | 'itself'): string => `${end} ${path}`;

const linksKey = (directory: string, depth: number): string => `${depth} ${directory}`;

/** @param pattern as `namePatternText` writes it */
const matchKey = (directory: string, pattern: string): string => `${directory}\0${pattern}`;

const projectKey = (path: string, names: string): string => JSON.stringify([path, names]);

const nameKey = (name: string, source: string, lookup: Lookup): string => JSON.stringify([lookup, source, name]);

/** Leaves out the text of an alias or function: an assessment does not need this text, and the text may be long or secret. */
const withoutText = (resolution: Resolution): Resolution =>
  resolution.kind === 'alias' || resolution.kind === 'function' ? { kind: resolution.kind, text: '' } : resolution;

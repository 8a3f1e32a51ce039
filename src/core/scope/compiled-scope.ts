/** Compiles a scope once for many checks. A malformed scope cannot be compiled, and covers nothing. */
import { type NeedsSetting, usesProxy } from '../confinement/command-needs.ts';
import { type Access, type Resource, type ResourceKind, RISKS, type Risk } from '../effects/permission.ts';
import type { CommandPattern, CommandScope, ScopeConditions } from './command-scope.ts';
import { boundEnvironment } from './conditions.ts';
import { scopeShapeFault } from './scope-shape.ts';
import { matcherOf, type ValueMatcher } from './value-pattern.ts';

/**
 * @property tool     used only if `operations` is null: the tool whose reading operations are covered; null: every tool
 * @property matchers the key is `resourceKey`. A resource fits if one of the matchers for its kind and access returns true
 * @property highestRank the rank (`rankOf`) of the highest risk that a covered command may have
 * @property listed   the real paths of programs that may run
 * @property allowsRootOwned whether a program that is not in `listed` may run if only root can change it
 */
export interface CompiledPattern {
  readonly pattern: CommandPattern;
  /** `null` means all operations of `tool` that only read. */
  readonly operations: ReadonlySet<string> | null;
  readonly tool: string | null;
  readonly options: ReadonlySet<string> | 'any';
  readonly matchers: ReadonlyMap<string, readonly ValueMatcher[]>;
  readonly highestRank: number;
  readonly listed: ReadonlySet<string>;
  readonly allowsRootOwned: boolean;
  /** The setting to pass to `needsOfCommand` for a command that this pattern covers. */
  readonly needsSetting: NeedsSetting;
}

/**
 * @property environment the environment of the scope, as `boundEnvironment` writes it
 * @property homes       the values of `HOME` in this environment: no value or one value
 */
export interface CompiledScope {
  readonly scope: CommandScope;
  readonly environment: string;
  readonly homes: readonly string[];
  readonly patterns: readonly CompiledPattern[];
}

/** Returns a key of `matchers`. Caches the keys, because every check needs them. */
export const resourceKey = ({ kind, access }: Pick<Resource, 'kind' | 'access'>): string => {
  const existing = keys.get(kind)?.get(access);
  if (existing !== undefined) return existing;
  const key = `${kind} ${access}`;
  const accesses = keys.get(kind) ?? new Map<string, string>();
  keys.set(kind, accesses.set(access, key));
  return key;
};
const keys = new Map<string, Map<string, string>>();

/** Returns the index of the risk in `RISKS`: 0 for `low`, -1 for an unknown risk. */
export const rankOf = (risk: Risk): number => RISKS.indexOf(risk);

/** The key is the scope object itself, because a scope is never changed in place. */
const cache = new WeakMap<CommandScope, CompiledScope | 'malformed'>();

/** Returns null if the scope is malformed. */
export function compileScope(scope: CommandScope): CompiledScope | null {
  if (typeof scope !== 'object' || scope === null) return null; // a store may hold anything
  let compiled = cache.get(scope);
  if (compiled === undefined) {
    compiled = scopeShapeFault(scope) === null ? compile(scope) : 'malformed';
    cache.set(scope, compiled);
  }
  return compiled === 'malformed' ? null : compiled;
}

const compile = (scope: CommandScope): CompiledScope => ({
  scope,
  environment: boundEnvironment(scope.conditions.environment),
  homes: homesIn(scope.conditions),
  patterns: scope.patterns.map((pattern) => compilePattern(pattern, scope.conditions)),
});

const homesIn = ({ environment }: Pick<ScopeConditions, 'environment'>): readonly string[] =>
  environment.filter(({ name }) => name === 'HOME').map(({ value }) => value);

function compilePattern(pattern: CommandPattern, conditions: ScopeConditions): CompiledPattern {
  const { operations, options, programs } = pattern;
  const isReading = 'reading' in operations;
  const matchers = matchersOf(pattern);
  return {
    pattern,
    operations: isReading ? null : new Set(operations),
    tool: isReading ? operations.tool : null,
    options: options === 'any' ? 'any' : new Set(options),
    matchers,
    highestRank: rankOf(pattern.highestRisk),
    listed: new Set(programs.listed),
    allowsRootOwned: programs.rootOwned,
    needsSetting: {
      workDirectory: conditions.cwdBelow,
      homes: homesIn(conditions),
      reaches: (directory, access) =>
        matchers
          .get(resourceKey({ kind: 'path', access }))
          ?.some((match) => match({ value: directory, isExact: false })) === true,
      isExact: false,
      programs: programs.rootOwned ? 'system' : 'listed',
      hasProxy: usesProxy(conditions.environment),
    },
  };
}

function matchersOf({ resources }: CommandPattern): ReadonlyMap<string, readonly ValueMatcher[]> {
  const found = new Map<string, ValueMatcher[]>();
  const add = (kind: ResourceKind, access: Access, matcher: ValueMatcher): void => {
    const key = resourceKey({ kind, access });
    const others = found.get(key);
    if (others === undefined) found.set(key, [matcher]);
    else others.push(matcher);
  };
  for (const { kind, access, values } of resources) {
    const matcher = matcherOf(kind, values);
    if (matcher !== null) for (const one of access) add(kind, one, matcher);
  }
  return found;
}

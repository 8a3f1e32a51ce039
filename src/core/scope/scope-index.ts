/** An index of the standing grants that have a scope for commands. With the index, the check of a line looks at few grants. */
import type { RequiredPermission } from '../effects/assess-line.ts';
import type { CommandScope } from './command-scope.ts';
import { type CompiledScope, compileScope } from './compiled-scope.ts';
import { missedCondition, type ScopeFacts } from './conditions.ts';
import { type Candidate, coverLine, type LineCoverage } from './cover-line.ts';
import { isImplied, missOfCompiled } from './covers-required.ts';
import { ancestorsOf, PatternIndex } from './pattern-index.ts';
import { Postings } from './postings.ts';

/** @property scope never changed in place: if a grant changes, the caller inserts the grant again */
export interface StandingGrant {
  readonly grantId: string;
  readonly requesterId: string;
  readonly scope: CommandScope;
}

/** @property place the number of the grant in the order of insertion */
interface Entry extends Candidate {
  readonly requesterId: string;
  readonly compiled: CompiledScope;
  readonly place: number;
}

/** The grants of one requester for one host, user and environment. */
class Partition {
  readonly patterns = new PatternIndex<Entry>();
  readonly byStart = new Postings<string, Entry>();
}

export class ScopeIndex {
  readonly #entries = new Map<string, Entry>();
  readonly #byRequester = new Postings<string, Entry>();
  readonly #partitions = new Map<string, Map<string, Partition>>();
  #inserted = 0;

  get size(): number {
    return this.#entries.size;
  }

  /** Inserts a grant, or replaces the grant with the same id. A grant with a malformed scope covers nothing, and is left out. */
  insert({ grantId, requesterId, scope }: StandingGrant): void {
    this.remove(grantId);
    const compiled = compileScope(scope);
    if (compiled === null) return;
    this.#inserted += 1;
    const entry: Entry = { grantId, requesterId, scope, compiled, place: this.#inserted };
    this.#entries.set(grantId, entry);
    this.#byRequester.add(requesterId, entry);
    this.#change('add', entry);
  }

  /** Returns false if the index has no grant with this id. */
  remove(grantId: string): boolean {
    const entry = this.#entries.get(grantId);
    if (entry === undefined) return false;
    this.#entries.delete(grantId);
    this.#byRequester.remove(entry.requesterId, entry);
    this.#change('remove', entry);
    return true;
  }

  #change(how: 'add' | 'remove', entry: Entry): void {
    const { scope, compiled, requesterId } = entry;
    const { host, user, cwdBelow } = scope.conditions;
    const key = partitionKey(requesterId, host, user);
    const byEnvironment = this.#partitions.get(key) ?? new Map<string, Partition>();
    const partition = byEnvironment.get(compiled.environment) ?? new Partition();
    for (const pattern of scope.patterns) partition.patterns.change(how, { item: entry, pattern, cwdBelow });
    partition.byStart[how](cwdBelow ?? '', entry);
    if (partition.byStart.isEmpty) byEnvironment.delete(compiled.environment);
    else byEnvironment.set(compiled.environment, partition);
    if (byEnvironment.size === 0) this.#partitions.delete(key);
    else this.#partitions.set(key, byEnvironment);
  }

  #partitionOf(requesterId: string, { host, user, environment }: ScopeFacts): Partition | undefined {
    return this.#partitions.get(partitionKey(requesterId, host, user))?.get(environment);
  }

  /** Returns all grants of one requester in the order of insertion. With this list, a caller can find out why no grant covers a line. */
  of(requesterId: string): readonly Candidate[] {
    return [...(this.#byRequester.get(requesterId) ?? [])];
  }

  /**
   * Returns the grants that cover one required permission, in the order of insertion. For an implied command, returns only some of these
   * grants (`addImplied`).
   */
  covering(requesterId: string, required: RequiredPermission, facts: ScopeFacts): readonly Candidate[] {
    const partition = this.#partitionOf(requesterId, facts);
    if (partition === undefined) return [];
    const found = new Set<Entry>();
    if (isImplied(required)) addImplied(found, partition, facts);
    else partition.patterns.find(found, required, facts.cwd);
    return inOrder([...found].filter(({ compiled }) => missOfCompiled(compiled, required, facts) === null));
  }

  /**
   * Returns the same as `coverLine` with all grants of the requester. Exception: if there is a required permission that no grant covers,
   * two members differ:
   * - `misses` is empty
   * - `required` is the first uncovered permission that is not implied. If all required permissions are implied, `required` is the first
   *   uncovered permission.
   */
  coverageOf(requesterId: string, requiredPermissions: readonly RequiredPermission[], facts: ScopeFacts): LineCoverage {
    const own = requiredPermissions.filter((required) => !isImplied(required));
    const found = new Map<string, Candidate>();
    for (const required of own.length > 0 ? own : requiredPermissions) {
      const covering = this.covering(requesterId, required, facts);
      if (covering.length === 0) return { kind: 'uncovered', required, misses: [] };
      for (const candidate of covering) found.set(candidate.grantId, candidate);
    }
    return coverLine(requiredPermissions, inOrder([...found.values()] as Entry[]), facts);
  }
}

/** The key begins with two lengths, so that different triples have different keys. */
const partitionKey = (requesterId: string, host: string, user: string): string =>
  `${requesterId.length} ${host.length} ${requesterId}${host}${user}`;

const inOrder = (entries: readonly Entry[]): readonly Entry[] => [...entries].sort((a, b) => a.place - b.place);

/**
 * Adds grants for an implied command. Each grant with fulfilled conditions covers this command. Among these grants, `coverLine` chooses
 * the first inserted grant without a limit of uses. If every grant has a limit, `coverLine` chooses the first inserted grant. So this
 * function adds at most two grants for each value of `cwdBelow`: the first inserted grant, and the first one without a limit of uses.
 */
function addImplied(found: Set<Entry>, { byStart }: Partition, facts: ScopeFacts): void {
  for (const start of ancestorsOf(facts.cwd)) {
    let hasLimited = false;
    for (const entry of byStart.get(start) ?? []) {
      const { scope, compiled } = entry;
      if (hasLimited && scope.mostUses !== null) continue;
      if (missedCondition(scope.conditions, compiled.environment, facts) !== null) continue;
      found.add(entry);
      hasLimited = true;
      if (scope.mostUses === null) break;
    }
  }
}

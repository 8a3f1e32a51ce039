/**
 * Finds the few patterns that possibly fit a required permission. The index finds patterns by the permission's operation and by one of its
 * resources: the first path, else the first resource that is not a harmless variable (`isHarmlessVariable`). If there is no such resource,
 * the index uses the directory in which the line starts. `missOf` then decides whether a pattern fits.
 */
import type { RequiredPermission } from '../effects/assess-line.ts';
import type { Resource, ResourceKind } from '../effects/permission.ts';
import type { CommandPattern, ValuePattern } from './command-scope.ts';
import { resourceKey } from './compiled-scope.ts';
import { Postings } from './postings.ts';
import { isHarmlessVariable, isReadingPermission } from './reading-permission.ts';

/**
 * One pattern of a grant.
 * @property item     what a search returns for the pattern
 * @property cwdBelow the grant covers only lines that start in this directory or below it; null: anywhere
 */
export interface IndexedPattern<T> {
  readonly item: T;
  readonly pattern: CommandPattern;
  readonly cwdBelow: string | null;
}

/** The key of patterns that are not bound to a directory; no path is equal to this key. */
const ANYWHERE = '';

/** The patterns of one operation. */
class OperationNode<T> {
  readonly #byStart = new Postings<string, T>();
  readonly #byResource = new Map<string, ResourceNode<T>>();

  /** `#byStart` has every pattern, whether or not the pattern has resources. */
  get isEmpty(): boolean {
    return this.#byStart.isEmpty;
  }

  change(how: 'add' | 'remove', { item, pattern, cwdBelow }: IndexedPattern<T>): void {
    this.#byStart[how](cwdBelow ?? ANYWHERE, item);
    for (const { kind, access, values } of pattern.resources)
      for (const each of access) this.#resource(kind, each)[how](values, item);
  }

  #resource(kind: ResourceKind, access: Resource['access']): ResourceNode<T> {
    const key = resourceKey({ kind, access });
    const found = this.#byResource.get(key) ?? new ResourceNode<T>();
    this.#byResource.set(key, found);
    return found;
  }

  /** Adds to `found` the items whose patterns possibly fit. */
  find(found: Set<T>, resource: Resource | null, cwd: string): void {
    if (resource !== null) this.#byResource.get(resourceKey(resource))?.find(found, resource);
    else for (const start of ancestorsOf(cwd)) this.#byStart.addTo(found, start);
  }
}

class ResourceNode<T> {
  readonly #exact = new Postings<string, T>();
  readonly #below = new Postings<string, T>();
  /** Patterns that match values by `glob` or `any`. */
  readonly #others = new Postings<null, T>();

  add(values: ValuePattern, item: T): void {
    if (values.match === 'exact') this.#exact.add(values.value, item);
    else if (values.match === 'below') this.#below.add(values.value, item);
    else this.#others.add(null, item);
  }

  remove(values: ValuePattern, item: T): void {
    if (values.match === 'exact') this.#exact.remove(values.value, item);
    else if (values.match === 'below') this.#below.remove(values.value, item);
    else this.#others.remove(null, item);
  }

  find(found: Set<T>, { kind, value, isExact }: Resource): void {
    if (isExact) this.#exact.addTo(found, value);
    this.#others.addTo(found, null);
    if (kind === 'path' && !this.#below.isEmpty)
      for (const directory of ancestorsOf(value)) this.#below.addTo(found, directory);
  }
}

/** For `/a/b`, returns `''` (anywhere), `/a/b` and `/a`, but not `/`: no scope covers everything below `/`. */
export function ancestorsOf(path: string): readonly string[] {
  const found = [ANYWHERE];
  for (let end = path.length; end > 0; end = path.lastIndexOf('/', end - 1)) found.push(path.slice(0, end));
  return found;
}

/** The patterns of all grants of one requester for one host, user and environment. */
export class PatternIndex<T> {
  readonly #byOperation = new Map<string, OperationNode<T>>();
  /** The patterns for all reading operations, by tool. Key null: the patterns are for every tool. */
  readonly #reading = new Map<string | null, OperationNode<T>>();

  get isEmpty(): boolean {
    return this.#byOperation.size === 0 && this.#reading.size === 0;
  }

  /** @param indexed a removal must give the same `item`, `pattern` and `cwdBelow` as the addition */
  change(how: 'add' | 'remove', indexed: IndexedPattern<T>): void {
    const { operations } = indexed.pattern;
    if ('reading' in operations) changeIn(this.#reading, operations.tool, how, indexed);
    else for (const operation of operations) changeIn(this.#byOperation, operation, how, indexed);
  }

  /** Adds to `found` the items whose patterns possibly fit. The caller must not pass an implied permission (`isImplied`). */
  find(found: Set<T>, { permission }: RequiredPermission, cwd: string): void {
    const resource = permission.resources.find((each) => each.kind === 'path') ?? firstNeeded(permission.resources);
    this.#byOperation.get(permission.operation)?.find(found, resource, cwd);
    if (this.#reading.size === 0 || !isReadingPermission(permission)) return;
    this.#reading.get(permission.tool)?.find(found, resource, cwd);
    this.#reading.get(null)?.find(found, resource, cwd);
  }
}

/** Returns the first resource that needs a pattern; null: no resource needs a pattern. */
const firstNeeded = (resources: readonly Resource[]): Resource | null =>
  resources.find((each) => !isHarmlessVariable(each)) ?? null;

function changeIn<K, T>(
  nodes: Map<K, OperationNode<T>>,
  key: K,
  how: 'add' | 'remove',
  indexed: IndexedPattern<T>,
): void {
  const node = nodes.get(key) ?? new OperationNode<T>();
  node.change(how, indexed);
  if (node.isEmpty) nodes.delete(key);
  else nodes.set(key, node);
}

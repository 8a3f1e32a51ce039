/** An index of the rules about one operation, by the resources that they forbid. */
import type { Resource } from '../effects/permission.ts';
import type { ResourcePattern } from '../scope/command-scope.ts';
import { resourceKey } from '../scope/compiled-scope.ts';
import { ancestorsOf } from '../scope/pattern-index.ts';
import { Postings } from '../scope/postings.ts';
import { kindsOf, namesOf, type ResourceName } from './deny-resource.ts';

/**
 * The rules about one kind of resource and one access.
 * @property exact  rules that forbid one path, by this path
 * @property below  rules that forbid a directory and everything below it, by this directory
 * @property inside rules of `exact` and `below`, by the forbidden path and by each directory above it. Used to find the rules for a command
 *                  that acts on a whole directory: such a command also acts on the forbidden paths in this directory
 */
class Node<T> {
  readonly exact = new Postings<string, T>();
  readonly below = new Postings<string, T>();
  readonly inside = new Postings<string, T>();
  /** Patterns with `glob` or `any`, and all patterns of kinds other than paths. */
  readonly others = new Postings<null, T>();
}

/** The caller adds an item of type `T` for each rule. The index returns the items. */
export class DenyResourceIndex<T> {
  readonly #nodes = new Map<string, Node<T>>();
  /** Rules without resources: they forbid the operation, whatever resources it has. */
  readonly #always = new Set<T>();
  readonly #items = new Map<T, number>();

  get isEmpty(): boolean {
    return this.#items.size === 0;
  }

  /**
   * @param resources the patterns of the rule. Empty: the rule forbids the operation, whatever resources the operation has. A removal needs
   *                  the same patterns as the addition
   */
  change(how: 'add' | 'remove', resources: readonly ResourcePattern[], item: T): void {
    const count = (this.#items.get(item) ?? 0) + (how === 'add' ? 1 : -1);
    if (count > 0) this.#items.set(item, count);
    else this.#items.delete(item);
    if (resources.length === 0) this.#always[how === 'add' ? 'add' : 'delete'](item);
    for (const pattern of resources) for (const access of pattern.access) this.#change(how, pattern, access, item);
  }

  #change(how: 'add' | 'remove', { kind, values }: ResourcePattern, access: Resource['access'], item: T): void {
    const key = resourceKey({ kind, access });
    const node = this.#nodes.get(key) ?? new Node<T>();
    this.#nodes.set(key, node);
    if (kind !== 'path' || values.match === 'any' || values.match === 'glob') {
      node.others[how](null, item);
      return;
    }
    node[values.match][how](values.value, item);
    for (const directory of directoriesOf(values.value)) node.inside[how](directory, item);
  }

  /** Adds to `found` the items of all rules that possibly forbid one of the resources. The caller has to check each rule (`mayTouch`). */
  find(found: Set<T>, resources: readonly Resource[]): void {
    for (const item of this.#always) found.add(item);
    if (this.#nodes.size === 0) return;
    for (const resource of resources)
      for (const kind of kindsOf(resource)) {
        const node = this.#nodes.get(resourceKey({ kind, access: resource.access }));
        if (node !== undefined) for (const name of namesOf(kind, resource)) findIn(found, node, kind, name);
      }
  }
}

function findIn<T>(found: Set<T>, node: Node<T>, kind: Resource['kind'], { value, isExact }: ResourceName): void {
  node.others.addTo(found, null);
  if (kind !== 'path') return;
  node.exact.addTo(found, value);
  for (const directory of directoriesOf(value)) node.below.addTo(found, directory);
  if (!isExact) node.inside.addTo(found, value);
}

/** For `/a/b`, returns `''`, `/a/b`, `/a` and `/`. The key `''` comes from `ancestorsOf`, and is no path. */
const directoriesOf = (path: string): readonly string[] => [...ancestorsOf(path), '/'];

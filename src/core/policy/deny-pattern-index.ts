/**
 * An index of rules that forbid operations. The keys are the operation or the beginning of the operation, and the resources in the rule.
 */
import type { Permission } from '../effects/permission.ts';
import type { DenyPattern } from '../scope/command-scope.ts';
import { Postings } from '../scope/postings.ts';
import { baseName } from '../text/path.ts';
import { DenyResourceIndex } from './deny-resource-index.ts';
import { operationsIn } from './deny-rule.ts';
import type { DenySubject } from './deny-subject.ts';

/** `T` is the type of the item that the caller adds for each rule. A search finds these items. */
export class DenyPatternIndex<T> {
  readonly #exact = new Map<string, DenyResourceIndex<T>>();
  readonly #byBeginning = new Map<string, DenyResourceIndex<T>>();
  /** The key is the length of a beginning. The value is the number of entries whose beginning has this length. */
  readonly #lengths = new Map<number, number>();
  /** Rules without resources, by the name of the program. These rules are also tried on the words in `DenySubject.unread`. */
  readonly #byProgram = new Postings<string, T>();
  /** Rules without resources that give only the beginning of the program's name (`git*`). */
  readonly #byAnyProgram = new Postings<null, T>();

  /** To remove an item, the caller gives the pattern with which the item was added. */
  change(how: 'add' | 'remove', pattern: DenyPattern, item: T): void {
    for (const operation of new Set(pattern.operations)) {
      if (operation.endsWith('*')) this.#changeBeginning(how, operation.slice(0, -1), pattern, item);
      else changeIn(this.#exact, operation, how, pattern, item);
      if (pattern.resources.length > 0) continue;
      const [program = '', ...rest] = operation.split(' ');
      if (program.endsWith('*') && rest.length === 0) this.#byAnyProgram[how](null, item);
      else this.#byProgram[how](program, item);
    }
  }

  #changeBeginning(how: 'add' | 'remove', beginning: string, pattern: DenyPattern, item: T): void {
    changeIn(this.#byBeginning, beginning, how, pattern, item);
    const count = (this.#lengths.get(beginning.length) ?? 0) + (how === 'add' ? 1 : -1);
    if (count > 0) this.#lengths.set(beginning.length, count);
    else this.#lengths.delete(beginning.length);
  }

  /**
   * Adds to `found` the items of all rules that possibly forbid the subject. The caller has to check each found rule (`deniesCompiled`).
   */
  find(found: Set<T>, { permissions, unread }: DenySubject): void {
    for (const permission of permissions) this.#findPermission(found, permission);
    for (const [name = ''] of unread) {
      this.#byProgram.addTo(found, baseName(name));
      this.#byAnyProgram.addTo(found, null);
    }
  }

  #findPermission(found: Set<T>, permission: Permission): void {
    for (const operation of operationsIn(permission)) {
      this.#exact.get(operation)?.find(found, permission.resources);
      for (const length of this.#lengths.keys())
        if (length <= operation.length)
          this.#byBeginning.get(operation.slice(0, length))?.find(found, permission.resources);
    }
  }
}

function changeIn<T>(
  indexes: Map<string, DenyResourceIndex<T>>,
  key: string,
  how: 'add' | 'remove',
  { resources }: DenyPattern,
  item: T,
): void {
  const index = indexes.get(key) ?? new DenyResourceIndex<T>();
  index.change(how, resources, item);
  if (index.isEmpty) indexes.delete(key);
  else indexes.set(key, index);
}

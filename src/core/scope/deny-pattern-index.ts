/** Rules that forbid operations, found by the operation or by how it begins. */
import type { DenyPattern } from './command-scope.ts';
import { operationsIn } from './deny-rule.ts';
import type { DenySubject } from './deny-subject.ts';
import { Postings } from './postings.ts';

export class DenyPatternIndex<T> {
  readonly #exact = new Postings<string, T>();
  readonly #byBeginning = new Postings<string, T>();
  /** How many beginnings have which length. */
  readonly #lengths = new Map<number, number>();
  /** Rules without resources, by the program's name: for commands that are not understood. */
  readonly #byProgram = new Postings<string, T>();
  /** The same where only the beginning of the program's name is given. */
  readonly #byAnyProgram = new Postings<null, T>();

  change(how: 'add' | 'remove', { operations, resources }: DenyPattern, item: T): void {
    for (const operation of new Set(operations)) {
      if (operation.endsWith('*')) this.#changeBeginning(how, operation.slice(0, -1), item);
      else this.#exact[how](operation, item);
      if (resources.length > 0) continue;
      const [program = '', ...rest] = operation.split(' ');
      if (program.endsWith('*') && rest.length === 0) this.#byAnyProgram[how](null, item);
      else this.#byProgram[how](program, item);
    }
  }

  #changeBeginning(how: 'add' | 'remove', beginning: string, item: T): void {
    this.#byBeginning[how](beginning, item);
    const count = (this.#lengths.get(beginning.length) ?? 0) + (how === 'add' ? 1 : -1);
    if (count > 0) this.#lengths.set(beginning.length, count);
    else this.#lengths.delete(beginning.length);
  }

  find(found: Set<T>, { permissions, unread }: DenySubject): void {
    for (const permission of permissions)
      for (const operation of operationsIn(permission)) {
        this.#exact.addTo(found, operation);
        for (const length of this.#lengths.keys())
          if (length <= operation.length) this.#byBeginning.addTo(found, operation.slice(0, length));
      }
    for (const [name = ''] of unread) {
      this.#byProgram.addTo(found, name.slice(name.lastIndexOf('/') + 1));
      this.#byAnyProgram.addTo(found, null);
    }
  }
}

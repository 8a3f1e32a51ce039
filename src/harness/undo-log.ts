/** Changes to files that are undone together where one of them fails: the last one first. */
import { errorCode } from '../platform/private-files.ts';

export class UndoLog {
  readonly #steps: { readonly path: string; readonly undo: () => void }[] = [];

  add(path: string, undo: () => void): void {
    this.#steps.push({ path, undo });
  }

  /** The files that are not as they were, each with the reason; each step is tried, whatever the others do. */
  undoAll(): readonly string[] {
    const left: string[] = [];
    for (const { path, undo } of this.#steps.splice(0).reverse())
      try {
        undo();
      } catch (error) {
        left.push(`${path} (${errorCode(error)})`);
      }
    return left;
  }
}

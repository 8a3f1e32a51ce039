/** Keeps an undo function for each step that changed a file, so that all steps can be undone, the last one first. */
import { errorCode } from '../platform/private-files.ts';

export class UndoLog {
  readonly #steps: { readonly path: string; readonly undo: () => void }[] = [];

  add(path: string, undo: () => void): void {
    this.#steps.push({ path, undo });
  }

  /**
   * Undoes every step, even if undoing another step fails. Returns the files that could not be put back, each with the reason; an empty
   * list if all are as before.
   */
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

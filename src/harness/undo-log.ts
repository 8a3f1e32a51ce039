/** Keeps an undo function for each step that changed a file. `undoAll` undoes all steps, in reverse order. */
import { errorCode } from '../platform/private-files.ts';

export class UndoLog {
  readonly #steps: { readonly path: string; readonly undo: () => void }[] = [];

  add(path: string, undo: () => void): void {
    this.#steps.push({ path, undo });
  }

  /**
   * Undoes every step, even if undoing another step fails. Returns each file that could not be put back, and the reason. Returns an empty
   * list if all files are as before.
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

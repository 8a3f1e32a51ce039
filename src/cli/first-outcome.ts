/** A promise that several events may settle: the first one counts. */
export class FirstOutcome<T> {
  settle: (value: T) => void = () => undefined;
  readonly settled: Promise<T> = new Promise((resolve) => {
    this.settle = resolve;
  });
}

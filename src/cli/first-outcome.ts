/** A promise that several things may settle; the first does. */
export class FirstOutcome<T> {
  settle: (value: T) => void = () => undefined;
  readonly settled: Promise<T> = new Promise((resolve) => {
    this.settle = resolve;
  });
}

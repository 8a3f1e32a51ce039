/** A promise that each of several events can settle: the value of the first event counts. */
export class FirstOutcome<T> {
  settle: (value: T) => void = () => undefined;
  readonly settled: Promise<T> = new Promise((resolve) => {
    this.settle = resolve;
  });
}

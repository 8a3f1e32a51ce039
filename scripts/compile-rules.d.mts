/** All rule files as one JSON text, those that `only` wants; one line for each that is broken. */
export function compileRules(
  only?: (file: string) => boolean,
): Promise<{ text: string; failures: readonly string[]; count: number }>;

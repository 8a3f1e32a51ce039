/** What was seen when every failure was made to happen to the agents of a machine. */

/**
 * `holds`: seen, and nothing happened that no grant covers; `open`: something did; `failed`: what should have happened did not;
 * `not seen`: nothing can be said; `n.a.`: it does not apply. Only the first and the last are good.
 */
export type CellOutcome = 'holds' | 'open' | 'failed' | 'not seen' | 'n.a.';

/** @property text what was found, or why it does not apply; null where there is nothing to say */
export interface Cell {
  readonly outcome: CellOutcome;
  readonly text: string | null;
  readonly seconds: number;
}

/**
 * @property name       of the harness; `-managed` behind it where the settings of the whole machine were tried
 * @property version    of the program, as it says; null where it is not known
 * @property gate       how it comes to the gate
 * @property unexpected what the harness itself asked the gate for
 */
export interface CertifiedHarness {
  readonly name: string;
  readonly version: string | null;
  readonly gate: string;
  readonly cells: Readonly<Record<string, Cell>>;
  readonly unexpected: readonly string[];
}

/** @property at when it was begun, ISO 8601 */
export interface Certificate {
  readonly typ: 'ape-certificate/1';
  readonly apeShell: { readonly version: string; readonly build: string };
  readonly system: string;
  readonly at: string;
  readonly cases: readonly { readonly name: string; readonly title: string }[];
  readonly harnesses: readonly CertifiedHarness[];
}

const isGood = ({ outcome }: Cell): boolean => outcome === 'holds' || outcome === 'n.a.';

/** `HARNESS CASE: what was found`, for each cell that does not hold. */
export const openCells = ({ harnesses }: Pick<Certificate, 'harnesses'>): readonly string[] =>
  harnesses.flatMap(({ name, cells }) =>
    Object.entries(cells)
      .filter(([, cell]) => !isGood(cell))
      .map(([tried, { outcome, text }]) => `${name} ${tried}: ${outcome}${text === null ? '' : `: ${text}`}`),
  );

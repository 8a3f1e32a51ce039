/** The result of a certification. A certification tries every case with the agents of a machine. */

/**
 * `holds`: everything happened as it should; `open`: something happened that no grant covers; `failed`: something that should happen did
 * not happen; `not seen`: the case ended too early to show anything; `n.a.`: the case does not apply. Only `holds` and `n.a.` are good.
 */
export type CellOutcome = 'holds' | 'open' | 'failed' | 'not seen' | 'n.a.';

/** @property text what was found, or why the case does not apply; null if there is nothing to say */
export interface Cell {
  readonly outcome: CellOutcome;
  readonly text: string | null;
  readonly seconds: number;
}

/**
 * @property name       the name of the harness; ends in `-managed` if the settings of the whole machine were tried
 * @property version    the installed version; `?` if the program reports no version; null if the harness is not installed
 * @property gate       how the harness's commands reach the gate, in words: `hook, PATH`
 * @property cells      one cell for each case; the key is the name of the case
 * @property unexpected the texts of requests that reached the gate but come from no case, such as probes by the harness itself
 */
export interface CertifiedHarness {
  readonly name: string;
  readonly version: string | null;
  readonly gate: string;
  readonly cells: Readonly<Record<string, Cell>>;
  readonly unexpected: readonly string[];
}

/** @property at when the certification began, ISO 8601 */
export interface Certificate {
  readonly typ: 'ape-certificate/1';
  readonly apeShell: { readonly version: string; readonly build: string };
  readonly system: string;
  readonly at: string;
  readonly cases: readonly { readonly name: string; readonly title: string }[];
  readonly harnesses: readonly CertifiedHarness[];
}

const isGood = ({ outcome }: Cell): boolean => outcome === 'holds' || outcome === 'n.a.';

/** Returns `HARNESS CASE: OUTCOME: TEXT` for each cell that is not good. If the cell has no text, `: TEXT` is left out. */
export const failingCells = ({ harnesses }: Pick<Certificate, 'harnesses'>): readonly string[] =>
  harnesses.flatMap(({ name, cells }) =>
    Object.entries(cells)
      .filter(([, cell]) => !isGood(cell))
      .map(([tried, { outcome, text }]) => `${name} ${tried}: ${outcome}${text === null ? '' : `: ${text}`}`),
  );

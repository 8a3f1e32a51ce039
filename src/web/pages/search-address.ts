/** Writes a search as the beginning of a query. */

/** The fields that are not empty, as a query with `&` at its end; empty if there is none. */
export function searchAddress(said: Readonly<Record<string, string>>): string {
  const given = new URLSearchParams(Object.entries(said).filter(([, value]) => value !== '')).toString();
  return given === '' ? '' : `${given}&`;
}

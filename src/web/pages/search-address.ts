/** A search as the beginning of a query. */

/** What was given of it, ready for more: empty, or with `&` at its end. */
export function searchAddress(said: Readonly<Record<string, string>>): string {
  const given = new URLSearchParams(Object.entries(said).filter(([, value]) => value !== '')).toString();
  return given === '' ? '' : `${given}&`;
}

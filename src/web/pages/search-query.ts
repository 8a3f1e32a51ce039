/** Writes a search as the beginning of a URL query. */

/** Returns the fields that are not empty as a query that ends with `&`. Returns an empty text if all fields are empty. */
export function searchQuery(fields: Readonly<Record<string, string>>): string {
  const query = new URLSearchParams(Object.entries(fields).filter(([, value]) => value !== '')).toString();
  return query === '' ? '' : `${query}&`;
}

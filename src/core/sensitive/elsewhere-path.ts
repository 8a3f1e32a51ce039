/** Paths that are not on this host: `(on web) /etc/x`, `(on web) (in app) /etc/x`. */

/**
 * Returns the path that the value may mean on the other host; for a path on this host, the path itself. The name of the host and the path
 * may both contain `) /`, so there can be several: `(on web) /root/.ssh/a) /b` may be `/root/.ssh/a) /b` or `/b`.
 */
export function pathsElsewhere(value: string): readonly string[] {
  if (!value.startsWith('(')) return [value];
  const found = [...value.matchAll(/\) (?=\/)/g)].map(({ index }) => value.slice(index + 2));
  return found.length === 0 ? [value] : found;
}

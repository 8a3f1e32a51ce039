/** Paths that are not on this host: `(on web) /etc/x`, `(on web) (in app) /etc/x`. */

/**
 * Returns each path that the value may mean on the other host. Returns a path on this host unchanged. Both the host's name and the path
 * can contain `) /`, so one value can mean several paths: `(on web) /root/.ssh/a) /b` may be `/root/.ssh/a) /b` or `/b`.
 */
export function pathsElsewhere(value: string): readonly string[] {
  if (!value.startsWith('(')) return [value];
  const found = [...value.matchAll(/\) (?=\/)/g)].map(({ index }) => value.slice(index + 2));
  return found.length === 0 ? [value] : found;
}

/** The text that explains the unknown risk of a request with deciding variables (`deciding-variables.ts`). */

const MAX_NAMED = 3;

/** @param names at least one name, as the requester sent it. The caller must make invisible characters in the result visible */
export function decidingText(names: readonly string[]): string {
  const more = names.length - MAX_NAMED;
  const named = [...names.slice(0, MAX_NAMED), ...(more > 0 ? [`${more} more`] : [])];
  const last = named.pop() ?? '';
  return named.length === 0 ? `${last} decides what runs` : `${named.join(', ')} and ${last} decide what runs`;
}

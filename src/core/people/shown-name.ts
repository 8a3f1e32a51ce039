/**
 * Checks the names that a host sends about itself. An approver compares these names by eye, so each character has to be visible, and two
 * different names must not look the same because of spaces.
 */
import { type Fault, fault } from '../fault.ts';
import { visibleSegments } from '../text/visible-text.ts';

/**
 * Returns a fault if one of the names has a control character, an invisible character, a character that changes the direction of text, a lone
 * surrogate, a space at its beginning or end, or two spaces in a row.
 */
export function hostNamesFault(names: Readonly<Record<'name' | 'host' | 'user', string>>): Fault | null {
  const { name, host, user } = names;
  for (const [what, text] of Object.entries({ name, 'host name': host, 'user name': user })) {
    const why = notComparable(text);
    if (why !== null) return fault(`the ${what} of this host ${why}; change the name`);
  }
  return null;
}

function notComparable(name: string): string | null {
  const odd = visibleSegments(name).find(({ kind }) => kind !== 'plain');
  if (odd !== undefined) return `has a character that people cannot see: ${odd.label}`;
  if (name !== name.trim()) return 'begins or ends with a space';
  return name.includes('  ') ? 'has two spaces in a row' : null;
}

/** A declaration of a tool that has no canonical form has no digest that equals another. */
import { describe, expect, it } from 'vitest';
import { Declarations } from '../../src/mcp/proxy/declarations.ts';

const nested = (depth: number): unknown => (depth === 0 ? {} : [nested(depth - 1)]);
const WITHOUT_FORM = [nested(150), JSON.parse('1e999')];

function listed(...tools: readonly unknown[]): Declarations {
  const declarations = new Declarations();
  declarations.replace({ tools });
  return declarations;
}

describe.each(WITHOUT_FORM)('a declaration without a canonical form', (value) => {
  const odd = { name: 'odd', description: 'reads', inputSchema: value };
  const plain = { name: 'plain', description: 'writes' };

  it('is unreadable, also beside a readable one of the same name', () => {
    expect(listed(odd).isUnreadable('odd')).toBe(true);
    expect(listed({ name: 'odd' }, odd).isUnreadable('odd')).toBe(true);
    expect(listed(odd, { name: 'odd' }).isUnreadable('odd')).toBe(true);
  });

  it('gives its list a digest that no other list has, and leaves the other tools as they are', () => {
    const [one, other] = [listed(odd, plain), listed(odd, plain)];
    expect(one.digest).not.toBe(other.digest);
    expect(one.digestOf('odd')).not.toBe(other.digestOf('odd'));
    expect(one.isUnreadable('plain')).toBe(false);
    expect(one.digestOf('plain')).toBe(listed(plain).digestOf('plain'));
  });

  it('is forgotten with the next first page', () => {
    const declarations = listed(odd);
    declarations.replace({ tools: [{ name: 'odd' }] });
    expect(declarations.isUnreadable('odd')).toBe(false);
  });
});

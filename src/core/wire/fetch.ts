/** An address that a web fetch tool of an agent harness wants to read. */
import { Type } from 'typebox';
import { closed, ScopeText } from './schema-parts.ts';

export const FetchSchema = Type.Object(
  {
    method: Type.Literal('GET'),
    url: Type.String({ ...ScopeText, description: 'As the tool got it' }),
    origin: Type.String({ ...ScopeText, pattern: '^https?://', description: 'Scheme, host and port of the URL' }),
  },
  closed,
);

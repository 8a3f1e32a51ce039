/**
 * What the schemas of this folder are made of. A file that needs only a type imports it with `import type`: see
 * ARCHITECTURE.
 */
import { type Static, type TSchema, Type } from 'typebox';

/** The type a schema describes. What came over the wire is not changed, all the way down. */
export type Shape<Schema extends TSchema> = DeepReadonly<Static<Schema>>;
type DeepReadonly<T> = T extends object ? { readonly [Key in keyof T]: DeepReadonly<T[Key]> } : T;

/** Of what comes in: a member that is not known here is refused, never dropped. */
export const closed = { additionalProperties: false };

export const nullable = <Schema extends TSchema>(schema: Schema) => Type.Union([schema, Type.Null()]);

/** One of these texts. */
export const literals = <const T extends readonly string[]>(...texts: T) =>
  Type.Unsafe<T[number]>(Type.Union(texts.map((text) => Type.Literal(text))));

/** At most `maxItems` of them. */
export const list = <Schema extends TSchema>(schema: Schema, maxItems: number) => Type.Array(schema, { maxItems });

const MAX_MOMENT_MS = 8_640_000_000_000_000;
export const Moment = Type.Integer({ minimum: 0, maximum: MAX_MOMENT_MS });
export const Milliseconds = Type.Integer({ ...Moment, description: 'Unix time in milliseconds' });

/** Of an answer without a body (204). */
export const NoContent = Type.Null();

/** Ids are letters, digits, `_` and `-`; one that could be none of ours is refused before the database sees it. */
export const Id = Type.String({ pattern: '^[A-Za-z0-9_-]{1,64}$' });
export const IdParams = Type.Object({ id: Id });

/** What the last character may be, by the bytes that are left over: its unused bits are 0, so that bytes have one spelling. */
const LAST_CHARACTER = ['[A-Za-z0-9_-]', '[AQgw]', '[AEIMQUYcgkosw048]'] as const;

/** Base64url without padding, of so many bytes, in its one spelling (RFC 4648, 3.5). */
export const base64Url = (bytes: number) =>
  Type.String({
    pattern: `^[A-Za-z0-9_-]{${Math.ceil((bytes * 4) / 3) - 1}}${LAST_CHARACTER[(bytes % 3) as 0 | 1 | 2]}$`,
  });

export const Nonce = Type.String({ pattern: '^[A-Za-z0-9_-]{16,64}$' });
export const Fingerprint = Type.String({ pattern: '^[0-9a-f]{64}$' });
/** Why something is asked for, or denied. */
export const ReasonText = Type.String({ maxLength: 2000 });
/** A text of a scope or a rule: a path, a URL, an operation. */
export const ScopeText = Type.String({ minLength: 1, maxLength: 8192 });
/** A number in the query of an address. */
export const digits = (description: string) => Type.String({ pattern: '^[0-9]{1,16}$', description });

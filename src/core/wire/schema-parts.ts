/**
 * Parts of the schemas in this folder. A file that needs no schema, but only types, uses `import type`. Loading the schema library takes
 * time, and `ape-shell -c` has to be fast (CONTRIBUTING.md).
 */
import { type Static, type TSchema, Type } from 'typebox';
import { MAX_MOMENT_MS } from '../text/wall-clock.ts';

/** The type that a schema describes, with all members read-only at any depth. */
export type Shape<Schema extends TSchema> = DeepReadonly<Static<Schema>>;
type DeepReadonly<T> = T extends object ? { readonly [Key in keyof T]: DeepReadonly<T[Key]> } : T;

/** For the bodies of calls: the server refuses a body with an unknown member. */
export const closed = { additionalProperties: false };

export const nullable = <Schema extends TSchema>(schema: Schema) => Type.Union([schema, Type.Null()]);

/** A schema that accepts each of these texts. */
export const literals = <const T extends readonly string[]>(...texts: T) =>
  Type.Unsafe<T[number]>(Type.Union(texts.map((text) => Type.Literal(text))));

/** A schema for a list of at most `maxItems` members. */
export const list = <Schema extends TSchema>(schema: Schema, maxItems: number) => Type.Array(schema, { maxItems });

/** Unix time in milliseconds. */
export const Moment = Type.Integer({ minimum: 0, maximum: MAX_MOMENT_MS });
/** The same as `Moment`, with a description for the documents of the API. */
export const Milliseconds = Type.Integer({ ...Moment, description: 'Unix time in milliseconds' });

/** The schema of an answer without a body (204). */
export const NoContent = Type.Null();

/** Our ids contain only letters, digits, `_` and `-`. The server refuses other texts before it reads the database. */
export const Id = Type.String({ pattern: '^[A-Za-z0-9_-]{1,64}$' });
export const IdParams = Type.Object({ id: Id });

/**
 * The patterns of the last character of base64url. The index is the number of bytes modulo 3. The unused bits of this character must be
 * 0, so that equal bytes have equal texts.
 */
const LAST_CHARACTER = ['[A-Za-z0-9_-]', '[AQgw]', '[AEIMQUYcgkosw048]'] as const;

/** Canonical base64url of exactly `bytes` bytes, without padding (RFC 4648, 3.5). */
export const base64Url = (bytes: number) =>
  Type.String({
    pattern: `^[A-Za-z0-9_-]{${Math.ceil((bytes * 4) / 3) - 1}}${LAST_CHARACTER[(bytes % 3) as 0 | 1 | 2]}$`,
  });

/** The caller makes a new nonce for every call. The permit repeats the nonce. */
export const Nonce = Type.String({ pattern: '^[A-Za-z0-9_-]{16,64}$' });
/** SHA-256 in hexadecimal digits. */
export const Fingerprint = Type.String({ pattern: '^[0-9a-f]{64}$' });
/** The reason of a request or of a denial. */
export const ReasonText = Type.String({ maxLength: 2000 });
/** A text of a scope or a rule: a path, a URL, an operation. */
export const ScopeText = Type.String({ minLength: 1, maxLength: 8192 });
/** A number in the query of a URL. */
export const digits = (description: string) => Type.String({ pattern: '^[0-9]{1,16}$', description });

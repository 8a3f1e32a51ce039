/** What schemas are made of, and the compiler's check that they say what the types say. */
import { type TSchema, Type } from 'typebox';

export const nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);

/** One of these texts. */
export const literals = <const T extends readonly string[]>(...texts: T) =>
  Type.Unsafe<T[number]>(Type.Union(texts.map((text) => Type.Literal(text))));

/** Compiles only while schema and type say the same, both ways. */
export type Same<Left, Right> = [DeepReadonly<Left>, DeepReadonly<Right>] extends [
  DeepReadonly<Right>,
  DeepReadonly<Left>,
]
  ? true
  : never;
type DeepReadonly<T> = T extends object ? { readonly [Key in keyof T]: DeepReadonly<T[Key]> } : T;

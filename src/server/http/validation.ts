/** Checks incoming values with TypeBox's compiler. The error names the first fault; a valid value stays unchanged. */
import type { FastifySchemaCompiler } from 'fastify';
import type { TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import type { Shape } from '../../core/wire/schema-parts.ts';

/** Compiles a schema at its first use: to compile the schemas of all routes would take a fifth of the start of a server. */
export const compileSchema: FastifySchemaCompiler<TSchema> = ({ schema, httpPart }) => {
  let compiled: ReturnType<typeof Compile> | null = null;
  return (value: unknown) => {
    compiled ??= Compile(schema);
    const validator = compiled;
    if (validator.Check(value)) return { value };
    const [first] = validator.Errors(value);
    if (httpPart === 'params') return { error: new Error(`the address names no valid ${nameOf(first?.instancePath)}`) };
    const where = `${httpPart ?? 'input'}${first?.instancePath ?? ''}`;
    return { error: new Error(`${where} ${first?.message ?? 'is malformed'}`) };
  };
};

/**
 * Returns the name of the parameter to which a JSON pointer points: `id` for `/id`. The caller gets only this name. TypeBox's own message
 * contains the pattern of the schema, and this pattern does not help a caller.
 */
const nameOf = (pointer: string | undefined): string => pointer?.slice(1) ?? 'part';

/** Returns a type guard for the values that `schema` describes. */
export function guardOf<Schema extends TSchema>(schema: Schema): (value: unknown) => value is Shape<Schema> {
  const validator = Compile(schema);
  return (value): value is Shape<Schema> => validator.Check(value);
}

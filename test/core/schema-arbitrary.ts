/** Random values of a JSON schema (the schemas of `core/wire`), and the names of all members that such a schema has. */
import fc from 'fast-check';
import type { Json } from './sealed-arbitrary.ts';

/** The keywords that the schemas of documents use. */
interface Schema {
  readonly anyOf?: readonly Schema[];
  readonly const?: Json;
  readonly type?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly patternProperties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly pattern?: string;
  readonly minItems?: number;
}

/** Whether each member of an object can be absent is taken from the schema. Lengths and limits are not: they do not matter to a signature. */
export function anyValueOf(schema: object): fc.Arbitrary<Json> {
  const { anyOf, type, properties, patternProperties, required = [], items, pattern, minItems = 0 } = schema as Schema;
  if ('const' in schema) return fc.constant(schema.const as Json);
  if (anyOf !== undefined) return fc.oneof(...anyOf.map(anyValueOf));
  if (properties !== undefined) {
    const members = Object.fromEntries(Object.entries(properties).map(([name, member]) => [name, anyValueOf(member)]));
    return fc.record(members, { requiredKeys: [...required] }) as fc.Arbitrary<Json>;
  }
  const [named] = Object.values(patternProperties ?? {});
  if (named !== undefined)
    return fc.dictionary(fc.string({ minLength: 1 }), anyValueOf(named), { maxKeys: 3, noNullPrototype: true });
  if (type === 'array' && items !== undefined)
    return fc.array(anyValueOf(items), { minLength: minItems, maxLength: Math.max(minItems, 2) });
  if (type === 'string') return pattern === undefined ? fc.string() : fc.stringMatching(new RegExp(pattern));
  if (type === 'boolean') return fc.boolean();
  if (type === 'null') return fc.constant(null);
  if (type === 'integer' || type === 'number') return fc.nat();
  throw new Error(`this test does not know the schema ${JSON.stringify(schema)}`);
}

/** Returns the paths of all members that the schema names, such as `term.untilMs`; members of list entries without a number. */
export function membersOf(schema: object, before = ''): readonly string[] {
  const { anyOf = [], properties = {}, items } = schema as Schema;
  return [
    ...anyOf.flatMap((each) => membersOf(each, before)),
    ...(items === undefined ? [] : membersOf(items, before)),
    ...Object.entries(properties).flatMap(([name, member]) => [
      `${before}${name}`,
      ...membersOf(member, `${before}${name}.`),
    ]),
  ];
}

/** Returns the paths of all members of a value, as `membersOf` writes them. */
export function membersIn(value: Json, before = ''): readonly string[] {
  if (Array.isArray(value)) return value.flatMap((item) => membersIn(item, before));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => [
    `${before}${name}`,
    ...membersIn(member, `${before}${name}.`),
  ]);
}

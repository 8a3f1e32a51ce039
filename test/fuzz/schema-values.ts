/** Makes values from JSON Schemas: valid, nearly valid and invalid ones. */
import fc from 'fast-check';
import type { Random } from './random.ts';

export interface JsonSchema {
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly JsonSchema[];
  readonly allOf?: readonly JsonSchema[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | JsonSchema;
  readonly patternProperties?: Readonly<Record<string, JsonSchema>>;
  readonly items?: JsonSchema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
}

/** Returns a value for the member of that name with which a call gets far; undefined: any value that fits the schema. */
export type Named = (name: string) => unknown;

const LONG = 'x'.repeat(9_000);
const HOSTILE: readonly unknown[] = [
  null,
  true,
  -1,
  0.5,
  2 ** 53,
  1e308,
  -0,
  '',
  '\0',
  '\ud800',
  '\u202e\u0007\u001b[2J',
  "'; drop table grants; --",
  '../../../../etc/passwd',
  '%00%ff',
  '__proto__',
  '9'.repeat(400),
  LONG,
  [],
  {},
  [[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]],
  JSON.parse('{"__proto__":{"role":"approver"},"constructor":{"prototype":{"x":1}}}'),
];

const fitting = new Map<string, readonly string[]>();

/** Returns texts that fit the pattern, the same ones for each call. */
function textsFor(pattern: string): readonly string[] {
  const known = fitting.get(pattern);
  if (known !== undefined) return known;
  const texts = fc.sample(fc.stringMatching(new RegExp(pattern)), { seed: 20_261_123, numRuns: 24 });
  fitting.set(pattern, texts);
  return texts;
}

export class ValueDrawer {
  readonly #random: Random;
  readonly #named: Named;
  /** The probability, 0 to 1, that a value does not fit its schema. */
  readonly #wrong: number;

  constructor(random: Random, named: Named, wrong: number) {
    this.#random = random;
    this.#named = named;
    this.#wrong = wrong;
  }

  draw(schema: JsonSchema, depth = 0): unknown {
    const { chance, pick } = this.#random;
    if (chance(this.#wrong)) return pick(HOSTILE);
    if (schema.const !== undefined) return schema.const;
    if (schema.enum !== undefined) return pick(schema.enum);
    if (schema.anyOf !== undefined) return this.draw(pick(schema.anyOf), depth);
    if (schema.allOf !== undefined) return Object.assign({}, ...schema.allOf.map((each) => this.draw(each, depth)));
    if (schema.type === 'object') return this.#object(schema, depth);
    if (schema.type === 'array') return this.#array(schema, depth);
    if (schema.type === 'string') return this.#text(schema);
    if (schema.type === 'integer' || schema.type === 'number') return this.#number(schema);
    if (schema.type === 'boolean') return chance(0.5);
    return schema.type === 'null' ? null : pick(HOSTILE);
  }

  #object(schema: JsonSchema, depth: number): unknown {
    const { chance, pick } = this.#random;
    const made: Record<string, unknown> = {};
    for (const [name, member] of Object.entries(schema.properties ?? {})) {
      const isWanted = schema.required?.includes(name) === true;
      if (isWanted ? chance(this.#wrong) : depth > 6 || chance(0.6)) continue;
      const named = this.#named(name);
      made[name] = named === undefined || chance(this.#wrong) ? this.draw(member, depth + 1) : named;
    }
    const free = Object.values(schema.patternProperties ?? {})[0];
    if (free !== undefined && depth < 6 && chance(0.5)) made['name'] = this.draw(free, depth + 1);
    if (chance(this.#wrong)) made[pick(['extra', '__proto__x', ''])] = pick(HOSTILE);
    return made;
  }

  #array(schema: JsonSchema, depth: number): unknown {
    const least = schema.minItems ?? 0;
    const most = Math.min(schema.maxItems ?? 3, least + (depth > 5 ? 0 : 3));
    const count = this.#random.chance(this.#wrong / 4)
      ? (schema.maxItems ?? 50) + 1
      : least + this.#random.below(most - least + 1);
    return Array.from({ length: Math.min(count, 300) }, () => this.draw(schema.items ?? {}, depth + 1));
  }

  #text(schema: JsonSchema): string {
    const { pick, chance, below } = this.#random;
    if (schema.pattern !== undefined) return pick(textsFor(schema.pattern)).slice(0, schema.maxLength);
    const least = schema.minLength ?? 0;
    if (chance(this.#wrong)) return 'x'.repeat(Math.min(schema.maxLength ?? 20_000, 20_000) + 1);
    const text = pick(['ls -la', 'echo "a b"; rm x', '/home/agent/x', 'command.execute', 'ü 漢 🙂', 'a', 'git push']);
    return text
      .repeat(1 + below(2))
      .slice(0, schema.maxLength)
      .padEnd(least, 'x');
  }

  #number({ minimum = -10, maximum = 1e15 }: JsonSchema): number {
    const { pick, below } = this.#random;
    return pick([minimum, maximum, minimum + below(100), 1, Date.now() + below(100_000)]);
  }
}

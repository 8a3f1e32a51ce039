/**
 * Calls every route of the API with values made from the OpenAPI document: valid, nearly valid and invalid ones. Some callers may
 * call the route, others may not. No answer may be an error of the server (5xx), and the document has to name each status.
 */
import type { TSchema } from 'typebox';
import { guardOf } from '../../src/server/http/validation.ts';
import { newKey, nonce, type Person, type TestServer } from '../component/server-fixture.ts';
import type { Random } from './random.ts';
import { type JsonSchema, ValueDrawer } from './schema-values.ts';

interface Parameter {
  readonly in: 'path' | 'query' | 'header';
  readonly name: string;
  readonly required?: boolean;
  readonly schema: JsonSchema;
}
interface Content {
  readonly content?: Readonly<Record<string, { readonly schema: JsonSchema }>>;
}
interface Operation {
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: Content;
  readonly responses: Readonly<Record<string, Content>>;
}
type ApiDocument = { readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>> };

interface Route {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
}

/** Routes whose answers have no end. */
const STREAMS: ReadonlySet<string> = new Set([
  'get /v1/events',
  'get /v1/grants/{id}/events',
  'get /v1/orders',
  'get /v1/connection',
]);
/** Kinds of channels that would make the server call other services. */
const OUTSIDE: ReadonlySet<unknown> = new Set(['telegram', 'slack', 'push', 'ntfy', 'webhook', 'mail']);
/** Error codes with which the server says that it is busy, or that this caller takes too much. They are no faults. */
const BUSY: ReadonlySet<string> = new Set(['server.busy', 'server.too_many']);
/** Routes for what runs on a host answer that the host is away, because no host is connected here. */
const isBusy = (code: string, { name }: Route): boolean =>
  BUSY.has(code) || (code === 'host.gone' && name.includes(' /v1/running/'));

/** The prefix of ids, by the first part of the path. */
const ID_PREFIXES: Readonly<Record<string, string>> = {
  grants: 'g_',
  policies: 'p_',
  enrolments: 'e_',
  requesters: 's_',
  people: 's_',
  'sign-ins': 'i_',
  passkeys: 'k_',
};

/** `nobody` sends no credential, `liar` a false one. */
type CallerName = 'nobody' | 'requester' | 'approver' | 'owner' | 'liar';
const CALLERS: readonly CallerName[] = ['requester', 'owner', 'approver', 'owner', 'requester', 'nobody', 'liar'];

export interface FuzzTally {
  calls: number;
  readonly byStatus: Record<string, number>;
  /** The number of good answers, by route. */
  readonly good: Record<string, number>;
  /** The number of answers with a code in BUSY. */
  busy: number;
  readonly faults: string[];
}

export class ApiFuzzer {
  readonly #server: TestServer;
  readonly #random: Random;
  readonly #guards = new Map<JsonSchema, (value: unknown) => boolean>();
  readonly #known: string[] = ['s_owner', 'g_none'];
  #routes: readonly Route[] = [];
  #callers: Readonly<Record<CallerName, Readonly<Record<string, string>>>> | null = null;
  readonly tally: FuzzTally = { calls: 0, byStatus: {}, good: {}, busy: 0, faults: [] };

  private constructor(server: TestServer, random: Random) {
    this.#server = server;
    this.#random = random;
  }

  static async start(server: TestServer, random: Random): Promise<ApiFuzzer> {
    const fuzzer = new ApiFuzzer(server, random);
    const { body } = await server.call<ApiDocument>('GET', '/openapi.json');
    fuzzer.#routes = Object.entries(body.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({ name: `${method} ${path}`, method, path, operation })),
    );
    await fuzzer.#signIn();
    return fuzzer;
  }

  get routes(): readonly string[] {
    return this.#routes.map(({ name }) => name);
  }

  /** Calls each route once. */
  async round(): Promise<void> {
    for (const route of this.#routes) await this.#call(route);
  }

  async #signIn(): Promise<void> {
    const requester: Person = await this.#server.requester();
    this.#learn(requester.id);
    this.#callers = {
      nobody: {},
      liar: { authorization: `Bearer ${'x'.repeat(43)}`, 'x-csrf-token': 'x' },
      requester: requester.headers,
      approver: (await this.#server.approverKey()).headers,
      owner: await this.#server.owner(),
    };
  }

  async #call(route: Route): Promise<void> {
    const { chance, pick } = this.#random;
    const drawer = new ValueDrawer(this.#random, (name) => this.#named(name), pick([0, 0, 0.03, 0.3]));
    const who = pick(CALLERS);
    const headers: Record<string, string> = { ...this.#callers?.[who] };
    const query = new URLSearchParams();
    let path = route.path;
    for (const each of route.operation.parameters ?? []) {
      const value = each.in === 'path' ? this.#pathValue(route, each, drawer) : String(drawer.draw(each.schema));
      if (each.in === 'path') path = path.replace(`{${each.name}}`, () => encodeURIComponent(whole(value)) || '-');
      else if (chance(0.4) && each.in === 'query') query.set(each.name, whole(value));
      else if (chance(0.2) && each.in === 'header' && /^[!-~]{1,200}$/.test(value)) headers[each.name] = value;
    }
    const schema = Object.values(route.operation.requestBody?.content ?? {})[0]?.schema;
    const body = schema === undefined ? undefined : this.#bodyOf(schema, drawer);
    const address = query.size > 0 ? `${path}?${query}` : path;
    await this.#send(route, address, headers, who, body);
  }

  #bodyOf(schema: JsonSchema, drawer: ValueDrawer): string {
    const value = drawer.draw(schema);
    if (typeof value === 'object' && value !== null && OUTSIDE.has((value as { kind?: unknown }).kind))
      Object.assign(value, { kind: 'nobody' });
    const text = JSON.stringify(value);
    return this.#random.chance(0.02) ? text.slice(0, -1) : text;
  }

  async #send(
    route: Route,
    address: string,
    headers: Readonly<Record<string, string>>,
    who: CallerName,
    body: string | undefined,
  ): Promise<void> {
    const described = `${who}: ${route.method} ${address} ${body ?? ''}`.slice(0, 2_000);
    const stop = new AbortController();
    try {
      const answer = await fetch(this.#server.url + address, {
        method: route.method.toUpperCase(),
        headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
        redirect: 'manual',
        signal: AbortSignal.any([stop.signal, AbortSignal.timeout(30_000)]),
        ...(body === undefined || route.method === 'get' ? {} : { body }),
      });
      const isStream = STREAMS.has(route.name) && answer.status === 200;
      const text = isStream ? '' : await answer.text();
      this.#judge(route, described, answer.status, text, isStream);
      if (answer.status === 401 && who !== 'nobody' && who !== 'liar') await this.#signIn();
    } catch (error) {
      this.tally.faults.push(`no answer (${String(error)}): ${described}`);
    } finally {
      stop.abort();
    }
  }

  #judge(route: Route, described: string, status: number, text: string, isStream: boolean): void {
    const { tally } = this;
    tally.calls += 1;
    tally.byStatus[status] = (tally.byStatus[status] ?? 0) + 1;
    if (status < 300) tally.good[route.name] = (tally.good[route.name] ?? 0) + 1;
    if (isStream || status === 304) return;
    const fault = (why: string) => tally.faults.push(`${status} ${why}: ${described} => ${text.slice(0, 500)}`);
    const answer = text === '' ? null : parsed(text);
    const code = (answer as { error?: { code?: string } } | null)?.error?.code;
    if (status >= 500 || status === 429) {
      if (!isBusy(code ?? '', route)) fault('is a fault of the server');
      else tally.busy += 1;
    }
    const range = `${Math.floor(status / 100)}XX`;
    const documented = route.operation.responses[status] ?? route.operation.responses[range];
    if (documented === undefined) return void fault('is no answer that the document names');
    const schema = Object.values(documented.content ?? {})[0]?.schema;
    if (schema !== undefined && status !== 204 && !this.#fits(schema, answer)) fault('is not what the document says');
    if (status < 300) this.#learnFrom(text);
  }

  #fits(schema: JsonSchema, value: unknown): boolean {
    const guard = this.#guards.get(schema) ?? guardOf(schema as TSchema);
    this.#guards.set(schema, guard);
    return guard(value);
  }

  #named(name: string): unknown {
    const { pick, chance } = this.#random;
    if (name === 'host') return 'box';
    if (name === 'user' || name === 'name') return 'agent';
    if (name === 'cwd') return '/home/agent';
    if (name === 'nonce') return nonce();
    if (name === 'version') return pick([1, 1, 2]);
    if (name === 'publicKey' && chance(0.7)) return newKey().publicKey;
    if (name === 'environment' || name === 'argv') return [];
    if (name === 'kind' && chance(0.3)) return 'command';
    return /Id$/.test(name) && chance(0.7) ? pick(this.#known) : undefined;
  }

  #pathValue(route: Route, { schema, name }: Parameter, drawer: ValueDrawer): string {
    const prefix = ID_PREFIXES[route.path.split('/')[2] ?? ''] ?? '';
    const fitting = this.#known.filter((id) => id.startsWith(prefix));
    if (name === 'id' && fitting.length > 0 && this.#random.chance(0.8)) return this.#random.pick(fitting);
    return String(drawer.draw(schema));
  }

  #learnFrom(text: string): void {
    for (const [id] of text.matchAll(/\b[a-z]_[a-z0-9]{26}\b/g)) this.#learn(id);
  }

  #learn(id: string): void {
    if (this.#known.includes(id)) return;
    this.#known.push(id);
    if (this.#known.length > 200) this.#known.splice(2, 1);
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Replaces half surrogate pairs, which an address cannot contain. */
const whole = (text: string): string => text.replace(/\p{Surrogate}/gu, '?');

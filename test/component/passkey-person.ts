/** Plays a person with a browser and an authenticator, by calls of the API. */
import type { ErrorBody } from '../../src/core/wire/error.ts';
import type { GrantView } from '../../src/core/wire/grant-view.ts';
import type { Assertion, PasskeyCreation, PasskeyRequest, PasskeyView } from '../../src/core/wire/passkeys.ts';
import { csrfTokenOf } from '../../src/server/identity/authentication.ts';
import type { Answer, TestServer } from './server-fixture.ts';
import { type Lies, SoftwareAuthenticator } from './software-authenticator.ts';

export type Headers = Readonly<Record<string, string>>;
export type Refused = Partial<ErrorBody>;

/** The origin where a browser uses passkeys of a server at 127.0.0.1. */
export const originOf = (server: TestServer): string => `http://localhost:${server.running.port}`;

/** The headers that a page sends in the session whose cookie this answer sets. */
export function headersOf(server: TestServer, answer: Answer<unknown>): Headers {
  const cookie = answer.headers.get('set-cookie')?.split(';')[0] ?? '';
  return { cookie, origin: server.url, 'x-csrf-token': csrfTokenOf(cookie.split('=')[1] ?? '') };
}

export async function register(
  server: TestServer,
  headers: Headers,
  device: SoftwareAuthenticator,
  lies: Lies = {},
): Promise<Answer<PasskeyView & Refused>> {
  const creation = await server.call<PasskeyCreation & Refused>('POST', '/v1/passkeys/creation', headers, {});
  if (creation.status !== 200) throw new Error(JSON.stringify(creation.body));
  const registration = device.create(creation.body, lies);
  return server.call('POST', '/v1/passkeys', headers, { name: 'phone', registration });
}

/** Signs in by link and registers a device. */
export async function ownerWithDevice(server: TestServer) {
  const device = new SoftwareAuthenticator(originOf(server));
  const headers = await server.owner();
  const { status, body } = await register(server, headers, device);
  if (status !== 201) throw new Error(JSON.stringify(body));
  return { device, headers, passkey: body };
}

export const signInRequest = async (server: TestServer): Promise<PasskeyRequest> =>
  (await server.call<PasskeyRequest>('POST', '/v1/sign-in/passkey/request')).body;

export const sendAssertion = (server: TestServer, assertion: Assertion) =>
  server.call<Refused>('POST', '/v1/sign-in/passkey', { origin: server.url }, { assertion });

/** Approves as the page does: sends the approval, then sends it again with the confirmation that the server asks for. */
export async function approveWith(
  server: TestServer,
  headers: Headers,
  device: SoftwareAuthenticator,
  grant: GrantView,
  lies: Lies = {},
) {
  const body = { version: grant.version, term: { kind: 'once' } };
  const first = await server.decide(headers, grant.id, 'approve', body);
  const asked = (first.body as Refused).error?.passkey;
  if (asked === undefined) throw new Error(JSON.stringify(first.body));
  const assertion = device.get(asked, lies);
  return { assertion, answer: await server.decide(headers, grant.id, 'approve', { ...body, assertion }) };
}

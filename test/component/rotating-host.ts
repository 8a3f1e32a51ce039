/** A host with its files, as `apes login` leaves them, and rotations of keys as a host sends them. */
import { type KeyObject, sign } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { rotationText } from '../../src/core/key-rotation.ts';
import type { ErrorBody } from '../../src/core/wire/error.ts';
import type { RotateAnswer, RotateBody } from '../../src/core/wire/key-rotation.ts';
import { callWithToken, type GrantClient } from '../../src/grants/client.ts';
import { type Identity, loadIdentity, saveIdentity } from '../../src/grants/enrolment.ts';
import { rotateHostKey } from '../../src/grants/rotate.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { publicKeyOf } from '../../src/platform/key-pair.ts';
import { newKey, type Person, type TestServer } from './server-fixture.ts';

export const pemOf = (key: KeyObject): string => key.export({ type: 'pkcs8', format: 'pem' }).toString();

export class RotatingHost {
  readonly keys: string;
  readonly client: GrantClient;

  private constructor(keys: string, client: GrantClient) {
    this.keys = keys;
    this.client = client;
  }

  /** @param url the address of another server that answers in place of `server` */
  static async of(server: TestServer, person: Person, url = server.url): Promise<RotatingHost> {
    const directory = mkdtempSync(join(server.directory, 'host-'));
    const [keys, state] = [join(directory, 'keys'), join(directory, 'state')];
    for (const each of [keys, state]) mkdirSync(each, { mode: 0o700 });
    const { publicKey } = (await server.call<{ publicKey: string }>('GET', '/v1/server')).body;
    const who = { name: 'agent', host: 'box', user: 'agent' };
    const pinned = { serverUrl: url, serverPublicKey: publicKey, subjectId: person.id };
    const identity: Identity = { ...who, ...pinned, privateKey: pemOf(person.privateKey) };
    const unsaved = saveIdentity(keys, 'requester', identity);
    if (unsaved !== null) throw new Error(unsaved.message);
    const at = { url, timeoutMs: 30_000, ca: null };
    return new RotatingHost(keys, {
      server: at,
      identity,
      stateDirectory: state,
      keyDirectory: keys,
      clock: systemClock,
    });
  }

  /** Another process of the same host, which knows what is on the disk now. */
  another(): GrantClient {
    const identity = loadIdentity(this.keys, 'requester');
    if (!identity.ok) throw new Error(identity.failure.message);
    return { ...this.client, identity: identity.value };
  }

  get key(): string {
    return readFileSync(join(this.keys, 'requester.key'), 'utf8');
  }

  get publicKey(): string {
    return publicKeyOf(this.key) ?? '';
  }

  rotate() {
    const { server, identity } = this.client;
    return rotateHostKey({ server, identity, keyDirectory: this.keys });
  }

  /** Returns the status, or the code of the failure. */
  async whoami(client = this.client): Promise<number | string> {
    const answer = await callWithToken(client, { method: 'GET', path: '/v1/whoami' });
    return answer.ok ? answer.value.status : `${answer.failure.detail} ${answer.failure.message}`;
  }
}

interface Signers {
  readonly subjectId: string;
  readonly old: { readonly privateKey: KeyObject; readonly publicKey: string };
  readonly next?: { readonly privateKey: KeyObject; readonly publicKey: string };
  /** The keys that sign in place of the named keys. */
  readonly oldSigner?: KeyObject;
  readonly nextSigner?: KeyObject;
}

/** Returns a rotation as a host sends it, genuine or forged. */
export async function rotationBody(server: TestServer, by: Signers): Promise<RotateBody> {
  const { subjectId, old, next = newKey(), oldSigner = old.privateKey, nextSigner = next.privateKey } = by;
  const { body } = await server.call<{ challenge: string }>('POST', '/v1/auth/challenge', {}, { subjectId });
  const { publicKey } = (await server.call<{ publicKey: string }>('GET', '/v1/server')).body;
  const rotation = { subjectId, replaces: old.publicKey, publicKey: next.publicKey };
  const text = Buffer.from(rotationText(publicKey, rotation, body.challenge));
  return {
    ...rotation,
    challenge: body.challenge,
    oldSignature: sign(null, text, oldSigner).toString('base64url'),
    newSignature: sign(null, text, nextSigner).toString('base64url'),
  };
}

export const sendRotation = (server: TestServer, body: RotateBody) =>
  server.call<RotateAnswer & ErrorBody>('POST', '/v1/auth/rotate', {}, body);

/** Makes a requester, and returns it with its key pair, which `Person` does not have. */
export async function requesterWithKey(server: TestServer, name = 'agent', host = 'box') {
  const person = await server.requester(name, host);
  return { ...person, publicKey: publicKeyOf(pemOf(person.privateKey)) ?? '' };
}

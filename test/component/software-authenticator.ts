/** An authenticator in software, so that a test can make each part of its answers wrong: keys in memory, answers in the exact form of a browser. */
import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import type { Assertion, PasskeyCreation, PasskeyRequest, Registration } from '../../src/core/wire/passkeys.ts';

/** Everything in which the answer can differ from that of an honest authenticator on an honest page. */
export interface Lies {
  readonly origin?: string;
  readonly challenge?: string;
  readonly rpId?: string;
  readonly type?: string;
  readonly isPresent?: boolean;
  readonly isVerified?: boolean;
  readonly counter?: number;
  readonly userHandle?: string;
  readonly key?: KeyObject;
}

const PRESENT = 0x01;
const VERIFIED = 0x04;
const ATTESTED = 0x40;

const sha256 = (bytes: Uint8Array | string) => createHash('sha256').update(bytes).digest();
const base64url = (bytes: Uint8Array | string) => Buffer.from(bytes).toString('base64url');

export class SoftwareAuthenticator {
  readonly origin: string;
  readonly credentialId = randomBytes(32);
  readonly pair = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  counter = 0;
  userHandle = '';

  constructor(origin: string) {
    this.origin = origin;
  }

  create(asked: PasskeyCreation, lies: Lies = {}): Registration {
    this.userHandle = asked.userId;
    const jwk = this.pair.publicKey.export({ format: 'jwk' });
    const cose = cborMap([
      [cborInt(1), cborInt(2)],
      [cborInt(3), cborInt(-7)],
      [cborInt(-1), cborInt(1)],
      [cborInt(-2), cborBytes(Buffer.from(jwk.x ?? '', 'base64url'))],
      [cborInt(-3), cborBytes(Buffer.from(jwk.y ?? '', 'base64url'))],
    ]);
    const length = Buffer.alloc(2);
    length.writeUInt16BE(this.credentialId.length);
    const attested = Buffer.concat([Buffer.alloc(16), length, this.credentialId, cose]);
    const attestationObject = cborMap([
      [cborText('fmt'), cborText('none')],
      [cborText('attStmt'), cborMap([])],
      [cborText('authData'), cborBytes(Buffer.concat([this.#data(asked.rpId, ATTESTED, lies), attested]))],
    ]);
    return {
      credentialId: base64url(this.credentialId),
      clientDataJSON: this.#client('webauthn.create', asked.challenge, lies),
      attestationObject: base64url(attestationObject),
      transports: ['internal'],
    };
  }

  /** Increments the counter, unless `lies` has another value. */
  get(asked: Pick<PasskeyRequest, 'challenge' | 'rpId'>, lies: Lies = {}): Assertion {
    this.counter += 1;
    const clientDataJSON = this.#client('webauthn.get', asked.challenge, lies);
    const data = this.#data(asked.rpId, 0, { counter: this.counter, ...lies });
    const signed = Buffer.concat([data, sha256(Buffer.from(clientDataJSON, 'base64url'))]);
    return {
      credentialId: base64url(this.credentialId),
      authenticatorData: base64url(data),
      clientDataJSON,
      signature: base64url(sign('sha256', signed, lies.key ?? this.pair.privateKey)),
      userHandle: lies.userHandle ?? this.userHandle,
    };
  }

  #client(type: string, challenge: string, lies: Lies): string {
    const data = { type, challenge, origin: this.origin, crossOrigin: false };
    const { origin = data.origin } = lies;
    return base64url(
      JSON.stringify({ ...data, origin, type: lies.type ?? type, challenge: lies.challenge ?? challenge }),
    );
  }

  #data(rpId: string, more: number, { isPresent = true, isVerified = true, counter = 0, rpId: other }: Lies): Buffer {
    const flags = more | (isPresent ? PRESENT : 0) | (isVerified ? VERIFIED : 0);
    const tail = Buffer.alloc(5);
    tail.writeUInt8(flags);
    tail.writeUInt32BE(counter, 1);
    return Buffer.concat([sha256(other ?? rpId), tail]);
  }
}

function cborHead(major: number, value: number): Buffer {
  if (value < 24) return Buffer.from([(major << 5) | value]);
  if (value < 256) return Buffer.from([(major << 5) | 24, value]);
  return Buffer.from([(major << 5) | 25, value >> 8, value & 255]);
}
const cborInt = (value: number) => (value >= 0 ? cborHead(0, value) : cborHead(1, -1 - value));
const cborBytes = (bytes: Uint8Array) => Buffer.concat([cborHead(2, bytes.length), bytes]);
const cborText = (text: string) => Buffer.concat([cborHead(3, text.length), Buffer.from(text)]);
const cborMap = (entries: readonly (readonly [Buffer, Buffer])[]) =>
  Buffer.concat([cborHead(5, entries.length), ...entries.flat()]);

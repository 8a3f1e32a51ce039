/** The server's key, which signs permits. Each client stores the key's public half at the enrolment, and accepts no other key later. */
import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  hkdfSync,
  type KeyObject,
  randomUUID,
  sign,
} from 'node:crypto';
import {
  closeSync,
  fsyncSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { type Failure, failure } from '../../core/failure.ts';
import { failed, type Result, success } from '../../core/result.ts';

export interface ServerKey {
  /** Raw Ed25519 public key, base64url. */
  readonly publicKey: string;
  /** Returns the Ed25519 signature, 64 bytes. */
  readonly sign: (bytes: Uint8Array) => Buffer;
  /** Derives a secret of 32 bytes from the private key. Each `purpose` gives a different secret. */
  readonly derive: (purpose: string) => Buffer;
}

const FILE_NAME = 'server-key.pem';

/**
 * Reads `server-key.pem` (PKCS #8, 0600) in `directory`. If the file does not exist, makes it. Two servers that start at the same time get
 * the same key. Fails if the file has no Ed25519 key, belongs to another user, or is open to other users.
 */
export function loadOrCreateServerKey(directory: string): Result<ServerKey, Failure> {
  const path = join(directory, FILE_NAME);
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    return success(readKey(path) ?? createKey(path));
  } catch (error) {
    const text = error instanceof Error ? (error.message.split('\n', 1)[0] ?? '') : String(error);
    return failed(
      failure(
        'configuration',
        `the server key ${path} cannot be used (${text})`,
        'restore the key file, or move it away and enrol every host anew',
      ),
    );
  }
}

/** Makes a new key, which is only in memory. */
export const newServerKey = (): ServerKey => serverKey(generateKeyPairSync('ed25519').privateKey);

function readKey(path: string): ServerKey | null {
  const status = lstatSync(path, { throwIfNoEntry: false });
  if (status === undefined) return null;
  if (!status.isFile() || status.uid !== process.getuid?.() || (status.mode & 0o077) !== 0)
    throw new Error('other users can read it, or it does not belong to this user; give it to this user, with mode 600');
  const key = createPrivateKey(readFileSync(path));
  if (key.asymmetricKeyType !== 'ed25519') throw new Error('it is not an Ed25519 key');
  return serverKey(key);
}

function createKey(path: string): ServerKey {
  const pem = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' });
  // The name is random: a draft that a crash left must not stop a later start. In a container, the pid would be the same at each start.
  const draft = `${path}.${randomUUID()}`;
  const file = openSync(draft, 'wx', 0o600);
  try {
    writeFileSync(file, pem);
    fsyncSync(file);
    linkSync(draft, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    closeSync(file);
    unlinkSync(draft);
  }
  const key = readKey(path);
  if (key === null) throw new Error('the file vanished');
  return key;
}

function serverKey(privateKey: KeyObject): ServerKey {
  const jwk = createPublicKey(privateKey).export({ format: 'jwk' });
  const seed = privateKey.export({ type: 'pkcs8', format: 'der' });
  return {
    publicKey: jwk.x ?? '',
    sign: (bytes) => sign(null, bytes, privateKey),
    derive: (purpose) => Buffer.from(hkdfSync('sha256', seed, '', `ape-shell/${purpose}`, 32)),
  };
}

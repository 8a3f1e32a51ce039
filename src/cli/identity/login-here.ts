/**
 * The steps of `apes login`: fetch the server's key, ask for the enrolment with a commitment, send the nonce, show the code, wait for an
 * approver, store the identity. Each login has a new nonce. The nonce is sent only after the answer that fixes the enrolment's id.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Failure, failure } from '../../core/failure.ts';
import { failed, type Result, success } from '../../core/result.ts';
import { dataAnswer } from '../../core/text/json-answer.ts';
import { visibleLine } from '../../core/text/visible-text.ts';
import type {
  EnrolAnswer,
  EnrolBody,
  EnrolmentState,
  EnrolNonceAnswer,
  EnrolNonceBody,
} from '../../core/wire/enrolment.ts';
import type { ServerInfo } from '../../core/wire/server-info.ts';
import { readErrorCode } from '../../grants/answers.ts';
import { type Identity, loadIdentity, saveIdentity } from '../../grants/enrolment.ts';
import { callServer, malformed, type Server } from '../../grants/http.ts';
import { readAuthorities } from '../../platform/authorities.ts';
import { systemClock } from '../../platform/clock.ts';
import {
  ENROLMENT_PROTOCOL,
  enrolmentCode,
  enrolmentCommitment,
  newEnrolmentNonce,
} from '../../platform/enrolment-code.ts';
import type { Installation } from '../../platform/installation.ts';
import { newPrivateKey, publicKeyOf } from '../../platform/key-pair.ts';
import { ensurePrivateDirectory } from '../../platform/private-files.ts';
import { publicKeyFault } from '../../platform/public-key.ts';
import { currentHost, currentUser } from '../../platform/surroundings.ts';
import { webOrigin } from '../../platform/web-origin.ts';
import type { CliContext } from '../context.ts';
import { answering, type Ending, failing } from '../ending.ts';
import { serverInfo } from '../server/local-server.ts';
import { qrCode } from './qr-code.ts';

/**
 * @param url origin of the server
 * @param wish `name`: how approvers see this host; null: `user@host`
 */
export async function loginHere(
  context: CliContext,
  installation: Installation,
  url: string,
  wish: { readonly name: string | null; readonly isJson: boolean },
): Promise<Ending> {
  const { keys } = installation.paths;
  const unready = ensurePrivateDirectory(keys) ?? alreadyEnrolled(keys);
  if (unready !== null) return failing(unready);
  const ca = readAuthorities(installation, url);
  if (!ca.ok) return failing(ca.failure);
  const server: Server = { url, timeoutMs: installation.settings.server.timeoutMs, ca: ca.value, isElsewhere: true };
  const info = await serverInfo(url, server.timeoutMs, server.ca);
  if (!info.ok) return failing(info.failure);
  if (info.value.enrolment !== ENROLMENT_PROTOCOL) return failing(otherProtocol(server, info.value));
  const serverPublicKey = info.value.publicKey;
  if (publicKeyFault(serverPublicKey) !== null) return failing(malformed(server, 'its key is not a valid Ed25519 key'));
  const [host, user, privateKey] = [currentHost(), currentUser(), newPrivateKey()];
  const who = { name: wish.name ?? `${user}@${host}`, host, user };
  const [publicKey, nonce] = [publicKeyOf(privateKey) ?? '', newEnrolmentNonce()];
  const asked = await ask(server, { ...who, publicKey }, enrolmentCommitment(nonce));
  if (!asked.ok) return failing(asked.failure);
  const { enrolmentId } = asked.value;
  const code = enrolmentCode({ ...who, serverPublicKey, enrolmentId, publicKey, nonce });
  const unsent = await sendNonce(server, enrolmentId, nonce, code);
  if (unsent !== null) return failing(unsent);
  showCode(context, asked.value, server, code, wish.isJson);
  const requesterId = await waitForApproval(server, asked.value, serverPublicKey);
  if (!requesterId.ok) return failing(requesterId.failure);
  const pinned = { serverUrl: url, serverPublicKey };
  const identity: Identity = { ...who, ...pinned, subjectId: requesterId.value, privateKey };
  const unsaved = saveIdentity(keys, 'requester', identity);
  if (unsaved !== null) return failing(unsaved);
  const outcome = { state: 'approved', requesterId: requesterId.value, serverUrl: url, name: who.name };
  return answering(outcome, `enrolled as ${who.name} with ${url}\n`);
}

function alreadyEnrolled(keys: string): Failure | null {
  const known = loadIdentity(keys, 'requester');
  if (!known.ok)
    return known.failure.detail === 'not-enrolled' || known.failure.detail === 'damaged' ? null : known.failure;
  return failure(
    'usage',
    `this host is enrolled already, as ${known.value.name} with ${known.value.serverUrl}`,
    'leave that server first: apes logout',
  );
}

/** The protocol of servers whose code does not cover the names of the host. */
const CODE_WITHOUT_NAMES = 'ape-enrol/2';

/**
 * This host does not enrol with the code of an older version. With that code, a computer on the way could try keys until both sides showed
 * the same code.
 */
const otherProtocol = ({ url }: Server, { enrolment }: Pick<ServerInfo, 'enrolment'>): Failure =>
  enrolment === undefined || enrolment === CODE_WITHOUT_NAMES
    ? failure(
        'protocol',
        `the version of ape-shell on the grant server at ${url} is too old: the code of this host could be forged on the way`,
        'upgrade ape-shell on that server',
      )
    : failure(
        'protocol',
        `the grant server at ${url} makes the code of this host in another way than this version of ape-shell`,
        'upgrade ape-shell here',
      );

/** @property endsAfterMs the value of `systemClock.elapsedMs()` at which the enrolment expires */
type Asked = EnrolAnswer & { readonly endsAfterMs: number };

async function ask(
  server: Server,
  who: { readonly name: string; readonly host: string; readonly user: string; readonly publicKey: string },
  commitment: string,
): Promise<Result<Asked, Failure>> {
  const body: EnrolBody = { ...who, role: 'requester', commitment };
  const answer = await callServer(server, { method: 'POST', path: '/v1/enrolments', body });
  if (!answer.ok) return answer;
  const error = readErrorCode(answer.value.body);
  if (error !== null)
    return failed(
      failure(
        error.code.startsWith('server.') ? 'unavailable' : 'refused',
        `the grant server takes no new host: ${visibleLine(error.message)}`,
        'ask the owner of the server',
      ),
    );
  const asked = answer.value.body as Partial<EnrolAnswer> | null;
  const isWhole =
    typeof asked?.enrolmentId === 'string' &&
    ID.test(asked.enrolmentId) &&
    typeof asked.url === 'string' &&
    typeof asked.expiresAtMs === 'number';
  if (!isWhole) return failed(malformed(server, `its answer has an unknown shape (HTTP ${answer.value.status})`));
  // By the server's clock: the clock of this host can be wrong.
  const leftMs = (asked.expiresAtMs as number) - (answer.value.serverTimeMs ?? systemClock.nowMs());
  return success({ ...(asked as EnrolAnswer), endsAfterMs: systemClock.elapsedMs() + leftMs });
}

/** An id has no line break: line breaks separate the inputs in the text that is hashed. So different inputs give different texts. */
const ID = /^[A-Za-z0-9_-]{1,64}$/;

/** Returns null if the server took the nonce and computed the same code. */
async function sendNonce(server: Server, enrolmentId: string, nonce: string, code: string): Promise<Failure | null> {
  const path = `/v1/enrolments/${enrolmentId}/nonce`;
  const answer = await callServer(server, { method: 'POST', path, body: { nonce } satisfies EnrolNonceBody });
  if (!answer.ok) return answer.failure;
  const { status, body } = answer.value;
  const error = readErrorCode(body);
  if (status === 404 && error?.code !== 'enrolment.not_found') return otherProtocol(server, {});
  if (error !== null)
    return failure(
      error.code.startsWith('server.') ? 'unavailable' : 'refused',
      `the grant server did not take the nonce of this host: ${visibleLine(error.message)}`,
      'call apes login again',
    );
  if (status === 200 && (body as Partial<EnrolNonceAnswer> | null)?.code === code) return null;
  return malformed(server, 'the code in its answer is not the code of this host');
}

function showCode(context: CliContext, asked: Asked, server: Server, code: string, isJson: boolean): void {
  const { expiresAtMs } = asked;
  const { url, otherUrl } = pageOf(server, asked);
  if (isJson)
    context.out(dataAnswer({ state: 'pending', code, url, ...(otherUrl === null ? {} : { otherUrl }), expiresAtMs }));
  else
    context.err(
      `apes: an approver has to confirm this host, within 15 minutes:\n  ${url}\n${otherUrl === null ? qrCode(context, url) : otherPage(otherUrl)}  The page must show the code ${code.slice(0, 4)}-${code.slice(4)}. If it shows another code, deny this host.\n`,
    );
}

const otherPage = (url: string): string =>
  `  The server says that the page is at ${visibleLine(url)}. Open that address only if you know that it is your server's.\n`;

/**
 * Returns the address of the page. A computer on the way can send another address, whose page shows any code. So this function returns
 * the address in the answer as `url` only if that address is at the server that the person named.
 * @returns `otherUrl`: the address at another server, such as `serve.public_url`; null: there is none
 */
function pageOf(server: Server, { url: said, enrolmentId }: Asked): { url: string; otherUrl: string | null } {
  const page = `/enrolments/${enrolmentId}`;
  const origin = webOrigin(said);
  const own = server.url + page;
  if (origin === null || new URL(said).origin + new URL(said).pathname !== said || !said.endsWith(page))
    return { url: own, otherUrl: null };
  return origin === server.url ? { url: said, otherUrl: null } : { url: own, otherUrl: said };
}

const FIRST_PAUSE_MS = 1000;
const MAX_PAUSE_MS = 5000;

/** Returns the id of the new requester. If the server cannot be reached, tries again until the enrolment expires. */
async function waitForApproval(
  server: Server,
  asked: Asked,
  serverPublicKey: string,
): Promise<Result<string, Failure>> {
  const timedOut = failure('unavailable', 'no approver confirmed this host in time', 'call apes login again');
  const path = `/v1/enrolments/${encodeURIComponent(asked.enrolmentId)}`;
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 1.2, MAX_PAUSE_MS)) {
    await sleep(pauseMs);
    const answer = await callServer(server, { method: 'GET', path });
    if (!answer.ok && answer.failure.code === 'protocol') return answer;
    const seen = answer.ok ? (answer.value.body as Partial<EnrolmentState> | null) : null;
    if (typeof seen?.serverPublicKey === 'string' && seen.serverPublicKey !== serverPublicKey)
      return failed(malformed(server, 'its key changed during the enrolment'));
    if (seen?.state === 'approved')
      return typeof seen.requesterId === 'string' && ID.test(seen.requesterId)
        ? success(seen.requesterId)
        : failed(malformed(server, 'it approved without a valid id'));
    if (seen?.state === 'denied') return failed(failure('refused', 'refused: an approver denied this host'));
    if (seen?.state === 'expired' || systemClock.elapsedMs() > asked.endsAfterMs + MAX_PAUSE_MS)
      return failed(timedOut);
  }
}

/**
 * `apes owner break-glass`: lists, makes and ends break-glass codes in the database of this installation's server. `--seal` puts the key
 * of a new code on the list of approvers, and signs this list with this machine's owner key. The code itself is not stored.
 */
import { type Failure, failure, failureText } from '../../core/failure.ts';
import { type Result, success } from '../../core/result.ts';
import { approverWith, maySignLists } from '../../core/sealed/approver-list.ts';
import { isBreakGlassKey } from '../../core/sealed/break-glass-key.ts';
import { formatTimeLeft } from '../../core/text/duration.ts';
import { visibleLine } from '../../core/text/visible-text.ts';
import { loadIdentity } from '../../grants/enrolment.ts';
import { breakGlassApprover, keyIdOf } from '../../platform/approver-key.ts';
import { newSealingCode } from '../../platform/break-glass-code.ts';
import { systemClock } from '../../platform/clock.ts';
import type { Installation } from '../../platform/installation.ts';
import { publicKeyOf } from '../../platform/key-pair.ts';
import type { Store } from '../../store/store.ts';
import type { CliContext } from '../context.ts';
import { answering, type Ending, failing } from '../ending.ts';
import { withOwnDatabase } from '../server/own-server.ts';
import { day } from './devices-here.ts';

const administration = () => import('../../server/identity/people-administration.ts');
const changes = () => import('../approvers/change-list.ts');
const now = () => ({ nowMs: systemClock.nowMs() });

export async function breakGlassList(context: CliContext): Promise<Ending> {
  const at = now();
  const found = await withOwnDatabase(context, async (store) => (await administration()).readBreakGlass(store, at));
  if (!found.ok) return failing(found.failure);
  const { codes, open, left } = found.value;
  const sealed = (isSealing: boolean) => (isSealing ? ', seals' : '');
  const sealedUntil = (endMs: number | null) => {
    if (endMs === null) return '';
    return endMs > at.nowMs
      ? `, seals until ${day(endMs)}`
      : `, does not seal any more since ${day(endMs)}: make another one`;
  };
  const lines = [
    ...open.map(
      ({ id, name, untilMs, isSealing }) =>
        `${id}  ${visibleLine(name)}, decides alone for ${formatTimeLeft(untilMs - at.nowMs)}${sealed(isSealing)}\n`,
    ),
    ...codes.map(
      ({ id, name, createdAtMs, keyEndsAtMs }) =>
        `${id}  ${visibleLine(name)}, made ${day(createdAtMs)}${sealedUntil(keyEndsAtMs)}\n`,
    ),
    ...left.map(
      ({ keyId, name }) =>
        `${visibleLine(keyId)}  ${visibleLine(name)}, ended, but its key is still on the list of approvers; remove it: apes owner break-glass end ${visibleLine(keyId)}\n`,
    ),
  ];
  return answering({ codes, open, left }, lines.length === 0 ? 'no break-glass codes\n' : lines.join(''));
}

/**
 * @property seal makes a code that seals. If the code's key cannot be put on the list of approvers, the code is ended and not shown
 * @property for  only together with `seal`: how long hosts accept what the code seals, in ms (default: 365 days)
 */
export interface BreakGlassOptions {
  readonly seal?: true;
  readonly for?: number;
}

/** A host does not always learn that the code was used or ended. Without this limit, such a host would accept the code's key forever. */
const DEFAULT_KEY_LASTS_MS = 365 * 86_400_000;

export async function breakGlassMake(
  context: CliContext,
  name: string,
  { seal, for: lastsMs }: BreakGlassOptions,
): Promise<Ending> {
  if (seal !== true && lastsMs !== undefined)
    return failing(failure('usage', '--for is the time for which a code seals', 'add --seal, or leave --for out'));
  const state = await withOwnDatabase(context, sealingState);
  if (!state.ok) return failing(state.failure);
  if (seal === true)
    return state.value === 'can-seal'
      ? makeSealing(context, name, now().nowMs + (lastsMs ?? DEFAULT_KEY_LASTS_MS))
      : failing(WHY_NOT[state.value]);
  const made = await withOwnDatabase(context, async (store) =>
    (await administration()).makeBreakGlassCode(store, name, now()),
  );
  if (!made.ok) return failing(made.failure);
  if (state.value !== 'no-list')
    context.err(
      'apes: this code does not seal. A host that takes only sealed approvals does not run what this code approves. To make a code that seals: apes owner break-glass make --seal NAME\n',
    );
  const { id, code } = made.value;
  return answering({ id, code, isSealing: false }, madeText(id, code));
}

const WHY_NOT = {
  'no-list': failure(
    'usage',
    'there is no list of approvers, so no code can seal',
    'make the first list: apes owner key create --here',
  ),
  'no-key': failure(
    'refused',
    'no owner key here may sign the list of approvers',
    'call this where the owner key is; see apes approvers list',
  ),
} as const;

const madeText = (id: string, code: string): string =>
  `${code}\nWrite it down and keep it in a closed envelope: it works once, and is not shown again. To end it: apes owner break-glass end ${id}\n`;

/** `no-list`: the server has no list of approvers. `no-key`: no key of this installation may sign the next list. */
const sealingState = async (
  store: Store,
  { paths }: Installation,
): Promise<Result<'no-list' | 'no-key' | 'can-seal', Failure>> => {
  const list = await store.read((rows) => rows.lastApprovers());
  if (!list.ok) return list;
  if (list.value === undefined) return success('no-list');
  const { document } = list.value;
  const owner = loadIdentity(paths.keys, 'owner');
  const publicKey =
    owner.ok && owner.value.serverPublicKey === document.server ? publicKeyOf(owner.value.privateKey) : null;
  const approver = publicKey === null ? null : approverWith(document, keyIdOf(publicKey));
  return success(approver !== null && maySignLists(document, approver) ? 'can-seal' : 'no-key');
};

/**
 * The database gets the hash of the sign-in secret, and the public key. The database never gets the code. If the next list of approvers
 * cannot be signed, this function ends the code at once.
 */
async function makeSealing(context: CliContext, name: string, keyEndsAtMs: number): Promise<Ending> {
  const { code, signInSecret: secret, publicKey } = newSealingCode();
  const kept = await withOwnDatabase(context, async (store) =>
    (await administration()).keepSealingCode(store, name, { secret, publicKey }, now()),
  );
  if (!kept.ok) return failing(kept.failure);
  const { id } = kept.value;
  const list = await (await changes()).admitApprover(context, breakGlassApprover(id, publicKey, keyEndsAtMs));
  if (!list.ok) {
    await withOwnDatabase(context, async (store) => (await administration()).endBreakGlassOf(store, id, now()));
    return failing(list.failure);
  }
  const { sequence } = list.value.document;
  return answering(
    { id, code, isSealing: true, sequence, keyEndsAtMs },
    `${madeText(id, code)}It seals until ${day(keyEndsAtMs)}: its key is on list ${sequence} of the approvers\n`,
  );
}

/**
 * @param id in full, one of these:
 *   - the id of a code
 *   - the id of a person who decides with a code
 *   - the id of a key whose code has ended; the key is still on the list of approvers
 */
export async function breakGlassEnd(context: CliContext, id: string): Promise<Ending> {
  const ended = await withOwnDatabase(context, (store) => endHere(store, id));
  if (!ended.ok) return failing(ended.failure);
  const keyId = ended.value;
  return keyId === null ? answering({ id }, 'ended\n') : dropKeyFromList(context, id, keyId);
}

/**
 * Ends the code, unless `id` names a key whose code has already ended. Returns the id of the code's key if the key is still on the list of
 * approvers. The caller must remove that key, because hosts still accept its seals. Returns null if the list has no key of this code.
 */
async function endHere(store: Store, id: string): Promise<Result<string | null, Failure>> {
  const { readBreakGlass, endBreakGlassOf } = await administration();
  const view = await readBreakGlass(store, now());
  if (!view.ok) return view;
  if (view.value.left.some(({ keyId }) => keyId === id)) return success(id);
  const ended = await endBreakGlassOf(store, id, now());
  if (!ended.ok) return ended;
  const list = await store.read((rows) => rows.lastApprovers());
  if (!list.ok) return list;
  const approver =
    ended.value === null || list.value === undefined ? null : approverWith(list.value.document, keyIdOf(ended.value));
  return success(approver !== null && isBreakGlassKey(approver) ? approver.keyId : null);
}

/**
 * Signs a list of approvers that does not have the key. The code of the key has already ended. If the signing fails, the exit status is 0,
 * and the message says how to remove the key.
 */
async function dropKeyFromList(context: CliContext, id: string, keyId: string): Promise<Ending> {
  const dropped = await (await changes()).dropApprover(context, keyId);
  if (dropped.ok) return answering({ id, approvers: 'changed' }, 'ended; what it sealed does not count any more\n');
  context.err(
    `apes: the key of this code is still on the list of approvers, so hosts accept what it seals. Remove it: apes owner break-glass end ${keyId} (${failureText(dropped.failure)})\n`,
  );
  return answering({ id, approvers: 'still listed' }, 'ended\n');
}

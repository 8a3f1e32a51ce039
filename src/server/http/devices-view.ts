/** Makes the contents of the page *Devices* for this caller. */
import type { FastifyRequest } from 'fastify';
import type { StoreReader } from '../../store/store.ts';
import type { DevicesView } from '../../web/pages/devices-page.ts';
import type { Caller } from '../identity/authentication.ts';
import { passkeyView } from '../identity/devices.ts';
import { signInsOf } from '../identity/sign-ins.ts';
import type { ServerPorts } from '../server-ports.ts';
import { passkeyOfferHere } from './passkey-offer-here.ts';

export async function devicesView(
  parts: ServerPorts,
  rows: StoreReader,
  { subject, session }: Caller,
  request: FastifyRequest,
): Promise<DevicesView> {
  const { after } = request.query as { readonly after?: string };
  return {
    passkeys: (await rows.passkeys.passkeysOf(subject.id)).map((one) => passkeyView(one, session)),
    sealing: (await rows.lastApprovers())?.document.approvers.map(({ keyId }) => keyId) ?? [],
    recoveryCodesLeft: await rows.passkeys.countRecoveryCodes(subject.id),
    offer: passkeyOfferHere(parts, request),
    after: after === 'registered' || after === 'recovery' ? after : null,
    signIns: await signInsOf(rows, subject.id, session, parts.clock.nowMs()),
  };
}

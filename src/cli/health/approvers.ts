/** Reports how many approvers are pinned, and in which file. Also reports whether this host takes approvals without a seal. */

import { success } from '../../core/result.ts';
import { sealRules } from '../../gate/seal-rules.ts';
import { loadIdentity } from '../../grants/enrolment.ts';
import { heldApprovers } from '../../grants/held-approvers.ts';
import type { Installation } from '../../platform/installation.ts';
import { type CheckResult, fail, ok, warn } from './check.ts';

export function approvers({ paths, settings }: Installation): CheckResult {
  const identity = loadIdentity(paths.keys, 'requester');
  if (!identity.ok) return ok('not checked: this host is not enrolled');
  const server = identity.value.serverPublicKey;
  const mcpRules = async () => success([]); // `sealRules` requires this function, but this check never uses the function
  const rules = sealRules({ keys: paths.keys, server, setting: settings.approvals.sealed, mcpRules });
  if (!rules.ok) return fail(rules.failure);
  const { pin, isRequired } = rules.value;
  if (pin === null)
    return ok('none pinned: this host takes approvals without a seal, on the word of its server (apes approvers pin)');
  const { newest } = heldApprovers(pin, paths.state);
  const count = newest.document.approvers.length;
  const takes = isRequired ? 'sealed approvals only' : 'approvals with and without a seal';
  const text = `${count} pinned in ${pin.path} (list ${newest.document.sequence}); this host takes ${takes}`;
  const isWritable = !pin.isProtected || process.getuid?.() === 0;
  return isRequired && isWritable
    ? warn(`${text}; this user can change that file`, 'as root: apes approvers pin --system FILE')
    : ok(text);
}

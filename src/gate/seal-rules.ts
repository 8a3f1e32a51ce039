/** What this host demands of approvals before it asks for one: whose seals count, and whether every approval needs one. */
import type { Failure } from '../core/failure.ts';
import { failed, type Result, success } from '../core/result.ts';
import { sealFailure } from '../core/sealed/seal-fault.ts';
import type { McpServerRule } from '../core/tools/mcp-rule.ts';
import { type Pin, readPin } from '../grants/approver-pin.ts';

/**
 * @property pin        null: no approvers are pinned here
 * @property isRequired whether nothing runs that was approved without a seal; then there is a pin
 */
export interface SealRules {
  readonly pin: Pin | null;
  readonly isRequired: boolean;
  readonly mcpRules: () => Promise<Result<readonly McpServerRule[], Failure>>;
}

interface SealPlace {
  readonly keys: string;
  readonly server: string;
  readonly setting: 'optional' | 'required';
  readonly mcpRules: SealRules['mcpRules'];
  readonly systemPin?: string;
}

/**
 * Read before every request, so that a pin counts at once in every shell. The stricter of the setting and the pin wins.
 * @param server its public key, as it was enrolled
 */
export function sealRules({ keys, server, setting, mcpRules, systemPin }: SealPlace): Result<SealRules, Failure> {
  const found = readPin(keys, systemPin);
  if (!found.ok) return found;
  const pin = found.value;
  const isRequired = setting === 'required' || pin?.sealed === 'required';
  if (pin === null) return isRequired ? failed(sealFailure('unpinned')) : success({ pin, isRequired, mcpRules });
  if (pin.server === server) return success({ pin, isRequired, mcpRules });
  // One of our own that was left by another server says nothing about this one; one of root does.
  return isRequired || pin.isProtected
    ? failed(sealFailure('other-server'))
    : success({ pin: null, isRequired, mcpRules });
}

/** Reads what this host demands of approvals: whose seals count, and whether every approval needs a seal. */
import type { Failure } from '../core/failure.ts';
import { failed, type Result, success } from '../core/result.ts';
import { sealFailure } from '../core/sealed/seal-fault.ts';
import type { McpServerRule } from '../core/tools/mcp-rule.ts';
import type { AskBody } from '../core/wire/ask.ts';
import { type Pin, readPin } from '../grants/approver-pin.ts';

/**
 * @property pin        null: no approvers are pinned here for the enrolled server
 * @property isRequired whether an approval needs a seal; if so, `pin` is not null
 * @property mcpRules   loads the host's rule files for MCP servers
 */
export interface SealRules {
  readonly pin: Pin | null;
  readonly isRequired: boolean;
  readonly mcpRules: () => Promise<Result<readonly McpServerRule[], Failure>>;
}

/** Returns the members of a request that tell the server the host's rules for seals. */
export const sealClaims = ({ pin, isRequired }: SealRules): Pick<AskBody, 'sealedOnly' | 'pin' | 'batches'> => ({
  ...(isRequired ? { sealedOnly: true as const } : {}),
  pin: pin === null ? 'none' : pin.isProtected ? 'system' : 'own',
  batches: true,
});

/**
 * @property keys      the directory of the requester's keys; the requester's own pin is there too
 * @property server    the public key of the enrolled server
 * @property setting   the setting `approvals.sealed`
 * @property systemPin the path of root's pin; absent: `SYSTEM_PIN`
 */
interface SealPlace {
  readonly keys: string;
  readonly server: string;
  readonly setting: 'optional' | 'required';
  readonly mcpRules: SealRules['mcpRules'];
  readonly systemPin?: string;
}

/**
 * Reads the host's rules for seals. The gate calls this function before every request. So a new pin counts at once in every shell. A seal
 * is required if the setting or the pin requires it. Fails in these cases:
 * - The pin cannot be read (`readPin`).
 * - A seal is required, and there is no pin.
 * - The pin is for another server, and a seal is required.
 * - Root's pin is for another server.
 */
export function sealRules({ keys, server, setting, mcpRules, systemPin }: SealPlace): Result<SealRules, Failure> {
  const found = readPin(keys, systemPin);
  if (!found.ok) return found;
  const pin = found.value;
  const isRequired = setting === 'required' || pin?.sealed === 'required';
  if (pin === null) return isRequired ? failed(sealFailure('unpinned')) : success({ pin, isRequired, mcpRules });
  if (pin.server === server) return success({ pin, isRequired, mcpRules });
  // If no seal is required, the requester's own pin for another server does not count.
  return isRequired || pin.isProtected
    ? failed(sealFailure('other-server'))
    : success({ pin: null, isRequired, mcpRules });
}

/** A request as the server decides about it: who asks for what, with the server's own assessment. */
import type { AssessmentByFacts } from '../../core/effects/assess-request.ts';
import { canonicalRequest, type ExecutionRequest } from '../../core/grant/request.ts';
import type { AskBody } from '../../core/wire/ask.ts';
import { sha256Hex } from '../../platform/digest.ts';
import type { Subject } from '../../store/store.ts';
import { newId } from '../identity/secrets.ts';
import type { ServerPorts } from '../server-ports.ts';
import { assessOnServer } from './server-assessment.ts';

/**
 * @property assessment by the host facts that were sent; null if none were, and for kinds that are not read as a line
 * @property newId      the id for the grant, if one is filed
 */
export interface Asked {
  readonly requester: Subject;
  readonly requesterId: string;
  readonly body: AskBody;
  readonly request: ExecutionRequest;
  readonly fingerprint: string;
  readonly assessment: AssessmentByFacts | null;
  readonly newId: string;
}

/** Runs stages 1 to 3 of the request, before any transaction. */
export async function assessAsked(
  { rules, random }: Pick<ServerPorts, 'rules' | 'random'>,
  requester: Subject,
  body: AskBody,
): Promise<Asked> {
  const { request, findings: hostFacts = null } = body;
  const fingerprint = sha256Hex(canonicalRequest(request));
  const assessment = hostFacts === null ? null : await assessOnServer(rules, request, hostFacts);
  return { requester, requesterId: requester.id, body, request, fingerprint, assessment, newId: newId('g', random) };
}

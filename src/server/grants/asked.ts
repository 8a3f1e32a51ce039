/** What the server needs to decide about a request: the requester, the request and the server's own assessment. */
import type { AssessmentByFacts } from '../../core/effects/assess-request.ts';
import { canonicalRequest, type ExecutionRequest } from '../../core/grant/request.ts';
import type { AskBody } from '../../core/wire/ask.ts';
import { sha256Hex } from '../../platform/digest.ts';
import type { Subject } from '../../store/store.ts';
import { newId } from '../identity/secrets.ts';
import type { ServerPorts } from '../server-ports.ts';
import { assessOnServer } from './server-assessment.ts';

/**
 * @property assessment null if `body` has no host facts, or if the request has no line (`isAssessable`)
 * @property newId      the id of the new grant, if the request is filed
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

/** Makes the fingerprint and the assessment of a request. Reads nothing from the database. Call this function before the transaction. */
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

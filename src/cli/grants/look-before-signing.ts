/**
 * An approval is signed only after this device has shown the request, or after the person has typed the fingerprint of the request. A
 * server that an attacker controls can show one request in a browser and send another request to this device.
 *
 * The person is not asked if the server belongs to this installation and has its database in a file on this host. That server runs as the
 * user who has the owner key, so an attacker who controls the server can take the key anyway.
 */
import { createInterface } from 'node:readline';
import { confinementText } from '../../core/confinement/confinement-text.ts';
import { type Failure, failure } from '../../core/failure.ts';
import { isForPlan } from '../../core/grant/grant.ts';
import { lookAlikesText } from '../../core/grant/look-alikes-of.ts';
import type { GrantScope } from '../../core/scope/command-scope.ts';
import { scopeTitle } from '../../core/scope/scope-title.ts';
import { visibleLine } from '../../core/text/visible-text.ts';
import type { GrantView } from '../../core/wire/grant-view.ts';
import type { DecisionDocument } from '../../core/wire/sealed.ts';
import type { GrantClient } from '../../grants/client.ts';
import { fetchWhy } from '../../grants/explanations.ts';
import { systemClock } from '../../platform/clock.ts';
import type { Installation } from '../../platform/installation.ts';
import { fingerprintOf } from '../../platform/surroundings.ts';
import { commandLines } from '../../run/pending-block.ts';
import type { CliContext } from '../context.ts';
import { isServedHere } from '../server/local-server.ts';
import { grantDetails } from './grant-details.ts';
import { termText } from './grant-text.ts';
import { hasShownScopes, howShown, rememberShown, rememberShownScopes } from './shown-requests.ts';

/**
 * @property fingerprint the beginning of the request's fingerprint. The person has compared and typed it, and the caller has checked it
 *                       with `fingerprintFault`. undefined: the person has typed no fingerprint
 * @property isOwnScope  whether this device made the scope; false: the server made the scope
 */
export interface Signer {
  readonly context: CliContext;
  readonly installation: Installation;
  readonly fingerprint: string | undefined;
  readonly isOwnScope: boolean;
}

/** Returns null if the person has given no digits, or if the fingerprint of the request begins with the given digits. */
export function fingerprintFault({ request }: GrantView, fingerprint: string | undefined): Failure | null {
  const own = fingerprintOf(request);
  if (fingerprint === undefined || own.startsWith(fingerprint)) return null;
  return failure(
    'protocol',
    `the fingerprint of the request that the server sends is ${own}, not the one given; nothing is signed`,
    'compare it with the output of `apes grants show` on the host that asks',
    'seal.other-fingerprint',
  );
}

/** Describes what the person permits by this approval. */
type Signed = Pick<DecisionDocument, 'term' | 'scope' | 'confinement'>;

/**
 * - `seen`:   the person does not have to be asked
 * - `asked`:  the person has answered yes now
 * - `unseen`: nothing may be signed, and the failure says why
 */
type Look = { readonly kind: 'seen' | 'asked' } | { readonly kind: 'unseen'; readonly failure: Failure };

/**
 * Makes sure that the person has seen the request and the scopes of the approval. The request also counts as seen if the person has given
 * its fingerprint. If something is unseen, shows everything on the terminal and asks the person. After a yes, remembers what was shown.
 * Asks nothing if `isServedHere`. Returns `unseen` in these cases:
 * - This device has shown another request under this id.
 * - Something is unseen, and there is no terminal.
 * - Something is unseen, and the explanation of the request cannot be fetched.
 * - The person did not answer yes.
 */
export async function lookBeforeSigning(
  signer: Signer,
  client: GrantClient,
  grant: GrantView,
  { term, scope, confinement }: Signed,
): Promise<Look> {
  const how = howShown(client, grant);
  if (how === 'another') return { kind: 'unseen', failure: SHOWN_OTHERWISE };
  const isSeen = how === 'whole' || signer.fingerprint !== undefined;
  const scopes = [...(signer.isOwnScope ? [] : serverScopes(scope)), ...(confinement === null ? [] : [confinement])];
  const areScopesSeen = hasShownScopes(client, grant, scopes);
  if (isSeen && areScopesSeen) return { kind: 'seen' };
  if (await isServedHere(signer.installation.paths, client)) return { kind: 'seen' };
  const { context } = signer;
  if (!context.isTerminal(0) || !context.isTerminal(2))
    return { kind: 'unseen', failure: isSeen ? unseenReach(grant) : unseenRequest(grant) };
  const why = await fetchWhy(client, grant.id);
  if (!why.ok) return { kind: 'unseen', failure: why.failure };
  context.err(
    `${grantDetails({ ...why.value, grant }, systemClock.nowMs())}\n${toSign(grant, { term, scope, confinement })}`,
  );
  if (!(await isAnsweredWithYes(context))) return { kind: 'unseen', failure: DECLINED };
  rememberShown(client, [grant], true);
  rememberShownScopes(client, grant.id, scopes);
  return { kind: 'asked' };
}

function serverScopes(scope: GrantScope | null): readonly GrantScope[] {
  if (scope === null) return [];
  return isForPlan(scope) ? scope.parts.flatMap((part) => part.scope ?? []) : [scope];
}

/** Describes what is signed. The caller prints this text last, because a long text of the server must not hide it. */
function toSign({ request }: GrantView, { term, scope, confinement }: Signed): string {
  const termed = termText(term, systemClock.nowMs());
  const covers = scope === null ? 'exactly this' : visibleLine(scopeTitle(scope));
  const parts = scope !== null && isForPlan(scope) ? scope.parts : [];
  const warning = lookAlikesText(request);
  return [
    ...commandLines(request.text, 'to sign:    '),
    ...(warning === null ? [] : [`            ${warning}`]),
    `in:         ${visibleLine(request.cwd)} (${visibleLine(request.user)}@${visibleLine(request.host)})`,
    `covers:     ${covers}, ${termed}`,
    ...(confinement === null ? [] : [`held to:    ${visibleLine(confinementText(confinement))}`]),
    ...parts.map(
      ({ part, uses, scope: own }) =>
        `            part ${part}, ${uses} ${uses === 1 ? 'use' : 'uses'}: ${own === null ? 'exactly this' : visibleLine(scopeTitle(own))}`,
    ),
    '',
  ].join('\n');
}

/** Reads one line of the terminal; end of file counts as no. */
function isAnsweredWithYes({ err }: CliContext): Promise<boolean> {
  err('Sign this approval? [y/N] ');
  const lines = createInterface({ input: process.stdin, terminal: false });
  return new Promise((resolve) => {
    lines.once('line', (line) => {
      resolve(/^\s*y(?:es)?\s*$/i.test(line));
      lines.close();
    });
    lines.once('close', () => resolve(false));
  });
}

const SHOWN_OTHERWISE = failure(
  'protocol',
  'the server sends a request that differs from the one that this device has shown for this id; nothing is signed',
  'find out why: the request of an id never changes',
  'seal.not-shown',
);

const DECLINED = failure('refused', 'refused: the answer was not yes; nothing is signed', undefined, 'seal.declined');

const unseenRequest = ({ id }: GrantView): Failure =>
  failure(
    'usage',
    'this device has not shown the request; nothing is signed',
    `look at it: apes grants show ${id}; or write --fingerprint HEX, as the host that asks shows it`,
    'seal.unseen',
  );

const unseenReach = ({ id, request }: GrantView): Failure =>
  failure(
    'usage',
    'this device has not shown how far the approval reaches; nothing is signed',
    `look at it: apes ${request.plan === undefined ? 'grants proposals' : 'plan show'} ${id}`,
    'seal.unseen',
  );

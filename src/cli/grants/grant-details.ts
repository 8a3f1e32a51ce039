/** `apes grants show`: everything that a person needs for a decision on one request. */
import { grantConfinementText } from '../../core/confinement/grant-confinement-text.ts';
import type { FileOperation } from '../../core/files/file-operation.ts';
import { lookAlikesText } from '../../core/grant/look-alikes-of.ts';
import type { EnvironmentEntry, ExecutionRequest } from '../../core/grant/request.ts';
import type { Impact } from '../../core/impact/impact.ts';
import { textOfImpact } from '../../core/impact/touched-text.ts';
import { approvalsText } from '../../core/people/approvals-text.ts';
import { endText } from '../../core/plan/plan.ts';
import { scopeTitle } from '../../core/scope/scope-title.ts';
import { pinPlaceText } from '../../core/sealed/pin-place-text.ts';
import { dangerOf, dangerReason } from '../../core/sensitive/dangerous-places.ts';
import { argumentsText } from '../../core/text/arguments-text.ts';
import { formatDuration } from '../../core/text/duration.ts';
import { matchNumber } from '../../core/text/match-text.ts';
import { quoteWord } from '../../core/text/quote.ts';
import { visibleLine } from '../../core/text/visible-text.ts';
import { oddEntries } from '../../core/variables/usual-variables.ts';
import type { WhyAnswer } from '../../core/wire/why.ts';
import { fingerprintOf } from '../../platform/surroundings.ts';
import { type Paint, plainPaint, stateColour } from '../colour.ts';
import { sealText, termText } from './grant-text.ts';
import { assessmentLines } from './why-text.ts';

type Field = readonly [string, string | null];

/** Returns the fields, followed by the assessment if it is not null. Every byte of the command is visible. */
export function grantDetails(why: WhyAnswer, nowMs: number, paint: Paint = plainPaint): string {
  const { grant, assessment, decidedBy, proposals } = why;
  const { request } = grant;
  const held = grantConfinementText(grant);
  const warning = lookAlikesText(request);
  const by = visibleLine(decidedBy?.name ?? grant.decidedBy ?? '?');
  const fields: readonly Field[] = [
    ['grant', grant.id],
    ['state', paint(stateColour(grant.state), grant.state)],
    ['approvals', grant.approvals === undefined ? null : visibleLine(approvalsText(grant.approvals))],
    ['term', grant.term === null ? null : termText(grant.term, nowMs)],
    ['covers', grant.scope ? visibleLine(scopeTitle(grant.scope)) : null],
    ['confined to', held === null ? null : visibleLine(held)],
    ['reason of the denial', grant.denyReason === null ? null : visibleLine(grant.denyReason)],
    ['requester', `${visibleLine(grant.requesterName)} (${visibleLine(request.user)}@${visibleLine(request.host)})`],
    ['directory', visibleLine(request.cwd)],
    ['reason', grant.reason === null ? null : visibleLine(grant.reason)],
    ['asked', `${formatDuration(nowMs - grant.createdAtMs)} ago`],
    ['decided', grant.decidedAtMs === null ? null : `${formatDuration(nowMs - grant.decidedAtMs)} ago by ${by}`],
    ['sealed', grant.term === null ? null : sealText(grant)],
    ['pin of the host', grant.pin === undefined ? null : `as the host says: ${pinPlaceText(grant.pin)}`],
    ['uses', String(grant.uses)],
    ['page', grant.url],
    ['number to pick', matchNumber(grant)],
    ...mcpFields(request),
    ...(request.fetches ?? []).map(({ origin }): Field => ['host', visibleLine(origin)]),
    ...(request.files ?? []).flatMap(fileFields),
    ...partPlaces(request),
    [CONTENT_LABELS[request.kind] ?? 'command', visibleLines(request.text)],
    ['', warning === null ? null : `${' '.repeat(LABEL_WIDTH)}${warning}`],
    ['arguments of bash', argumentsText(request)],
    ['fingerprint', fingerprintOf(request)],
    ...oddEntries(request.environment).map((each, at): Field => [at === 0 ? 'environment' : '', entryText(each)]),
    ...(grant.touches ?? []).map((each, at): Field => [at === 0 ? 'touches right now' : '', touchedText(each)]),
    ...(grant.state === 'pending' ? proposals : []).map(
      (each, at): Field => [at === 0 ? 'could cover' : '', visibleLine(each)],
    ),
  ];
  const text = fields.flatMap(([name, value]) => (value === null ? [] : [`${label(name)}${value}\n`])).join('');
  return assessment === null ? text : `${text}\n${assessmentLines(assessment).join('\n')}\n`;
}

/** Indents each further line to the column where the first line begins. */
const visibleLines = (text: string): string =>
  text
    .split('\n')
    .map(visibleLine)
    .join(`\n${' '.repeat(LABEL_WIDTH)}`);

const LABEL_WIDTH = 23;
const label = (name: string): string => (name === '' ? '' : `${name}:`).padEnd(LABEL_WIDTH);

/** Returns the name of the entry (`GIT_DIR`, `alias ls`), and the value or the digest of the value. */
const entryText = ({ name, value, digest }: EnvironmentEntry): string =>
  `${visibleLine(name)}${digest === true ? ' has SHA-256 ' : '='}${visibleLines(value)}`;

function touchedText(touched: Impact): string {
  const { count, isCut, items, note } = touched;
  const number = count === null ? 'not known:' : `${isCut ? 'more than ' : ''}${count}`;
  const named = items.length === 0 ? '' : ` (${items.join(', ')}${(count ?? 0) > items.length ? ', …' : ''})`;
  return visibleLine(`${number} ${textOfImpact(touched)}${named}${note === null ? '' : `; ${note}`}`);
}

const CONTENT_LABELS: Readonly<Partial<Record<ExecutionRequest['kind'], string>>> = {
  file: 'content',
  mcp: 'call',
  fetch: 'addresses',
};

/**
 * Returns the end of the plan, which the text of the plan does not say. Also returns the directory of each part that does not run in the
 * directory of the request.
 */
const partPlaces = ({ plan, cwd }: ExecutionRequest): readonly Field[] =>
  plan === undefined
    ? []
    : [
        ['ends', endText(plan)],
        ...plan.parts.flatMap((part, at): Field[] =>
          part.cwd === cwd ? [] : [[`directory of part ${at + 1}`, visibleLine(part.cwd)]],
        ),
      ];

/** Describes the MCP server or the agent of a call. The facts come from the requester's host. */
function mcpFields({ mcp, argv }: ExecutionRequest): readonly Field[] {
  if (mcp === undefined) return [];
  return [
    [mcp.protocol === 'acp' ? 'agent' : 'server', visibleLine(mcp.server)],
    ['  its command', visibleLine(argv.map(quoteWord).join(' '))],
    ...mcp.files.flatMap(({ path, digest }): Field[] => [
      ['  its file', visibleLine(path)],
      ['  SHA-256', digest],
    ]),
    ['tool', visibleLine(mcp.tool)],
    ['  declared as SHA-256', mcp.protocol === 'acp' ? null : (mcp.declared ?? 'not declared to the client')],
  ];
}

function fileFields(one: FileOperation): readonly Field[] {
  const code = dangerOf(one);
  return [
    [one.verb, visibleLine(one.path)],
    ['  asked as', one.askedPath === one.path ? null : visibleLine(one.askedPath)],
    ['  SHA-256', one.digest],
    ['  SHA-256 afterwards', one.resultDigest],
    ['  warning', code === null ? null : dangerReason(code)],
  ];
}

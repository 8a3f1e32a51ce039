/**
 * Makes the page *People*: who decides within which limits, who decides for whom, and who is notified first. The owner can change
 * everything on this page. Other approvers can change their own delegations, and sign lists of approvers.
 */
import { RISKS, type Risk } from '../../core/effects/permission.ts';
import { limitsText } from '../../core/people/limits-text.ts';
import type { BreakGlassView, PeopleRulesView, PersonView } from '../../core/wire/people.ts';
import type { ListView } from '../../core/wire/sealed.ts';
import { ageHtml, momentHtml } from '../cards/moments.ts';
import { type Html, html } from '../html.ts';
import { lineHtml } from '../visible-html.ts';
import { type PageFrame, page } from './page-frame.ts';

/**
 * @property rules      the rules for people; null: the rules in the database cannot be read, and nothing is approved
 * @property requesters the requesters that are not revoked
 * @property list       the newest list of approvers; null: there is no list, and no approval is sealed
 * @property reader     the person who looks at the page
 */
export interface PeopleView {
  readonly people: readonly PersonView[];
  readonly rules: PeopleRulesView | null;
  readonly breakGlass: BreakGlassView;
  readonly list: ListView | null;
  readonly requesters: readonly { readonly id: string; readonly name: string; readonly host: string }[];
  readonly reader: { readonly id: string; readonly isOwner: boolean };
}

export function peoplePage(frame: PageFrame, view: PeopleView): string {
  const { people, rules, reader } = view;
  return page(
    frame,
    html`${rules === null && html`<p class="note">The rules for people in the database cannot be read: nothing is approved, and everyone may deny.</p>`}
      <section class="people"><h2>Who decides, and who looks on</h2>
        <div class="cards">${people.map((person) => personHtml(person, view))}${reader.isOwner && invitationHtml()}</div>
      </section>
      ${rules !== null && html`${delegationsHtml(rules, view)}${onCallHtml(rules, view)}`}
      ${breakGlassHtml(view)}
      ${view.list !== null && listHtml(view.list)}`,
  );
}

const nameOf = ({ people }: PeopleView, id: string): string => people.find((person) => person.id === id)?.name ?? id;

/**
 * Returns the people who decide. Leaves out auditors, revoked people, and the keys of the command line: these keys belong to the owner.
 */
const decidersIn = ({ people }: PeopleView): readonly PersonView[] =>
  people.filter(({ role, revokedAtMs, isKey }) => role === 'approver' && revokedAtMs === null && !isKey);

function personHtml(person: PersonView, view: PeopleView): Html {
  const { id, name, passkeys, createdAtMs, revokedAtMs, isOwner, isKey, role, limits, own } = person;
  const requesterName = (requesterId: string) =>
    view.requesters.find((requester) => requester.id === requesterId)?.name ?? requesterId;
  const has = passkeys === 0 ? 'no device' : passkeys === 1 ? 'one device' : `${passkeys} devices`;
  const isOnCall = view.rules?.onCall?.now?.personId === id;
  const does = isKey
    ? 'a key of the command line: the owner’s'
    : role === 'auditor'
      ? 'sees everything, decides nothing'
      : limits === null
        ? 'decides everything'
        : limitsText(limits, requesterName);
  const badge = (text: string, kind: string) => html`<span class="badge ${kind}">${text}</span>`;
  return html`<article class="card person" data-devices data-person-id="${id}">
      <header><p class="who"><strong>${lineHtml(name)}</strong></p><span class="badges">${isOwner && badge('Owner', 'approved')}${role === 'auditor' && badge('Auditor', 'used')}${isOnCall && badge('On call', 'pending')}${revokedAtMs !== null && badge('Revoked', 'revoked')}</span></header>
      <p>${lineHtml(does)}</p>
      ${own.length > 0 && html`<p class="note">Decides nothing that ${lineHtml(own.map(requesterName).join(', '))} asks for.</p>`}
      <p class="meta">since ${ageHtml(createdAtMs)}${!isKey && html` · ${has}`}</p>
      ${view.reader.isOwner && isOwner && ownerHtml(person, view)}
      ${view.reader.isOwner && revokedAtMs === null && !isOwner && html`${!isKey && limitsHtml(person, view)}${revocationHtml(person)}`}
      <p class="message" role="status"></p>
    </article>`;
}

const revocationHtml = ({ id, name }: PersonView): Html => html`<details class="removal"><summary>Revoke …</summary>
        <p class="hint">Sessions, devices and codes of ${lineHtml(name)} stop at once.</p>
        <button type="button" class="deny" data-passkey="revoke-person" data-id="${id}">Revoke ${lineHtml(name)}</button>
      </details>`;

const RISK_WORDS: Readonly<Record<Risk, string>> = {
  low: 'low risk only',
  medium: 'up to medium risk',
  high: 'up to high risk',
  critical: 'any risk',
};

/**
 * Makes checkboxes for the requesters; false if there are no requesters.
 * @param field    the member of the request's body that gets the choice
 * @param whenNone the value of this member if no requester is chosen
 */
function checksHtml(
  { requesters }: PeopleView,
  field: string,
  legend: string,
  chosen: readonly string[],
  whenNone: 'null' | 'empty',
): Html | false {
  // A revoked requester stays chosen: a limit that lost its last requester would be no limit any more.
  const others = chosen.filter((id) => !requesters.some((requester) => requester.id === id));
  const choices = [...requesters, ...others.map((id) => ({ id, name: id, host: null }))];
  return (
    choices.length > 0 &&
    html`<fieldset class="directories" data-field="${field}" data-kind="checks" data-none="${whenNone}"><legend>${legend}</legend>${choices.map(
      (requester) =>
        html`<label class="choice"><input type="checkbox" value="${requester.id}"${chosen.includes(requester.id) && html` checked`}> <span>${lineHtml(requester.name)}${requester.host !== null && html` <span class="on">on ${lineHtml(requester.host)}</span>`}</span></label>`,
    )}</fieldset>`
  );
}

const ownChecks = ({ own }: PersonView, view: PeopleView): Html | false =>
  checksHtml(view, 'own', 'Requesters of this person. The person may not decide their requests.', own, 'empty');

/** The owner has no limits, but requesters can belong to the owner. Another person then decides what these requesters ask for. */
function ownerHtml(owner: PersonView, view: PeopleView): Html | false {
  const checks = ownChecks(owner, view);
  return (
    checks !== false &&
    html`<details class="limits"><summary>Change …</summary>${checks}
        <p class="hint">Another person has to decide what these requesters ask for.</p>
        <div class="actions"><button type="button" data-passkey="send" data-path="/v1/people/${owner.id}">Set</button></div>
      </details>`
  );
}

function limitsHtml(person: PersonView, view: PeopleView): Html {
  const { id, role, limits } = person;
  const selected = (isSelected: boolean) => isSelected && html` selected`;
  return html`<details class="limits"><summary>Change …</summary>
        <label class="field">Role <select data-field="role"><option value="approver"${selected(role === 'approver')}>approver</option><option value="auditor"${selected(role === 'auditor')}>auditor</option></select></label>
        <label class="field">Decides <select data-field="limits.upTo"><option value=""${selected(limits === null)}>all requests, and who may decide</option>${RISKS.map((risk) => html`<option value="${risk}"${selected(limits?.upTo === risk)}>${RISK_WORDS[risk]}</option>`)}</select></label>
        <label class="field">Only on these hosts <input type="text" data-field="limits.hosts" data-kind="names" value="${limits?.hosts?.join(', ') ?? ''}" spellcheck="false" autocapitalize="off"><span class="hint">Names with commas between them. Empty: on every host.</span></label>
        ${checksHtml(view, 'limits.requesters', 'Only what these requesters ask for; none chosen: all', limits?.requesters ?? [], 'null')}
        ${ownChecks(person, view)}
        <div class="actions"><button type="button" data-passkey="send" data-path="/v1/people/${id}">Set</button>
          ${limits !== null && html`<button type="button" data-passkey="send" data-path="/v1/people/${id}" data-body="${JSON.stringify({ limits: null })}">Lift all limits</button>`}</div>
      </details>`;
}

const invitationHtml = (): Html => html`<article class="card" data-devices>
      <label class="field">Name of another person <input type="text" class="person-name" maxlength="64" autocomplete="off"></label>
      <label class="field">Role <select class="person-role"><option value="approver">approver</option><option value="auditor">auditor</option></select></label>
      <button type="button" data-passkey="invite">Make an invitation</button>
      <pre class="shell invitation" hidden></pre>
      <p class="message" role="status"></p>
    </article>`;

const HOURS = [
  [1, 'an hour'],
  [8, '8 hours'],
  [24, 'a day'],
  [72, '3 days'],
  [168, 'a week'],
] as const;

function delegationsHtml({ delegations }: PeopleRulesView, view: PeopleView): Html {
  const { reader } = view;
  const deciders = decidersIn(view);
  const givers = reader.isOwner ? deciders : deciders.filter(({ id }) => id === reader.id);
  const option = ({ id, name }: PersonView) =>
    html`<option value="${id}"${id === preset && html` selected`}>${lineHtml(name)}</option>`;
  const preset = deciders.find(({ id }) => id !== givers[0]?.id)?.id;
  const takers = deciders.filter(({ id }) => givers.length > 1 || id !== reader.id);
  return html`<section class="delegations"><h2>Deciding for another person, for a time</h2>
      <div class="cards">${delegations.map(
        ({ from, to, untilMs }) => html`<article class="card" data-devices>
          <p><strong>${lineHtml(nameOf(view, to))}</strong> decides for ${lineHtml(nameOf(view, from))} until ${momentHtml(untilMs)}</p>
          ${(reader.isOwner || reader.id === from) && html`<button type="button" data-passkey="send" data-path="/v1/people-rules" data-body="${JSON.stringify({ delegation: { from, to, untilMs: null } })}">End it now</button>`}
          <p class="message" role="status"></p></article>`,
      )}
      ${
        givers.length > 0 &&
        takers.length > 0 &&
        html`<article class="card" data-devices>
          <p class="hint">The second person decides what the first one may decide. Approvals given in this way end with the delegation.</p>
          <label class="field">From <select data-field="delegation.from">${givers.map(({ id, name }) => html`<option value="${id}">${lineHtml(name)}</option>`)}</select></label>
          <label class="field">To <select data-field="delegation.to">${takers.map(option)}</select></label>
          <label class="field">How long <select data-field="delegation.untilMs" data-kind="hours">${HOURS.map(([hours, text]) => html`<option value="${hours}">${text}</option>`)}</select></label>
          <div class="actions"><button type="button" data-passkey="send" data-path="/v1/people-rules">Delegate</button></div>
          <p class="message" role="status"></p></article>`
      }</div>
      ${delegations.length === 0 && takers.length === 0 && html`<p class="none">There is no other person who decides.</p>`}
    </section>`;
}

const MINUTES = [5, 15, 30, 60, 240] as const;

function onCallHtml({ onCall }: PeopleRulesView, view: PeopleView): Html {
  const deciders = decidersIn(view);
  const { isOwner } = view.reader;
  const rota = onCall?.rota ?? null;
  const chosen = rota?.persons ?? [];
  const inOrder = [...deciders].sort((one, other) => placeIn(chosen, one.id) - placeIn(chosen, other.id));
  return html`<section class="on-call"><h2>On call</h2>
      <div class="cards"><article class="card" data-devices>
        ${
          rota === null
            ? html`<p>There are no on-call weeks: each approver is notified at once.</p>`
            : html`<p>${onCall?.now ? html`<strong>${lineHtml(nameOf(view, onCall.now.personId))}</strong> is on call until ${momentHtml(onCall.now.untilMs)}` : html`The first week begins ${lineHtml(rota.from)}; until then each approver is notified at once`}. The others are notified after ${rota.thenMinutes} min.</p>
              <p class="meta">In turn, from ${lineHtml(`${rota.from} ${rota.timeZone}`)}: ${lineHtml(chosen.map((id) => nameOf(view, id)).join(', '))}</p>`
        }
        ${
          isOwner &&
          html`<details class="rota"><summary>Change …</summary>
          <fieldset class="directories" data-field="rota.persons" data-kind="checks" data-none="empty"><legend>A week each, in this order</legend>${inOrder.map(
            ({ id, name }) =>
              html`<label class="choice"><input type="checkbox" value="${id}"${chosen.includes(id) && html` checked`}> <span>${lineHtml(name)}</span></label>`,
          )}</fieldset>
          <p class="hint">In another order, or one person twice: <code>apes owner on-call Ada Grace</code> on the server’s machine.</p>
          <label class="field">The first week begins <input type="datetime-local" data-field="rota.from" value="${rota?.from ?? ''}" required></label>
          <label class="field">Time zone <input type="text" data-field="rota.timeZone" data-kind="zone" value="${rota?.timeZone ?? ''}" maxlength="64" spellcheck="false" autocapitalize="off"></label>
          <label class="field">Minutes until the others are notified <select data-field="rota.thenMinutes" data-kind="number">${[...new Set([...MINUTES, rota?.thenMinutes ?? 15])].sort((one, other) => one - other).map((minutes) => html`<option${minutes === (rota?.thenMinutes ?? 15) && html` selected`}>${minutes}</option>`)}</select></label>
          <div class="actions"><button type="button" data-passkey="send" data-path="/v1/people-rules">Set</button>
            ${rota !== null && html`<button type="button" data-passkey="send" data-path="/v1/people-rules" data-body="${JSON.stringify({ rota: null })}">End the on-call weeks</button>`}</div>
        </details>`
        }
        <p class="message" role="status"></p>
      </article></div>
    </section>`;
}

/** Shows the codes, and who decides with a code now. Every approver sees this section, but only the owner makes and ends codes. */
function breakGlassHtml({ breakGlass: { codes, open, left }, list, reader: { isOwner } }: PeopleView): Html {
  const sealed = (isSealing: boolean) =>
    list !== null && (isSealing ? ' · seals what it approves' : ' · does not seal');
  const ending = (id: string, label: string) =>
    isOwner &&
    html`<button type="button" class="deny" data-passkey="send" data-path="/v1/break-glass/${id}/end" data-body="{}">${label}</button>`;
  return html`<section class="break-glass"><h2>Break-glass codes</h2>
      <p class="hint">For a time in which no approver can be reached. A person who uses a code decides alone for 15 minutes, and every approver is notified. Approvals with the code end with these 15 minutes. Each code works once.</p>
      <div class="cards">${open.map(
        ({ id, name, untilMs, isSealing }) => html`<article class="card" data-devices>
          <header><p class="who"><strong>${lineHtml(name)}</strong></p><span class="badge denied">In use</span></header>
          <p>Decides alone until ${momentHtml(untilMs)}${sealed(isSealing)}.</p>${ending(id, 'End it now')}<p class="message" role="status"></p></article>`,
      )}${codes.map(
        ({ id, name, createdAtMs, isSealing, keyEndsAtMs }) => html`<article class="card" data-devices>
          <header><p class="who"><strong>${lineHtml(name)}</strong></p></header>
          <p class="meta">made ${ageHtml(createdAtMs)}${keyEndsAtMs === null || isSealing ? html`${sealed(isSealing)}${keyEndsAtMs !== null && html` until ${momentHtml(keyEndsAtMs)}`}` : html` · its key ended ${momentHtml(keyEndsAtMs)}: make another one`}</p>${isOwner && html`<details class="removal"><summary>Take it back …</summary><p class="hint">The code in the envelope does not work any more.</p>${ending(id, 'Take it back')}</details>`}<p class="message" role="status"></p></article>`,
      )}${left.map(
        ({ keyId, name }) => html`<article class="card" data-devices>
          <header><p class="who"><strong>${lineHtml(name)}</strong></p><span class="badge pending">Key left</span></header>
          <p>The code was used or taken back, but its key is still on the list of approvers. Hosts that have not seen the use still accept the key.</p>
          ${
            list?.maySign
              ? html`<button type="button" data-passkey="sign-list" data-body="${JSON.stringify({ withoutCode: keyId })}">Sign a list without it</button><p class="message" role="status"></p>`
              : html`<p>Sign a list without it, on the server’s machine:</p><pre class="shell">apes owner break-glass end ${keyId}</pre>`
          }</article>`,
      )}${
        isOwner &&
        html`<article class="card" data-devices>
          ${list !== null && html`<p class="note">A code that is made on this page does not seal: hosts that take only sealed approvals do not run what it approves. For a code that seals, call <code>apes owner break-glass make --seal NAME</code> on the server’s machine.</p>`}
          <label class="field">Name of a code <input type="text" class="code-name" maxlength="64" autocomplete="off"><span class="hint">Such as the place where the envelope lies.</span></label>
          <button type="button" data-passkey="break-glass">Make a code</button>
          <pre class="shell new-code" hidden></pre>
          <p class="message" role="status"></p></article>`
      }</div>
      ${codes.length === 0 && open.length === 0 && !isOwner && html`<p class="none">There are no codes.</p>`}
    </section>`;
}

/** Shows the list of approvers that the hosts follow, and the changes that are not on the list yet. Each change takes one signature. */
function listHtml({ sequence, keys, absent, hasRules, maySign }: ListView): Html {
  const signing = (wish: object, label: string) =>
    maySign &&
    html`<button type="button" data-passkey="sign-list" data-body="${JSON.stringify(wish)}">${label}</button>`;
  const kindOf = ({ kind, isBreakGlass }: ListView['keys'][number]) =>
    isBreakGlass ? 'key of a code' : kind === 'passkey' ? 'passkey' : 'key of the command line';
  const names = keys.map((key) => `${key.name} (${kindOf(key)})`);
  const isComplete = hasRules && absent.length === 0;
  return html`<section class="approver-list"><h2>What the hosts follow</h2>
      <p class="hint">Hosts that take sealed approvals accept them from the keys on the list of approvers, within the rules on it. A key on the list signs each change.</p>
      <div class="cards"><article class="card"><p>List ${sequence}: ${lineHtml(names.join(', '))}</p>
          ${isComplete && html`<p class="meta">It has the devices of all approvers, and the rules of this server.</p>`}
          ${!isComplete && !maySign && html`<p class="note">No passkey of yours that works at this address is on the list. Another approver can sign changes; or sign them with <code>apes approvers</code> on the server’s machine.</p>`}</article>
      ${
        !hasRules &&
        html`<article class="card" data-devices><p>The rules for people have changed. The hosts still follow list ${sequence}.</p>
          ${signing({ people: true }, 'Sign the rules')}<p class="message" role="status"></p></article>`
      }${absent.map(
        ({ id, name, person }) =>
          html`<article class="card" data-devices><p><strong>${lineHtml(name)}</strong> of ${lineHtml(person)} is not on the list: what it approves is not sealed.</p>
          ${signing({ add: id }, 'Sign a list with it')}<p class="message" role="status"></p></article>`,
      )}</div>
    </section>`;
}

const placeIn = (ids: readonly string[], id: string): number => {
  const place = ids.indexOf(id);
  return place < 0 ? ids.length : place;
};

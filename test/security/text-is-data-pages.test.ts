/** Every text of a requester is only text on the pages: escaped, visible and complete. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ALL_RIGHTS } from '../../src/core/people/viewer-rights.ts';
import type { GrantView } from '../../src/core/wire/grant-view.ts';
import { enrolmentCard } from '../../src/web/cards/enrolment-card.ts';
import { grantCard } from '../../src/web/cards/grant-card.ts';
import { briefHtml, grantRowHtml } from '../../src/web/cards/grant-rows.ts';
import { escapeHtml, html } from '../../src/web/html.ts';
import { pendingGrant } from '../fixtures/grant.ts';

const hostile = fc
  .array(
    fc.oneof(
      fc.string({ unit: 'binary', maxLength: 8 }),
      fc.constantFrom(
        '<script>',
        '</pre>',
        '"',
        "'",
        '&lt;',
        '<!--',
        ']]>',
        '`',
        '${',
        '\x1b[2J',
        '\u202e',
        '\u200b',
        '\r',
        '\n',
        'javascript:',
      ),
    ),
    { minLength: 1, maxLength: 8 },
  )
  .map((parts) => parts.join(''));

function grantWith(text: string): GrantView {
  const request = {
    kind: 'command',
    text,
    argv: [text],
    cwd: `/${text}`,
    host: text,
    user: text,
    environment: [{ name: text, value: text }],
  } as const;
  const denied = { state: 'denied', decidedAtMs: 1, decidedBy: 's_y', denyReason: text } as const;
  return { ...pendingGrant({ requesterName: text, request, reason: text, ...denied }), url: '' };
}

function fileGrantWith(path: string, text: string, danger: string | null): GrantView {
  const file = {
    verb: 'edit',
    path: `/p/src/${path}`,
    askedPath: path,
    digest: 'a'.repeat(64),
    resultDigest: null,
    bytes: 1,
    danger,
  } as const;
  const { argv: _argv, environment: _environment, ...request } = grantWith(text).request;
  return {
    ...grantWith(text),
    state: 'pending',
    request: {
      ...request,
      kind: 'file',
      cwd: '/p',
      argv: [],
      environment: [],
      files: [file, file],
    },
    scope: { operations: ['edit'], pathPrefix: `/${path}` },
  };
}

const tagNames = (text: string): string[] => [...text.matchAll(/<\/?([a-z0-9]+)/gi)].map((tag) => tag[1] ?? '');

/** The tags of a document and how often each occurs. */
const tagsOf = (text: string) =>
  [...text.matchAll(/<[^>]*>/g)]
    .map((tag) => tag[0].replace(/(aria-label|title)="[^"]*"/g, ''))
    .filter((tag) => !/^<\/?(mark|span)/.test(tag));

it('a line break in the name of a directory is shown as a sign, so that the text after it does not look like text of the page', () => {
  const { request, ...grant } = grantWith('x');
  const shown = grantCard({ ...grant, request: { ...request, cwd: '/x\nApproved by Ada' } }).text;
  expect(shown).toMatch(/in <code>\/x<span class="break">↵ <\/span>Approved by Ada<\/code>/);
});

describe('a page', () => {
  it('has the same tags for any text, and no character of the text acts as markup', () => {
    const plainCard = tagsOf(grantCard(grantWith('x')).text);
    const plainRow = tagsOf(grantRowHtml(grantWith('x')).text);
    const brief = (text: string) =>
      briefHtml({
        grant: grantWith(text),
        rights: ALL_RIGHTS,
        risk: 'unknown',
        deciding: [],
        repeats: 0,
        groupKey: null,
      }).text;
    const plainBrief = tagsOf(brief('x'));
    fc.assert(
      fc.property(hostile, (text) => {
        const [card, row] = [grantCard(grantWith(text)).text, grantRowHtml(grantWith(text)).text];
        // Only the number of fixed paragraphs in `lines` and notes may depend on the text.
        const core = (tags: string[]) => tags.filter((tag) => !/^<\/?(p|strong|div|ul|li|code)\b/.test(tag));
        expect(core(tagsOf(card))).toEqual(core(plainCard));
        expect(tagsOf(row)).toEqual(plainRow);
        expect(core(tagsOf(brief(text)))).toEqual(core(plainBrief));
        const view = {
          id: 'e',
          state: 'pending',
          name: text,
          host: text,
          user: text,
          publicKey: 'A'.repeat(43),
          code: 'ABCDEFGH',
          createdAtMs: 1,
          expiresAtMs: 2,
          twins: [{ requesterId: 's_x', name: text, host: text, user: text, sinceMs: 1 }],
        } as const;
        for (const shown of [card, row, brief(text), enrolmentCard(view).text])
          expect(shown).not.toMatch(/[\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]|(?![\t\n])\p{Cc}/u);
      }),
    );
  });

  it('keeps paths and contents of files as text, also where directories are offered to approve', () => {
    const tagsSeen = new Set<string>();
    const [shape, none] = [fileGrantWith('x', 'x', null), new Set<string>()];
    expect(grantCard(shape).text).toContain('scope-path');
    const known = new Set(tagNames(grantCard(shape).text + grantCard({ ...shape, state: 'approved' }).text));
    expect([...known]).toEqual(expect.arrayContaining(['fieldset', 'input', 'ul']));
    for (const name of ['span', 'mark']) known.add(name);
    fc.assert(
      fc.property(
        hostile,
        hostile,
        fc.constantFrom('pending', 'approved'),
        fc.constantFrom(null, 'x'),
        (path, text, state, danger) => {
          const grant = { ...fileGrantWith(path, text, danger), state } as const;
          for (const shown of [grantCard(grant).text, grantRowHtml(grant).text]) {
            for (const name of tagNames(shown)) tagsSeen.add(name);
            expect(shown).not.toMatch(/[\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]|(?![\t\n])\p{Cc}/u);
          }
        },
      ),
    );
    expect(new Set([...tagsSeen].filter((name) => !known.has(name) && name !== 'li' && name !== 'a'))).toEqual(none);
  });

  it('escapes what could end a text or an attribute', () => {
    expect(escapeHtml(`<a href="x" title='y'>&`)).toBe('&lt;a href=&quot;x&quot; title=&#39;y&#39;&gt;&amp;');
    expect(html`<p title="${'"><script>'}">${['<b>', html`<i>${'<'}</i>`, null, false, 3]}</p>`.text).toBe(
      '<p title="&quot;&gt;&lt;script&gt;">&lt;b&gt;<i>&lt;</i>3</p>',
    );
  });
});

/** Reads recorded screens of real agents: `seen`, from which the patterns were written, and `held-out`, which were not used for them. */
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { harnessNamed, harnessOf, readScreen } from '../../src/core/harness/harnesses.ts';
import type { ScreenReading } from '../../src/core/message/screen-reading.ts';
import { composerHasMessage } from '../../src/core/message/sent-text.ts';
import type { ScreenView } from '../../src/core/message/session-view.ts';

const folder = (name: string): URL => new URL(`../fixtures/screens/${name}/`, import.meta.url);

/** Reads the files `HARNESS.WHAT.screen` (JSON); WHAT begins with what the screen shows. */
function screensIn(name: string): readonly { harness: string; what: string; view: ScreenView }[] {
  return readdirSync(folder(name))
    .filter((file) => file.endsWith('.screen'))
    .map((file) => {
      const [harness = '', what = ''] = file.split('.');
      return { harness, what, view: JSON.parse(readFileSync(new URL(file, folder(name)), 'utf8')) as ScreenView };
    });
}

function read(name: string, view: ScreenView): ScreenReading {
  const harness = harnessNamed(name);
  if (harness === null) throw new Error(`no harness ${name}`);
  return readScreen(harness, view);
}

const seen = screensIn('seen');
const heldOut = screensIn('held-out');
const DRAFTS: Readonly<Record<string, string>> = {
  draft1: 'please RUN[touch /tmp/demo/x1] SLOW[1500]',
  draft2: 'first line\nsecond line',
  /** Typed by a person, with the cursor moved back to the first character: like a suggestion except for the colour. */
  'draft-home': 'half a tho',
  'draft-wrapped': Array.from({ length: 59 }, (_, at) => `word${at + 1}`).join(' '),
  'draft-wide': 'a\nb\n\nc with › and ❯ and > in it',
  long60: Array.from({ length: 60 }, (_, at) => `line ${String(at + 1).padStart(2, '0')} of the long prompt`).join(
    '\n',
  ),
  line900: 'one-long-line-'.repeat(64),
};

describe.each([
  ['the screens from which the patterns were written', seen],
  ['held-out screens', heldOut],
] as const)('of each harness, %s', (_title, screens) => {
  it('exist', () => {
    expect(screens.length).toBeGreaterThan(20);
  });

  it.each(screens.filter(({ what }) => /^(dialog|trust)/.test(what)))(
    '$harness $what is a dialog',
    ({ harness, view }) => {
      expect(read(harness, view).kind).toBe('dialog');
    },
  );

  it.each(screens.filter(({ what }) => /^(idle|denied|after)/.test(what)))(
    '$harness $what has an empty editor',
    ({ harness, view }) => {
      expect(read(harness, view)).toEqual({ kind: 'composer', draft: '', folded: null, isBusy: false });
    },
  );

  it.each(screens.filter(({ what }) => what.startsWith('working')))(
    '$harness $what is at work',
    ({ harness, view }) => {
      const reading = read(harness, view);
      expect(reading.kind === 'busy' || (reading.kind === 'composer' && reading.isBusy && reading.draft === '')).toBe(
        true,
      );
    },
  );

  it.each(screens.filter(({ what }) => what in DRAFTS))(
    '$harness $what has that draft and no other',
    ({ harness, what, view }) => {
      const reading = read(harness, view);
      expect(reading.kind).toBe('composer');
      if (reading.kind !== 'composer') return;
      expect(reading.draft).not.toBe('');
      expect(composerHasMessage(reading, DRAFTS[what] ?? '')).toBe(true);
      expect(composerHasMessage(reading, `${DRAFTS[what]}\nand more`)).toBe(false);
      expect(composerHasMessage(reading, `other text\n${DRAFTS[what]}`.slice(0, 30))).toBe(false);
    },
  );

  it.each(screens)(
    '$harness $what: a dialog is not read as an editor by the patterns of any other harness',
    ({ harness, view }) => {
      const isDialog = read(harness, view).kind === 'dialog';
      for (const other of ['claude-code', 'codex', 'gemini', 'qwen', 'opencode'])
        if (isDialog) expect(read(other, view).kind).not.toBe('composer');
    },
  );
});

describe('a screen', () => {
  const composer = seen.find(({ harness, what }) => harness === 'claude-code' && what === 'idle')?.view as ScreenView;

  it('without the cursor in its editor is unknown', () => {
    expect(read('claude-code', { ...composer, cursor: { row: 3, column: 1, isVisible: true } }).kind).toBe('unknown');
  });

  it('with a dialog below an editor is a dialog', () => {
    const lines = [...composer.lines.slice(0, -2), '❯ 1. Yes', '  2. No', ' Esc to cancel · Tab to amend'];
    expect(read('claude-code', { ...composer, lines }).kind).toBe('dialog');
  });

  it('with text about a dialog above an editor is not taken for a dialog', () => {
    const lines = composer.lines.map((line, row) =>
      row === 8 ? ' Do you want to proceed? ❯ 1. Yes  Esc to cancel' : line,
    );
    expect(read('claude-code', { ...composer, lines }).kind).toBe('composer');
  });

  it('that is empty is unknown', () => {
    for (const name of ['claude-code', 'codex', 'gemini', 'qwen', 'opencode', 'openclaw', 'generic'])
      expect(read(name, { ...composer, lines: composer.lines.map(() => ''), title: '' }).kind).toBe('unknown');
  });

  it.each(['openclaw', 'cline', 'kimi', 'cursor', 'goose', 'hermes', 'grok'])('of %s is unknown', (name) => {
    expect(read(name, composer).kind).toBe('unknown');
  });
});

describe('a harness', () => {
  it('is recognised by its program, also if an interpreter runs it', () => {
    expect(harnessOf(['/opt/x/claude', '--continue'])?.name).toBe('claude-code');
    expect(harnessOf(['node', '/x/bin/qwen'])?.name).toBe('qwen');
    expect(harnessOf(['/x/codex.js'])?.name).toBe('codex');
    expect(harnessOf(['bash', '-l'])).toBeNull();
    expect(harnessOf(['vim', 'x', 'claude'])).toBeNull();
  });
});

/**
 * Text as a human can judge it: control, bidirectional and invisible characters get a visible label.
 * Sources: Unicode 15 general categories; UTR #36; "Trojan Source" (CVE-2021-42574).
 */

export type SegmentKind = 'plain' | 'newline' | 'tab' | 'control' | 'bidi' | 'invisible';

/**
 * @property text  the original characters: all segments joined are the text again
 * @property label what to show in their place (`⟦ESC⟧`); the text itself where it is plain
 */
export interface Segment {
  readonly kind: SegmentKind;
  readonly text: string;
  readonly label: string;
}

const NAMES: Readonly<Record<number, string>> = {
  0: 'NUL',
  7: 'BEL',
  8: 'BS',
  9: 'TAB',
  10: 'LF',
  13: 'CR',
  27: 'ESC',
  127: 'DEL',
  160: 'NBSP',
};

const BIDI = /^[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]$/u;
/** Nothing to see, or a space that is not U+0020; the fillers of Hangul are letters by category, yet blank. */
const INVISIBLE =
  /^(?:[\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Co}\p{Cn}]|[\u115f\u1160\u2800\u3164\uffa0]|\u034f|[\u17b4\u17b5]|[\u180b-\u180f]|[\ufe00-\ufe0f]|[\u{e0100}-\u{e01ef}])$/u;
const ODD_SPACE = /^[\p{Zs}]$/u;

function kindOf(character: string): SegmentKind {
  if (character === '\n') return 'newline';
  if (character === '\t') return 'tab';
  if (/^\p{Cc}$/u.test(character)) return 'control';
  if (BIDI.test(character)) return 'bidi';
  if (INVISIBLE.test(character)) return 'invisible';
  if (character !== ' ' && ODD_SPACE.test(character)) return 'invisible';
  return 'plain';
}

function labelOf(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return `⟦${NAMES[code] ?? `U+${code.toString(16).toUpperCase().padStart(4, '0')}`}⟧`;
}

/** Printable ASCII, the common case, needs no look at each character. */
const ALL_PLAIN = /^[\x20-\x7e]*$/;

/** The text in pieces, each plain or one labelled character. */
export function visibleSegments(text: string): readonly Segment[] {
  if (text === '') return [];
  if (ALL_PLAIN.test(text)) return [{ kind: 'plain', text, label: text }];
  const segments: Segment[] = [];
  let plain = '';
  for (const character of text) {
    const kind = kindOf(character);
    if (kind === 'plain') {
      plain += character;
      continue;
    }
    if (plain !== '') segments.push({ kind: 'plain', text: plain, label: plain });
    plain = '';
    segments.push({ kind, text: character, label: labelOf(character) });
  }
  if (plain !== '') segments.push({ kind: 'plain', text: plain, label: plain });
  return segments;
}

/**
 * One line for a terminal: no control, bidirectional or invisible character is left, line feeds and tabs included.
 * A real `⟦` is labelled too, so that no text can imitate a label.
 */
export function visibleLine(text: string): string {
  if (ALL_PLAIN.test(text)) return text;
  return visibleSegments(text)
    .map((segment) => (segment.kind === 'plain' ? segment.label.replaceAll('⟦', '⟦U+27E6⟧') : segment.label))
    .join('');
}

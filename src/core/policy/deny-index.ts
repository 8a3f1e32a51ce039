/** An index of the deny rules. With the index, the check of a line tries only a few of the rules. */

import type { DenyRule } from '../scope/command-scope.ts';
import { FragmentIndex } from '../scope/fragment-index.ts';
import { DenyPatternIndex } from './deny-pattern-index.ts';
import { type CompiledDenyRule, compileDenyRule, deniesCompiled } from './deny-rule.ts';
import type { DenySubject } from './deny-subject.ts';

/** @property place the number of the rule in the order of insertion */
interface Entry {
  readonly compiled: CompiledDenyRule;
  readonly place: number;
}

export class DenyIndex {
  readonly #entries = new Map<string, Entry>();
  readonly #texts = new FragmentIndex<Entry>();
  readonly #patterns = new DenyPatternIndex<Entry>();
  /** A malformed rule forbids every line to every requester. */
  readonly #malformed = new Set<Entry>();
  #inserted = 0;

  get size(): number {
    return this.#entries.size;
  }

  /** Adds a rule as the last in the order of insertion. First removes a rule with the same id. */
  insert(rule: DenyRule): void {
    this.remove(rule.id);
    this.#inserted += 1;
    const entry: Entry = { compiled: compileDenyRule(rule), place: this.#inserted };
    this.#entries.set(rule.id, entry);
    const { isMalformed, text } = entry.compiled;
    if (isMalformed) this.#malformed.add(entry);
    else if (text !== null) this.#texts.insert(text, entry);
    else if (rule.pattern !== null) this.#patterns.change('add', rule.pattern, entry);
  }

  /** Returns false if the index has no rule with this id. */
  remove(ruleId: string): boolean {
    const entry = this.#entries.get(ruleId);
    if (entry === undefined) return false;
    this.#entries.delete(ruleId);
    const { isMalformed, text, rule } = entry.compiled;
    if (isMalformed) this.#malformed.delete(entry);
    else if (text !== null) this.#texts.remove(entry);
    else if (rule.pattern !== null) this.#patterns.change('remove', rule.pattern, entry);
    return true;
  }

  /** Returns the first rule, in the order of insertion, that forbids the line to this requester; null: no rule forbids the line. */
  firstDenial(requesterId: string, subject: DenySubject): DenyRule | null {
    if (this.#entries.size === 0) return null;
    const found = new Set<Entry>(this.#malformed);
    this.#texts.find(found, subject.texts);
    this.#patterns.find(found, subject);
    const inOrder = [...found].sort((a, b) => a.place - b.place);
    return inOrder.find(({ compiled }) => deniesCompiled(compiled, requesterId, subject))?.compiled.rule ?? null;
  }
}

/**
 * `curl --output-dir D -o F` writes D/F, also if F begins with a slash. In the rule file, the option that names the directory
 * (`--output-dir`) has `directory = "outputs"`.
 */
import { because, type Reason } from '../reasons/reason.ts';
import type { OptionUse } from './read-arguments.ts';

/** The canonical name of the option whose value is joined to the directory. */
const OUTPUT = '--output';

/**
 * Returns all uses, but puts the directory before the value of each `--output`. Returns a reason if the directory or the value is empty, or
 * is not known before the line runs.
 */
export function withJoinedOutputs(uses: readonly OptionUse[]): readonly OptionUse[] | Reason {
  const directory = uses.find(({ rule }) => rule.directory === 'outputs')?.value ?? null;
  if (directory === null) return uses;
  const joined: OptionUse[] = [];
  for (const use of uses) {
    const { rule, value } = use;
    if (rule.canonical !== OUTPUT) {
      joined.push(use);
      continue;
    }
    if (directory.kind !== 'literal' || directory.value === '' || value?.kind !== 'literal' || value.value === '')
      return because('output-unclear', value?.source ?? directory.source);
    joined.push({ ...use, value: { ...value, value: `${directory.value}/${value.value}` } });
  }
  return joined;
}

/**
 * Computes the permission of a simple command: what the command would do, to which resources, at which risk. If the effects are in
 * doubt, the command is opaque and has a reason.
 */

import type { SimpleCommand, Word } from '../reading/reading.ts';
import { because, isReason, type Reason } from '../reasons/reason.ts';
import type { ToolRule } from '../rules/rule.ts';
import { sensitivityOf } from '../sensitive/sensitive-paths.ts';
import { addedRepositories, REPOSITORY_SENTENCE } from './added-repositories.ts';
import type { CommandContext } from './command-context.ts';
import { deletedParents } from './deleted-parents.ts';
import { HOOK_SENTENCE, hookEffects, localRemotes } from './git-hooks.ts';
import { recordsElsewhere, repositoryRead } from './git-records.ts';
import { effectsOfRemoteSettings } from './git-remote-settings.ts';
import { trackingEffects } from './git-settings.ts';
import { linkedSources } from './hard-links.ts';
import { loginSentences } from './login-sentence.ts';
import { type Draft, type Meaning, NOTHING, resourcesOf } from './meaning.ts';
import { missingParents } from './missing-parents.ts';
import { namedSecrets } from './named-secrets.ts';
import { behindOwnLinks } from './own-links.ts';
import { packedNames } from './packed-names.ts';
import { directoriesListedByShell } from './paths-read-by-shell.ts';
import { higherRisk, type Permission, type Resource, type Risk } from './permission.ts';
import { draftOfProgram, toolNameOf } from './program-name.ts';
import { meaningsAround } from './surroundings-of-command.ts';
import { formOf } from './tool-form.ts';
import { treeEffects } from './tree-effects.ts';
import { type UnderstoodCall, understand } from './understood-call.ts';

/**
 * @property repository the top of the repository whose settings git reads. If git runs outside of repositories: the directory in which git
 *                      runs. Null: not known, or the command is not git
 */
export type CommandEffects =
  | { readonly kind: 'understood'; readonly permission: Permission; readonly repository: string | null }
  | ({ readonly kind: 'opaque' } & Reason);

/**
 * What the shell itself does, without a program.
 * @property reads     what the words of a builtin or a `for` loop make the shell read: directories that it lists, files that it checks
 * @property sentences sentences for the approver; `effectsOfSimple` ignores them if the command has words
 */
export interface DoneByShell {
  readonly reads: Meaning;
  readonly sentences: readonly string[];
}

/**
 * Returns what the command would do, or the reason why that is not known.
 * @param shell what the shell itself does. The caller gives `shell` only if `command.words` is empty. For a builtin, the caller first
 *              removes the builtin's words from `command`
 */
export function effectsOfSimple(
  command: SimpleCommand,
  context: CommandContext,
  shell: DoneByShell = { reads: NOTHING, sentences: [] },
): CommandEffects {
  const around = [...meaningsAround(command, context), shell.reads];
  const [name, ...words] = command.words;
  if (name === undefined)
    return conclude(
      { tool: 'shell', operation: 'shell', options: [], risk: 'low', sentences: shell.sentences },
      around,
      context.home,
    );
  const found = toolNameOf(name, context);
  if (found.kind === 'opaque') return found;
  if (found.kind === 'program')
    return conclude(draftOfProgram(found.path), [...around, { resources: [found.path] }], context.home);
  const rule = context.rules.find(found.tool);
  if (rule === null) return opaque(because('tool-without-rules', found.tool));
  return effectsOfTool(rule, words, around, context);
}

const opaque = (reason: Reason): CommandEffects => ({ kind: 'opaque', ...reason });

function effectsOfTool(
  rule: ToolRule,
  words: readonly Word[],
  around: readonly Meaning[],
  context: CommandContext,
): CommandEffects {
  const form = formOf(rule, words, context);
  if (isReason(form)) return opaque(form);
  const call = understand(form);
  if (isReason(call)) return opaque(call);
  const { resources, sentences } = furtherEffects(call);
  const draft = { ...call, sentences: [...call.sentences, ...sentences, ...loginSentences(rule, call.resources)] };
  const listed = directoriesListedByShell(words, resourcesOf([...around, ...call.meanings]), context);
  const meanings = [...around, ...call.meanings, { resources }, namedSecrets(call), listed];
  const found = conclude(draft, meanings, context.home);
  return found.kind === 'opaque' ? found : { ...found, repository: repositoryRead(rule.tool, call.context) };
}

/** What a tool does to resources that its words do not name. Each function returns an empty list for the calls of other tools. */
const FURTHER: readonly ((call: UnderstoodCall) => readonly Resource[])[] = [
  treeEffects,
  behindOwnLinks,
  recordsElsewhere,
  trackingEffects,
  effectsOfRemoteSettings,
  linkedSources,
  packedNames,
  missingParents,
  deletedParents,
];

/** Returns what a call does to resources that its words do not name, and the sentences for the approver about some of these effects. */
function furtherEffects(call: UnderstoodCall): Pick<Draft, 'sentences'> & Pick<Meaning, 'resources'> {
  const hooked = [...hookEffects(call), ...localRemotes(call)];
  const added = addedRepositories(call);
  return {
    resources: [...hooked, ...added, ...FURTHER.flatMap((effectsOf) => effectsOf(call))],
    sentences: [...(hooked.length === 0 ? [] : [HOOK_SENTENCE]), ...(added.length === 0 ? [] : [REPOSITORY_SENTENCE])],
  };
}

/**
 * The lowest risk that a command with this resource can have: medium if the access changes a file or is `contact`. The rule file can only
 * raise the risk.
 */
const leastRisk = ({ kind, access }: Resource): Risk =>
  access === 'contact' || (kind === 'path' && (access === 'write' || access === 'delete')) ? 'medium' : 'low';

/**
 * Combines all meanings into the permission of the command. If a meaning is opaque, returns the reason of the first opaque meaning.
 * @param home the user's home directory; null: not known
 */
function conclude(draft: Draft, meanings: readonly Meaning[], home: string | null): CommandEffects {
  let risk = draft.risk;
  const further = new Set<string>();
  const resources = new Map<string, Resource>();
  for (const meaning of meanings) {
    if (meaning.opaque !== undefined) return opaque(meaning.opaque);
    if (meaning.risk !== undefined) risk = higherRisk(risk, meaning.risk);
    if (meaning.does !== undefined) further.add(meaning.does);
    for (const resource of meaning.resources) {
      resources.set(`${resource.kind}\0${resource.access}\0${resource.isExact ? 1 : 0}\0${resource.value}`, resource);
      risk = higherRisk(risk, leastRisk(resource));
      const sensitive = sensitivityOf(resource, home);
      if (sensitive === null) continue;
      risk = higherRisk(risk, sensitive.risk);
      further.add(sensitive.does);
    }
  }
  const { tool, operation, options } = draft;
  const sentence = [...new Set([...draft.sentences, ...[...further].sort()])].join(' ');
  const ordered = [...resources].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)).map(([, resource]) => resource);
  return {
    kind: 'understood',
    permission: { tool, operation, options, resources: ordered, risk, sentence },
    repository: null,
  };
}

/**
 * As which account a tool acts. The approver reads this sentence. Only the tool itself finds the file with the login,
 * so no pattern of a scope has to cover that file.
 */

import type { ToolRule } from '../rules/rule.ts';
import type { Permission, Resource } from './permission.ts';

/** None where the command logs in nowhere. */
export function loginSentences(
  { login, readsLoginAtStart }: ToolRule,
  resources: readonly Resource[],
): readonly string[] {
  if (login === null) return [];
  if (resources.some(({ access }) => access === 'contact')) return [`Logs in with ${login}.`];
  return readsLoginAtStart ? [`Reads its login in ${login}.`] : [];
}

/** Tools that stop where they cannot read the file, with the `login` of their rules. */
const STOPS_WITHOUT: ReadonlyMap<string, string> = new Map([
  ['kubectl', '~/.kube/config'],
  ['helm', '~/.kube/config'],
  ['gcloud', '~/.config/gcloud/'],
]);

/** The file that a command on this host cannot do without. */
export const loginsNamed = ({ tool, operation }: Permission): readonly string[] => {
  const file = operation === tool || operation.startsWith(`${tool} `) ? STOPS_WITHOUT.get(tool) : undefined;
  return file === undefined ? [] : [file];
};

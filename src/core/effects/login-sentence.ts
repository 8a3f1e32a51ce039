/**
 * Sentences for the approver about the login with which a tool acts. The command does not name the file with the login: the tool finds
 * this file by itself. So the file is not among the resources of the command, and no scope has to cover the file.
 */

import type { ToolRule } from '../rules/rule.ts';
import type { Permission, Resource } from './permission.ts';

/** Returns an empty list if the command neither logs in nor reads its login at its start. */
export function loginSentences(
  { login, readsLoginAtStart }: ToolRule,
  resources: readonly Resource[],
): readonly string[] {
  if (login === null) return [];
  if (resources.some(({ access }) => access === 'contact')) return [`Logs in with ${login}.`];
  return readsLoginAtStart ? [`Reads its login in ${login}.`] : [];
}

/** Tools that fail if they cannot read their login. The value is the file or directory that contains the login. */
const STOPS_WITHOUT: ReadonlyMap<string, string> = new Map([
  ['kubectl', '~/.kube/config'],
  ['helm', '~/.kube/config'],
  ['gcloud', '~/.config/gcloud/'],
]);

/**
 * Returns the path (`~/…`) of the login, if the command fails without the login. Returns an empty list for every other tool, and for a
 * command that a wrapper runs elsewhere or as another user.
 */
export const neededLoginFiles = ({ tool, operation }: Permission): readonly string[] => {
  const file = operation === tool || operation.startsWith(`${tool} `) ? STOPS_WITHOUT.get(tool) : undefined;
  return file === undefined ? [] : [file];
};

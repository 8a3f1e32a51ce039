/** Whom a tool acts as: the approver reads it, and the tool alone finds the file, so that no pattern has to reach it. */
import type { Permission, Resource } from './permission.ts';
import type { ToolRule } from './rule.ts';

const IN_CONTACT = 'Logs in with ';
const AT_START = 'Reads its login in ';

/** None where the command acts as nobody. */
export function loginSentences(
  { login, readsLoginAtStart }: ToolRule,
  resources: readonly Resource[],
): readonly string[] {
  if (login === null) return [];
  if (resources.some(({ access }) => access === 'contact')) return [`${IN_CONTACT}${login}.`];
  return readsLoginAtStart ? [`${AT_START}${login}.`] : [];
}

const LOGIN = new RegExp(`(?:${IN_CONTACT}|${AT_START})(~/\\S+)\\.(?=\\s|$)`, 'g');

/** The files, as the sentences of a command on this host name them: `~/.kube/config`. */
export const loginsNamed = ({ tool, operation, sentence }: Permission): readonly string[] =>
  operation === tool || operation.startsWith(`${tool} `)
    ? [...sentence.matchAll(LOGIN)].flatMap(([, file]) => file ?? [])
    : [];

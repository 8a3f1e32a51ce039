/**
 * Finds two directories of Claude Code: one for the output of background commands, and one for results that are too long for the model.
 * Claude Code 2.1.330 and 2.1.331 use these directories.
 */
import { dirname, join } from 'node:path';
import type { OwnOutput } from '../../gate/file-operation.ts';
import { type JsonObject, textIn } from '../tool-call.ts';

const PLAIN = /^[A-Za-z0-9_-]+$/;

/**
 * Derives the directories from the event and the environment. Returns an empty list in two cases:
 * - The path of the transcript does not have the form `/…/projects/PROJECT/SESSION.jsonl`.
 * - The id of the session is empty, or has characters other than letters, digits, `_` and `-`.
 * @param variable returns the value of a variable in the hook's environment
 */
export function ownOutputOfClaudeCode(
  event: JsonObject,
  variable: (name: string) => string | undefined,
): readonly OwnOutput[] {
  const session = textIn(event, 'session_id') ?? '';
  const transcript = textIn(event, 'transcript_path') ?? '';
  const found = /^(\/.+\/projects)\/([A-Za-z0-9_-]+)\/[A-Za-z0-9_-]+\.jsonl$/.exec(transcript);
  const [, projects, project] = found ?? [];
  if (!PLAIN.test(session) || projects === undefined || project === undefined) return [];
  const temporary = join(
    variable('CLAUDE_CODE_TMPDIR') || variable('TMPDIR') || '/tmp',
    `claude-${process.getuid?.()}`,
  );
  return [
    { directory: join(temporary, project, session, 'tasks'), ownedFrom: temporary },
    { directory: join(projects, project, session, 'tool-results'), ownedFrom: dirname(projects) },
  ];
}

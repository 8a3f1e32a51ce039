/** Takes a setting out again that we set, and only while it still says what we said. */
import type { Failure } from '../core/failure.ts';
import { type Path, removeMember, valueAt } from '../core/jsonc-edit.ts';
import { failed, type Result, success } from '../core/result.ts';
import { brokenFile } from './hook-file.ts';

export function removeOwnMember(path: string, text: string, member: Path, own: unknown): Result<string, Failure> {
  const value = valueAt(text, member);
  if (!value.ok) return failed(brokenFile(path, value.failure));
  if (value.value !== own) return success(text);
  const removed = removeMember(text, member);
  return removed.ok ? removed : failed(brokenFile(path, removed.failure));
}

/** Takes back one of our settings, if it still has the value that we wrote. */
import type { Failure } from '../core/failure.ts';
import { failed, type Result, success } from '../core/result.ts';
import { type Path, removeMember, setMember, valueAt } from '../core/text/jsonc-edit.ts';
import { brokenFile } from './hook-file.ts';

/**
 * Returns the text without our value. If the member has another value now, returns `text` unchanged. Fails if the text cannot be edited.
 * @param path     only for the message of a failure: this function reads and writes no file
 * @param own      the value that we wrote: a text, a number or a boolean
 * @param original the text before the installation; null: not known. The member gets back the value that it has in this text. If this text
 *                 has no value for the member, the member is removed
 */
export function takeBackMember(
  path: string,
  text: string,
  member: Path,
  own: unknown,
  original: string | null,
): Result<string, Failure> {
  const value = valueAt(text, member);
  if (!value.ok) return failed(brokenFile(path, value.failure));
  if (value.value !== own) return success(text);
  const before = original === null ? null : valueAt(original, member);
  const isKnown = before?.ok === true && before.value !== undefined;
  const changed = isKnown ? setMember(text, member, before.value) : removeMember(text, member);
  return changed.ok ? changed : failed(brokenFile(path, changed.failure));
}

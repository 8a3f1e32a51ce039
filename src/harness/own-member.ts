/** Takes a setting out again that we set, and only while it still says what we said. */
import type { Failure } from '../core/failure.ts';
import { failed, type Result, success } from '../core/result.ts';
import { type Path, removeMember, setMember, valueAt } from '../core/text/jsonc-edit.ts';
import { brokenFile } from './hook-file.ts';

/** @param original the text before us, where it is known: what the member said there comes back */
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

/** Describes a settings file in TOML that has our lines between two marks. */
import type { Failure } from '../core/failure.ts';
import { failed, success } from '../core/result.ts';
import type { ReadToml } from '../platform/toml.ts';
import { brokenFile, type HookFile } from './hook-file.ts';

/**
 * @property without  returns the text of the file without our lines
 * @property withOurs adds our lines to a text that does not have them
 * @property clash    the failure for a file that is valid TOML without our lines, but is not valid with our lines
 */
interface TomlBlocks {
  readonly path: string;
  readonly without: (text: string) => string;
  readonly withOurs: (clean: string) => string;
  readonly clash: Failure;
}

export const tomlBlockFile = (
  { path, without, withOurs, clash }: TomlBlocks,
  readToml: ReadToml,
): Pick<HookFile, 'path' | 'strip' | 'apply'> => ({
  path,
  strip: (text) => success(without(text)),
  apply: (text) => {
    const clean = without(text ?? '');
    const before = readToml(clean);
    if (!before.ok) return failed(brokenFile(path, before.failure));
    const now = withOurs(clean);
    return readToml(now).ok ? success(now) : failed(clash);
  },
});

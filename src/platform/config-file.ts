/** Reads `config.toml`. */
import { type Failure, failure } from '../core/failure.ts';
import { failed, type Result } from '../core/result.ts';
import { readSettings, type Settings } from '../core/settings.ts';
import { readPrivateFile } from './private-files.ts';
import { loadTomlReader } from './toml.ts';

/**
 * Reads the settings of this installation. An environment variable overrides the value in the file. Without the file, the defaults apply. A
 * failure (exit status 78) names the file or the variable. For broken TOML, the failure also names the line if the line is known.
 */
export async function loadSettings(
  configFile: string,
  environment: ReadonlyMap<string, Buffer>,
): Promise<Result<Settings, Failure>> {
  const variable = (name: string): string | undefined => environment.get(name)?.toString('utf8');
  const file = readPrivateFile(configFile);
  if (!file.ok) return file;
  if (file.value === null) return readSettings({}, configFile, variable);
  const table = await parse(file.value, configFile);
  return table.ok ? readSettings(table.value, configFile, variable) : table;
}

async function parse(text: string, configFile: string): Promise<Result<Record<string, unknown>, Failure>> {
  const read = (await loadTomlReader())(text);
  if (read.ok) return read;
  const { line, message } = read.failure;
  const place = line === 0 ? '' : ` line ${line}`;
  return failed(
    failure('configuration', `${configFile}${place}: ${message}`, 'correct it, or move the file away for the defaults'),
  );
}

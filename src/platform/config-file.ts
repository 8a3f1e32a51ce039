/** `config.toml`, read once. The parser is loaded only when there is a file. */
import { type Failure, failure } from '../core/failure.ts';
import { failed, type Result, success } from '../core/result.ts';
import { readSettings, type Settings } from '../core/settings.ts';
import { readPrivateFile } from './private-files.ts';
import { loadTomlParser } from './toml-parser.ts';

/** The settings of this installation. Failures (78) name the file, the line where TOML is broken, or the variable. */
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
  const parseToml = await loadTomlParser();
  try {
    return success(parseToml(text));
  } catch (error) {
    const line = error instanceof Error && 'line' in error ? ` line ${String(error.line)}` : '';
    const what =
      error instanceof Error
        ? (error.message.split('\n')[0] ?? '').replace(/^Invalid TOML document: /, '')
        : 'not TOML';
    return failed(
      failure('configuration', `${configFile}${line}: ${what}`, 'correct it, or move the file away for the defaults'),
    );
  }
}

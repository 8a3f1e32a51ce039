/** Reads TOML, and returns an error as a value. */
import type { Fault } from '../core/fault.ts';
import { failed, type Result, success } from '../core/result.ts';
import { loadTomlParser } from './toml-parser.ts';

/** `line` and `column` count from 1; 0 means that the parser did not give the number. */
interface TomlFault extends Fault {
  readonly line: number;
  readonly column: number;
}

export type ReadToml = (text: string) => Result<Record<string, unknown>, TomlFault>;

export async function loadTomlReader(): Promise<ReadToml> {
  const parse = await loadTomlParser();
  return (text) => {
    try {
      return success(parse(text));
    } catch (error) {
      return failed(faultOf(error));
    }
  };
}

function faultOf(error: unknown): TomlFault {
  if (!(error instanceof Error)) return { message: 'not TOML', line: 0, column: 0 };
  const place = (name: string): number => Number((error as unknown as Record<string, unknown>)[name] ?? 0);
  const message = (error.message.split('\n')[0] ?? '').replace(/^Invalid TOML document: /, '');
  return { message, line: place('line'), column: place('column') };
}

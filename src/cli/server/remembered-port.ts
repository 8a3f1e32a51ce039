/** Remembers the port and the public URL of the last start, so that the enrolled URL stays valid after a restart. */
import { join } from 'node:path';
import type { Installation } from '../../platform/installation.ts';
import { readPrivateFile, writePrivateFile } from '../../platform/private-files.ts';

/** @property configured the port in the settings at the last start. If the settings now have another port, `port` is ignored */
interface Kept {
  readonly port: number;
  readonly configured: number;
  /** The last value of `--public-url`. */
  readonly publicUrl?: string;
}

const keptPath = (installation: Installation): string => join(installation.paths.state, 'port.json');

/**
 * Returns the port with which to start the server. The first case that fits counts:
 * - `wanted` is not null: `wanted`
 * - the port in the settings is the same as at the last start: the remembered port
 * - all other cases: the port in the settings
 * @param wanted from the command line, or null
 */
export function portToUse(installation: Installation, wanted: number | null): number {
  if (wanted !== null) return wanted;
  const configured = installation.settings.serve.port;
  const kept = readKept(installation);
  return kept !== null && kept.configured === configured ? kept.port : configured;
}

/**
 * Returns the `--public-url` with which to start the server; null: start it without this option. The first case that fits counts:
 * - `wanted` is a URL: this URL
 * - `wanted` is `none`: null
 * - the settings have a public URL: null
 * - all other cases: the remembered URL; null if no URL is remembered
 * @param wanted from the command line, or null
 */
export function publicUrlToUse(installation: Installation, wanted: string | null): string | null {
  if (wanted !== null) return wanted === 'none' ? null : wanted;
  if (installation.settings.serve.publicUrl !== null) return null;
  const kept = readKept(installation)?.publicUrl;
  return typeof kept === 'string' ? kept : null;
}

/**
 * Remembers the port and the public URL for the next start. A failed write is ignored: the next start possibly has another URL, and
 * `apes up` writes that new URL into the enrolment.
 * @param publicUrl null: forget the remembered URL
 */
export function keepPort(installation: Installation, port: number, publicUrl: string | null): void {
  const kept: Kept = {
    port,
    configured: installation.settings.serve.port,
    ...(publicUrl === null ? {} : { publicUrl }),
  };
  writePrivateFile(keptPath(installation), `${JSON.stringify(kept)}\n`);
}

function readKept(installation: Installation): Kept | null {
  const text = readPrivateFile(keptPath(installation));
  if (!text.ok || text.value === null) return null;
  try {
    const kept = JSON.parse(text.value) as Partial<Kept>;
    const isPort = typeof kept.port === 'number' && Number.isInteger(kept.port) && kept.port > 0 && kept.port < 65_536;
    return isPort && typeof kept.configured === 'number' ? (kept as Kept) : null;
  } catch {
    return null;
  }
}

/** Finds MCP servers that a project names. A harness starts such a server by itself, without calling a hook. */
import { dirname, join } from 'node:path';
import { foundObject } from './found-files.ts';
import type { HookPlaces } from './hook-file.ts';
import { isObject } from './tool-call.ts';

/**
 * Returns one line for each file that names servers, in the project and in the directories above it, except the home directory.
 * @param names paths, relative to a project, of the files from which a harness reads servers
 */
export const serversOfProject = (places: HookPlaces, ...names: readonly string[]): readonly string[] =>
  projectFolders(places)
    .flatMap((folder) => names.map((name) => join(folder, name)))
    .flatMap((file) => {
      const servers = serversIn(file);
      return servers.length === 0 ? [] : [serversLine(file, servers)];
    });

export const serversLine = (file: string, servers: readonly string[]): string =>
  `${file}: MCP servers of the project start with the harness, ungated: ${servers.join(', ')}`;

/** Returns the project, and then the directories above it, the nearest first. Leaves out the home directory, because its files are the user's. */
export function projectFolders({ project, home }: HookPlaces): readonly string[] {
  const found: string[] = [];
  for (let at = project; ; at = dirname(at)) {
    if (at !== home) found.push(at);
    if (at === dirname(at)) return found;
  }
}

function serversIn(file: string): readonly string[] {
  const servers = foundObject(file)?.['mcpServers'];
  return isObject(servers) ? Object.keys(servers) : [];
}

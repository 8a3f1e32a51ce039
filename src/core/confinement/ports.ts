/** Which TCP ports a command needs for what it contacts, as far as the reading tells. */
import type { Permission, Resource } from '../permission/permission.ts';

export type Ports = 'any' | readonly number[];

const OF_SCHEME: Readonly<Record<string, readonly number[]>> = {
  // Many servers send a plain request on to the encrypted one.
  http: [80, 443],
  https: [443],
  ws: [80],
  wss: [443],
  ssh: [22],
  git: [9418],
};

/** A host that is named without a port is asked where the tool asks by itself. */
const OF_TOOL: Readonly<Record<string, readonly number[]>> = {
  ssh: [22],
  scp: [22],
  rsync: [22],
  git: [22],
  gh: [443],
  dig: [53],
  host: [53],
  nslookup: [53],
  ping: [],
};

/** Kinds that are somewhere else, which the reading does not name: a registry, a server of containers, a database. */
const ELSEWHERE: ReadonlySet<string> = new Set(['remote', 'container', 'database']);

export function portsOf({ tool }: Pick<Permission, 'tool'>, resource: Resource): Ports {
  const { kind, access, value } = resource;
  if (kind === 'url') return portsOfUrl(resource);
  if (kind === 'host') return portsOfHost(value, tool);
  if (ELSEWHERE.has(kind)) return 'any';
  return kind === 'package' && access !== 'read' ? 'any' : [];
}

function portsOfUrl({ value, isExact }: Resource): Ports {
  const [, scheme = '', authority = '', rest = ''] = /^([a-z][a-z0-9+.-]*):\/\/([^/?#]*)(.*)$/s.exec(value) ?? [];
  const isWhole = isExact || rest !== '';
  if (scheme === '' || authority === '' || !isWhole) return 'any';
  const port = /:(\d{1,5})$/.exec(authority)?.[1];
  if (port !== undefined) return portOf(port);
  return (Object.hasOwn(OF_SCHEME, scheme) ? OF_SCHEME[scheme] : undefined) ?? 'any';
}

function portsOfHost(value: string, tool: string): Ports {
  const port = /:(\d{1,5})$/.exec(value)?.[1];
  if (port !== undefined) return portOf(port);
  return (Object.hasOwn(OF_TOOL, tool) ? OF_TOOL[tool] : undefined) ?? 'any';
}

const portOf = (text: string): Ports => {
  const port = Number(text);
  return port >= 1 && port <= 65_535 ? [port] : 'any';
};

export const unitedPorts = (all: readonly Ports[]): Ports => {
  const ports = new Set<number>();
  for (const each of all) {
    if (each === 'any') return 'any';
    for (const port of each) ports.add(port);
  }
  return [...ports].sort((a, b) => a - b);
};

/** Finds the TCP ports that a command needs to contact its resources. */
import type { Resource } from '../effects/permission.ts';

/** `any`: the resources do not determine the port. An empty list: no TCP port is needed. */
export type Ports = 'any' | readonly number[];

const OF_SCHEME: Readonly<Record<string, readonly number[]>> = {
  // Many servers redirect http to https.
  http: [80, 443],
  https: [443],
  ws: [80],
  wss: [443],
  ssh: [22],
  git: [9418],
};

/** The ports to which a tool connects if the line names a host without a port. */
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

/** Kinds of resources whose address is not in the line. */
const ELSEWHERE: ReadonlySet<string> = new Set(['remote', 'container', 'database']);

/**
 * @param tools the command's tool, then the command's wrappers. If a host has no port, the first tool that `OF_TOOL` contains determines
 *              the port
 */
export function portsOf(tools: readonly string[], resource: Resource): Ports {
  const { kind, access, value } = resource;
  if (kind === 'url') return portsOfUrl(resource);
  if (kind === 'host') return portsOfHost(value, tools);
  if (ELSEWHERE.has(kind) || (kind === 'service' && access === 'contact')) return 'any';
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

function portsOfHost(value: string, tools: readonly string[]): Ports {
  const port = /^(?:\[[^\]]*\]|[^:]*):(\d{1,5})$/.exec(value)?.[1]; // the last group of `::1` is no port
  if (port !== undefined) return portOf(port);
  const tool = tools.find((name) => Object.hasOwn(OF_TOOL, name));
  return (tool === undefined ? undefined : OF_TOOL[tool]) ?? 'any';
}

const portOf = (text: string): Ports => {
  const port = Number(text);
  return port >= 1 && port <= 65_535 ? [port] : 'any';
};

/** Returns the union of the lists, in ascending order; `any` if one list is `any`. */
export const unitedPorts = (all: readonly Ports[]): Ports => {
  const united = new Set<number>();
  for (const ports of all) {
    if (ports === 'any') return 'any';
    for (const port of ports) united.add(port);
  }
  return [...united].sort((a, b) => a - b);
};

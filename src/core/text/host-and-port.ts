/** Reads `HOST:PORT`. HOST is a name, an IPv4 address, or an IPv6 address in brackets. */

export const MAX_PORT = 65_535;

export interface HostAndPort {
  readonly host: string;
  readonly port: number;
}

/**
 * Returns null if the text is not `HOST:PORT`. The returned host has no brackets.
 * @param leastPort 0 if the system may choose the port; else 1
 */
export function readHostAndPort(text: string, leastPort: 0 | 1): HostAndPort | null {
  const [, bracketed, plain, digits] = /^(?:\[([0-9a-fA-F:.]+)\]|([^\s/:[\]]+)):(\d{1,5})$/.exec(text) ?? [];
  const host = bracketed ?? plain;
  return host !== undefined && isPort(digits, leastPort) ? { host, port: Number(digits) } : null;
}

/** Whether the digits are a port. True for undefined: a URL without a port has the default port of its protocol. */
export const isPort = (digits: string | undefined, least: 0 | 1): boolean =>
  digits === undefined || (Number(digits) >= least && Number(digits) <= MAX_PORT);

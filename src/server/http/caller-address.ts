/** Finds the address of a caller. Each address has a budget of calls that have no credential. The address never decides about access. */
import { isIP } from 'node:net';
import type { FastifyRequest } from 'fastify';

/**
 * Returns the caller's IPv4 address, or the /64 network of the caller's IPv6 address. If `publicUrl` is https and the connection comes from
 * this machine, a proxy terminates TLS. The proxy has written the last address of `X-Forwarded-For`, and this address counts. In all other
 * cases the header is ignored: a caller could write a new address into the header for each call, and get a new budget each time.
 */
export function callerAddress({ ip, headers }: Pick<FastifyRequest, 'ip' | 'headers'>, publicUrl: string): string {
  const forwarded = headers['x-forwarded-for'];
  const last = (Array.isArray(forwarded) ? forwarded.at(-1) : forwarded)?.split(',').at(-1)?.trim() ?? '';
  const isProxied = publicUrl.startsWith('https:') && /^(?:::ffff:)?127\.|^::1$/.test(ip) && isIP(last) !== 0;
  return networkOf(isProxied ? last : ip);
}

/** Returns the /64 network of an IPv6 address, because one caller usually has the whole network. Returns an IPv4 address as it is. */
function networkOf(address: string): string {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '');
  if (isIP(plain) !== 6) return plain;
  const [head = '', tail] = plain.toLowerCase().split('::');
  const first = head === '' ? [] : head.split(':');
  const last = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros =
    tail === undefined ? [] : Array.from({ length: Math.max(0, 8 - first.length - last.length) }, () => '0');
  const groups = [...first, ...zeros, ...last].slice(0, 4);
  return `${groups.map((group) => Number.parseInt(group, 16).toString(16)).join(':')}::/64`;
}

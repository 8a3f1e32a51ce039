/** Whose budget a call without a credential is on. It decides about budgets alone, never about access. */
import { isIP } from 'node:net';
import type { FastifyRequest } from 'fastify';

/**
 * Behind a proxy that ends TLS (it connects from this machine), the address that the proxy saw: the last of
 * `X-Forwarded-For`. One that is not checked would be a new budget for each call, so elsewhere the header counts for nothing.
 */
export function callerAddress({ ip, headers }: Pick<FastifyRequest, 'ip' | 'headers'>, publicUrl: string): string {
  const forwarded = headers['x-forwarded-for'];
  const last = (Array.isArray(forwarded) ? forwarded.at(-1) : forwarded)?.split(',').at(-1)?.trim() ?? '';
  const isProxied = publicUrl.startsWith('https:') && /^(?:::ffff:)?127\.|^::1$/.test(ip) && isIP(last) !== 0;
  return networkOf(isProxied ? last : ip);
}

/** The owner of one IPv6 address usually has 2^64 of them. */
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

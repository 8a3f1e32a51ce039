/**
 * Decides to which addresses the server may send notifications. An address that an approver enters must not make the server call hosts
 * in the server's own network.
 */

import { lookup as resolve } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import { type Fault, fault } from '../../core/fault.ts';

/** Special-purpose addresses from IANA's registry, multicast (224.0.0.0/4) and reserved addresses (240.0.0.0/4). */
const NOT_PUBLIC_V4 = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
] as const;
/** The parts of 2000::/3 that are not public. Addresses in 2002::/16 and 2001::/32 contain IPv4 addresses, which may be private. */
const NOT_PUBLIC_V6 = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
] as const;

const notPublic = new BlockList();
for (const [net, bits] of NOT_PUBLIC_V4) notPublic.addSubnet(net, bits, 'ipv4');
for (const [net, bits] of NOT_PUBLIC_V6) notPublic.addSubnet(net, bits, 'ipv6');
/** No IPv6 address outside of this range is public. */
const publicV6 = new BlockList();
publicV6.addSubnet('2000::', 3, 'ipv6');

function isPublicAddress(address: string): boolean {
  const family = isIP(address);
  if (family === 4) return !notPublic.check(address, 'ipv4');
  return family === 6 && publicV6.check(address, 'ipv6') && !notPublic.check(address, 'ipv6');
}

/**
 * Returns what is wrong with an address that a person entered; null: nothing is wrong. Does not look a host name up: `publicLookup` checks
 * the addresses of the name when a notification is sent.
 * @param allowed `host:port` or `[IPv6]:port` of each address that the owner of the server allows. Such an address may be private or
 *                without TLS. Each entry must have the form that `URL` gives hosts: in lower case, and IPv6 in its shortest form
 */
export function destinationFault(text: string, allowed: readonly string[]): Fault | null {
  const url = parseUrl(text);
  if (url === null) return fault('this is not a valid URL; write https://…');
  if (url.username !== '' || url.password !== '') return fault('the address must not contain a user or a password');
  if (isAllowed(url, allowed)) return null;
  if (url.protocol !== 'https:') return fault('the address must begin with https://');
  const host = bareHost(url);
  if (isIP(host) !== 0 && !isPublicAddress(host))
    return fault('the address is a private one; the owner of the server can allow it (serve.notification_hosts)');
  return null;
}

/** Returns null if the text is not an http or https URL. */
export function parseUrl(text: string): URL | null {
  const url = URL.canParse(text) ? new URL(text) : null;
  return url !== null && (url.protocol === 'https:' || url.protocol === 'http:') ? url : null;
}

/**
 * Whether the owner of the server allows this address, even if it is private or without TLS.
 * @param allowed as for `destinationFault`
 */
export const isAllowed = (url: URL, allowed: readonly string[]): boolean =>
  allowed.includes(`${url.hostname}:${url.port === '' ? (url.protocol === 'https:' ? '443' : '80') : url.port}`);

/** Returns the host without the brackets of IPv6. */
export const bareHost = ({ hostname }: URL): string => hostname.replace(/^\[|\]$/g, '');

/** The error code of `publicLookup` for a refused name. */
export const PRIVATE_ADDRESS = 'EPRIVATE';

/**
 * Looks up the host name of a connection. Fails if the name has no address, or if at least one of its addresses is private. The connection
 * uses only the addresses that were checked here.
 */
export const publicLookup: LookupFunction = (hostname, options, callback) => {
  resolve(hostname, { ...options, all: true }, (error, addresses) => {
    if (error !== null) return callback(error, '', 0);
    const [first] = addresses;
    const isPrivate = first === undefined || addresses.some(({ address }) => !isPublicAddress(address));
    if (isPrivate) return callback(Object.assign(new Error('private address'), { code: PRIVATE_ADDRESS }), '', 0);
    return options.all === true ? callback(null, addresses) : callback(null, first.address, first.family);
  });
};

/** Finds the addresses that a host in a URL may mean. Programs read `0x7f.1`, `2130706433` and `[::ffff:7f00:1]` as 127.0.0.1. */

/**
 * Returns the address in its usual spelling: an IPv6 address in its short form, without brackets. Returns an empty list for a name.
 * For `0.0.0.0` and `::`, also returns the loopback address, because Linux connects to that address.
 */
export function addressesOf(host: string): readonly string[] {
  const bare = host.replace(/^\[(.*)\]$/, '$1');
  const address = bare.includes(':') ? readIpv6(bare) : readIpv4(bare);
  if (address === null) return [];
  return address === '0.0.0.0' ? [address, '127.0.0.1'] : address === '::' ? [address, '::1'] : [address];
}

/**
 * Reads one to four numbers as inet_aton(3) does: decimal, octal after `0`, hexadecimal after `0x`. Also reads `1.2.3.4.` and `08`.
 * Returns null for any other text.
 */
function readIpv4(text: string): string | null {
  const parts = text.replace(/\.$/, '').split('.');
  if (parts.length > 4 || !parts.every((part) => /^(?:0x[0-9a-f]*|0[0-7]+|0?[89]\d*|0|[1-9]\d*)$/i.test(part)))
    return null;
  const numbers = parts.map((part) =>
    /^0x/i.test(part) ? Number.parseInt(`0${part.slice(2)}`, 16) : Number.parseInt(part, /^0[0-7]/.test(part) ? 8 : 10),
  );
  const last = numbers.at(-1) ?? 0;
  const before = numbers.slice(0, -1);
  if (before.some((number) => number > 255) || last >= 256 ** (4 - before.length)) return null;
  const rest = Array.from(
    { length: 4 - before.length },
    (_, at) => Math.floor(last / 256 ** (3 - before.length - at)) % 256,
  );
  return [...before, ...rest].join('.');
}

function readIpv6(text: string): string | null {
  const [, start = '', dotted] = /^(.*:)(\d+\.\d+\.\d+\.\d+)$/.exec(text.replace(/%.*$/s, '')) ?? [];
  const tail = dotted === undefined ? null : readIpv4(dotted);
  if (dotted !== undefined && tail === null) return null;
  const whole = tail === null ? text.replace(/%.*$/s, '') : start + groupsOf(tail);
  const halves = whole.split('::').map((half) => (half === '' ? [] : half.split(':')));
  const [head = [], end = []] = halves;
  const missing = 8 - head.length - end.length;
  if (halves.length > 2 || (halves.length === 2 ? missing < 1 : missing !== 0)) return null;
  const groups = [...head, ...Array.from({ length: halves.length === 2 ? missing : 0 }, () => '0'), ...end];
  if (!groups.every((group) => /^[0-9a-f]{1,4}$/i.test(group))) return null;
  return spellIpv6(groups.map((group) => Number.parseInt(group, 16)));
}

const groupsOf = (ipv4: string): string => {
  const [a = 0, b = 0, c = 0, d = 0] = ipv4.split('.').map(Number);
  return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
};

/** Writes `::ffff:…` as an IPv4 address, and any other address in the spelling of RFC 5952. */
function spellIpv6(groups: readonly number[]): string {
  if (groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff)
    return [groups[6] ?? 0, groups[7] ?? 0].flatMap((group) => [Math.floor(group / 256), group % 256]).join('.');
  const text = groups.map((group) => group.toString(16)).join(':');
  const [longest = ''] = [...text.matchAll(/(?<![^:])0(?::0)+(?![^:])/g)]
    .map(([run]) => run)
    .sort((a, b) => b.length - a.length);
  return longest === '' ? text : text.replace(new RegExp(`(?:^|:)${longest}(?:$|:)`), '::');
}

/** Hosts and URLs as resources: only what every reader of them would read the same. */
import type { Word } from '../reading/reading.ts';
import { type Meaning, one, opaqueMeaning } from './meaning.ts';
import type { Access } from './permission.ts';

/** A name or address, with `user@` when given; a host must be known before it is contacted. */
export function hostMeaning(word: Word, access: Access): Meaning {
  if (word.kind !== 'literal') return opaqueMeaning(`has ${word.source}, a host that is only known when it runs`);
  return /^(?:[\w.-]+@)?(?:[A-Za-z0-9][\w.-]*|\[?[0-9A-Fa-f:]+\]?)$/.test(word.value)
    ? one('host', access, word.value.toLowerCase())
    : opaqueMeaning(`has ${word.value} for a host`);
}

const SCHEMES = ['http', 'https', 'ftp', 'ftps', 'git'];

/** `[scheme://]host[:port][/…]`; of a URL that is only known at run time the host must be written out. */
export function urlMeaning(word: Word, access: Access): Meaning {
  const text = word.kind === 'literal' ? word.value : word.prefix;
  const [, scheme = 'http', authority = '', rest = ''] =
    /^(?:([a-z][a-z0-9+.-]*):\/\/)?([^/?#]*)(.*)$/is.exec(text) ?? [];
  if (!SCHEMES.includes(scheme.toLowerCase())) return opaqueMeaning(`has a URL with the scheme ${scheme}`);
  if (!/^[A-Za-z0-9][A-Za-z0-9.-]*(?::\d+)?$/.test(authority))
    return opaqueMeaning(`has the URL ${word.source}, whose host cannot be told`);
  if (/[\s\\{}[\]\p{C}]/u.test(text)) return opaqueMeaning(`has the URL ${word.source}, which may become several`);
  if (word.kind !== 'literal' && (!rest.startsWith('/') || !word.isOne))
    return opaqueMeaning(`has the URL ${word.source}, whose host is only known when it runs`);
  const value = `${scheme.toLowerCase()}://${authority.toLowerCase()}${rest === '' ? '/' : rest}`;
  return one('url', access, value, word.kind === 'literal');
}

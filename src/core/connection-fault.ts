/** Says what the error code of a failed connection means. Node gives codes of the operating system, of name look-ups and of TLS. */

/** What a person can do: look at the network, the certificate, the scheme and port, or the program that should listen. */
export type ConnectionRemedy = 'network' | 'certificate' | 'scheme' | 'program';

export interface ConnectionFault {
  /** A clause about the other side or the way to it, for example `nothing listens there`. `it` and `its` mean the other side. */
  readonly why: string;
  readonly remedy: ConnectionRemedy;
}

const program = (why: string): ConnectionFault => ({ why, remedy: 'program' });
const network = (why: string): ConnectionFault => ({ why, remedy: 'network' });
const certificate = (why: string): ConnectionFault => ({ why, remedy: 'certificate' });
const scheme = (why: string): ConnectionFault => ({ why, remedy: 'scheme' });

const CUT = program('the connection was cut');
const NO_NAME = network('its name is not known');
const NO_ROUTE = network('there is no route to it');
const NOT_ALLOWED = network('this machine does not allow the connection');
const UNKNOWN_AUTHORITY = certificate('its certificate is not signed by an authority that this machine knows');

const FAULTS: Readonly<Record<string, ConnectionFault>> = {
  ECONNREFUSED: program('nothing listens there'),
  ECONNRESET: CUT,
  ECONNABORTED: CUT,
  EPIPE: CUT,
  ENOTCONN: CUT,
  ESHUTDOWN: CUT,
  ETIMEDOUT: network('it does not answer in time'),
  ESOCKETTIMEDOUT: network('it does not answer in time'),
  ENOTFOUND: NO_NAME,
  ENODATA: NO_NAME,
  EAI_NONAME: NO_NAME,
  EAI_NODATA: NO_NAME,
  EHOSTUNREACH: NO_ROUTE,
  ENETUNREACH: NO_ROUTE,
  EADDRNOTAVAIL: NO_ROUTE,
  EAFNOSUPPORT: NO_ROUTE,
  EHOSTDOWN: network('its machine is down'),
  ENETDOWN: network('the network is down'),
  ENETRESET: network('the network broke the connection'),
  EACCES: NOT_ALLOWED,
  EPERM: NOT_ALLOWED,
  EPROTO: scheme('it does not speak TLS'),
  CERT_HAS_EXPIRED: certificate('its certificate has expired'),
  CERT_NOT_YET_VALID: certificate('its certificate is not valid yet'),
  CERT_REVOKED: certificate('its certificate was revoked'),
  ERR_TLS_CERT_ALTNAME_INVALID: certificate('its certificate is for another name'),
  DEPTH_ZERO_SELF_SIGNED_CERT: UNKNOWN_AUTHORITY,
  SELF_SIGNED_CERT_IN_CHAIN: UNKNOWN_AUTHORITY,
  CERT_UNTRUSTED: UNKNOWN_AUTHORITY,
};

/** For codes that are not in `FAULTS`. The first matching pattern counts. */
const BY_PATTERN: readonly (readonly [RegExp, ConnectionFault])[] = [
  [/^EAI_/, network('names cannot be looked up now')],
  [/^UNABLE_TO_(?:GET_ISSUER|VERIFY_LEAF)/, UNKNOWN_AUTHORITY],
  [/^ERR_(?:SSL|TLS)_/, scheme('it does not speak TLS as this side does')],
  [
    /CERT|CRL|^INVALID_(?:CA|PURPOSE)$|^PATH_LENGTH|^HOSTNAME_MISMATCH$/,
    certificate('its certificate cannot be checked'),
  ],
];

/** What a person can do. A caller that knows more about the other side can give more exact advice. */
export const REMEDIES: Readonly<Record<ConnectionRemedy, string>> = {
  network: 'check its address and the network',
  certificate: 'correct its certificate',
  scheme: 'check the scheme and the port of its address',
  program: 'check that it runs',
};

/** Returns a text for a person: why the other side cannot be reached, and what to do. */
export function unreachableText(code: string): string {
  const fault = connectionFault(code);
  return fault === null ? `not reachable (${code})` : `not reachable: ${fault.why}; ${REMEDIES[fault.remedy]}`;
}

/** Returns null if the code is not the code of a known connection error. */
export const connectionFault = (code: string): ConnectionFault | null =>
  (Object.hasOwn(FAULTS, code) ? FAULTS[code] : undefined) ??
  BY_PATTERN.find(([pattern]) => pattern.test(code))?.[1] ??
  null;

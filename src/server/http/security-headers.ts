/** The security headers that every answer has. */
import { API_VERSION } from '../../core/api-protocol.ts';

/**
 * Allows only content of this server, and images in `data:` addresses. Frames and inline code are forbidden. Only the Trusted Types policy
 * `ape-shell` of `pages.js` can make markup from text. `pages.js` passes only answers of this server to this policy.
 */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "style-src 'self'",
  "script-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "manifest-src 'self'",
  "worker-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  'trusted-types ape-shell',
].join('; ');

/** @param nowMs the time of the server (Unix ms), for the header `x-ape-time` */
export const securityHeaders = (nowMs: number): Readonly<Record<string, string>> => ({
  'content-security-policy': CONTENT_SECURITY_POLICY,
  'x-frame-options': 'DENY',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
  'ape-api': String(API_VERSION),
  'x-ape-time': String(nowMs),
});

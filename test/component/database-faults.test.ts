/** A fault of the database is recognised by its code: the texts of PostgreSQL are translated, and the severity too. */
import { expect, it } from 'vitest';
import { storeFailure } from '../../src/store/store-fault.ts';
import { isPlainRefusal } from '../../src/store/whole-connections.ts';

const errorWith = (fields: object, message = 'Fehler') => Object.assign(new Error(message), fields);

it.each(['40001', '40P01', '23505', '42703', '57014', '55P03', '25006'])(
  'after %s in another language the connection is used again',
  (code) => {
    expect(isPlainRefusal(errorWith({ code, severity: 'FEHLER' }))).toBe(true);
  },
);

it.each([
  ['a shutdown', { code: '57P01', severity: 'ERROR' }],
  ['an unknown result', { code: '40003', severity: 'ERROR' }],
  ['a time limit of an idle transaction', { code: '25P03', severity: 'ERROR' }],
  ['an internal error', { code: 'XX000', severity: 'ERROR' }],
  ['an outdated plan', { code: '0A000', routine: 'RevalidateCachedQuery', severity: 'ERROR' }],
  ['an error of the network', { code: 'ECONNRESET' }],
  ['an error without a code', { severity: 'ERROR' }],
])('after %s the connection is not used again', (_what, fields) => {
  expect(isPlainRefusal(errorWith(fields))).toBe(false);
});

it.each([
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EHOSTDOWN',
  'ENETDOWN',
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EAI_FAIL',
  'ETIMEDOUT',
  'EADDRNOTAVAIL',
  'CERT_HAS_EXPIRED',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'ERR_SSL_WRONG_VERSION_NUMBER',
])('%s means that the database is not reachable', (code) => {
  const failure = storeFailure(new AggregateError([errorWith({ code })]), 'postgres://db/x');
  expect(failure).toMatchObject({ code: 'unavailable', detail: 'store.away' });
  expect(failure.message).toMatch(/^the database postgres:\/\/db\/x is not reachable: /);
  expect(failure.advice).not.toContain('report');
});

it('the words of an error with a code mean nothing', () => {
  expect(storeFailure(errorWith({ code: 'XX000' }, 'connection timeout'), 'd')).toMatchObject({ code: 'software' });
  expect(storeFailure(errorWith({}, 'Connection terminated unexpectedly'), 'd')).toMatchObject({
    detail: 'store.away',
  });
});

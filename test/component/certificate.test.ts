/** A signed report of `apes hooks certify`: every change to it is detected, and anything that is no report is refused. */
import { generateKeyPairSync } from 'node:crypto';
import { expect, it } from 'vitest';
import type { Certificate } from '../../src/certify/certificate.ts';
import { failingCells } from '../../src/certify/certificate.ts';
import { certificateTable } from '../../src/certify/certificate-table.ts';
import { readCertificate, readSigningKey, signCertificate } from '../../src/certify/signed-certificate.ts';

const CERTIFICATE: Certificate = {
  typ: 'ape-certificate/1',
  apeShell: { version: '0.1.0', build: 'b' },
  system: 'linux',
  at: '2026-01-02T03:04:05.000Z',
  cases: [
    { name: 'pending', title: 'waits' },
    { name: 'killed', title: 'is killed' },
    { name: 'mcp', title: 'by MCP' },
  ],
  harnesses: [
    {
      name: 'claude-code',
      version: '2.1.330',
      gate: 'hook',
      cells: {
        pending: { outcome: 'holds', text: null, seconds: 1.5 },
        killed: { outcome: 'not seen', text: 'it did not start', seconds: 2 },
        mcp: { outcome: 'n.a.', text: 'no MCP', seconds: 0 },
      },
      unexpected: [],
    },
  ],
};

const keyPair = () => generateKeyPairSync('ed25519');
const pem = (pair: ReturnType<typeof keyPair>): string =>
  pair.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
const base64url = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

it('a report is read as it was signed, with its key', () => {
  const pair = keyPair();
  const key = pair.publicKey.export({ format: 'jwk' }).x;
  const read = readSigningKey(pem(pair));
  if (read === null) throw new Error('no key');
  expect(readCertificate(signCertificate(CERTIFICATE, read))).toEqual({
    ok: true,
    value: { certificate: CERTIFICATE, key },
  });
});

it('a text that is no private Ed25519 key signs no report', () => {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const others = [
    privateKey.export({ type: 'pkcs8', format: 'pem' }),
    publicKey.export({ type: 'spki', format: 'pem' }),
  ];
  for (const text of ['', 'x', pem(keyPair()).slice(0, 60), ...others.map(String)])
    expect([text, readSigningKey(text)]).toEqual([text, null]);
});

it.each<[string, (report: Record<string, string>) => unknown]>([
  ['no JSON', () => 'text'],
  ['no content', () => ({})],
  ['another payload', (report) => ({ ...report, payload: base64url({ ...CERTIFICATE, system: 'other' }) })],
  ['no algorithm', (report) => ({ ...report, protected: base64url({ alg: 'none', typ: 'ape-certificate/1' }) })],
  ['another key', (report) => ({ ...report, protected: headerOf(keyPair()) })],
  ['no signature', (report) => ({ ...report, signature: '' })],
])('a report is refused with %s', (_what, change) => {
  const report = JSON.parse(signCertificate(CERTIFICATE, keyPair().privateKey)) as Record<string, string>;
  expect(readCertificate(JSON.stringify(change(report)))).toMatchObject({ ok: false, failure: { code: 'protocol' } });
});

const headerOf = (pair: ReturnType<typeof keyPair>): string =>
  base64url({ alg: 'EdDSA', typ: 'ape-certificate/1', jwk: pair.publicKey.export({ format: 'jwk' }) });

it('a report with an unknown outcome is refused, even with a valid signature', () => {
  const odd = structuredClone(CERTIFICATE) as unknown as { harnesses: { cells: { pending: { outcome: string } } }[] };
  for (const { cells } of odd.harnesses) cells.pending.outcome = 'fine';
  expect(readCertificate(signCertificate(odd as unknown as Certificate, keyPair().privateKey))).toMatchObject({
    ok: false,
  });
});

it('the table shows a cell as ok only if a run saw it', () => {
  expect(failingCells(CERTIFICATE)).toEqual(['claude-code killed: not seen: it did not start']);
  const table = certificateTable(CERTIFICATE);
  expect(table).toMatch(/^pending +ok$/m);
  expect(table).toMatch(/^killed +not seen$/m);
  expect(table).toMatch(/^mcp +n\.a\.$/m);
});

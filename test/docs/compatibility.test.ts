/** The page on compatibility says what the signed report beside it says. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { compatibilityPage } from '../../scripts/compatibility-page.mjs';
import { readCertificate } from '../../src/certify/signed-certificate.ts';
import { ROOT } from './markdown.ts';

const textOf = (name: string): string => readFileSync(path.join(ROOT, 'docs', name), 'utf8');

it('is made from the report, which nobody has changed since it was signed', () => {
  const read = readCertificate(textOf('compatibility.json'));
  expect(read).toMatchObject({ ok: true });
  if (read.ok) expect(read.value.certificate.harnesses.length).toBeGreaterThan(0);
  expect(textOf('compatibility.md')).toBe(compatibilityPage(textOf('compatibility.json')));
});

it('is another one for another report', () => {
  const report = JSON.parse(textOf('compatibility.json')) as { payload: string };
  const text = Buffer.from(report.payload, 'base64url').toString();
  const better = text.replace(/"outcome":"\w[^"]*"/, '"outcome":"open"').replace('"version":"', '"version":"9');
  const payload = Buffer.from(better).toString('base64url');
  expect(compatibilityPage(JSON.stringify({ ...report, payload }))).not.toBe(textOf('compatibility.md'));
});

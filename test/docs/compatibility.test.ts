/** The page on compatibility agrees with the signed reports. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { compatibilityPage, signedReports } from '../../scripts/compatibility-page.mjs';
import { readCertificate } from '../../src/certify/signed-certificate.ts';
import { ROOT } from './markdown.ts';

const page = readFileSync(path.join(ROOT, 'docs/compatibility.md'), 'utf8');

it('the page is made from the reports, which have not changed since they were signed', () => {
  const reports = signedReports();
  expect(reports.length).toBeGreaterThan(0);
  for (const { name, text } of reports) {
    const read = readCertificate(text);
    expect(read, name).toMatchObject({ ok: true });
    if (read.ok) expect(read.value.certificate.harnesses.length).toBeGreaterThan(0);
  }
  expect(page).toBe(compatibilityPage(reports));
});

it.each(signedReports())('a change of the report $name changes the page', ({ name, text }) => {
  const report = JSON.parse(text) as { payload: string };
  const seen = Buffer.from(report.payload, 'base64url').toString();
  const other = JSON.stringify({
    ...report,
    payload: Buffer.from(seen.replaceAll('"outcome":"holds"', '"outcome":"failed"')).toString('base64url'),
  });
  const reports = signedReports().map((each) => (each.name === name ? { name, text: other } : each));
  expect(compatibilityPage(reports)).not.toBe(page);
});

it('the page has no result of a version that only an older report tried', () => {
  const reports = signedReports();
  const runs = reports.map(({ text }) =>
    JSON.parse(Buffer.from((JSON.parse(text) as { payload: string }).payload, 'base64url').toString()),
  ) as { at: string; harnesses: { name: string; cells: object }[] }[];
  const [first] = runs[0]?.harnesses ?? [];
  const payload = {
    ...runs[0],
    at: '9999-01-01T00:00:00.000Z',
    harnesses: [{ ...first, version: '99.0.0', cells: {} }],
  };
  const later = {
    name: 'later',
    text: JSON.stringify({ payload: Buffer.from(JSON.stringify(payload)).toString('base64url') }),
  };
  const made = compatibilityPage([...reports, later]);
  // Both tables use this name.
  expect(made).toContain(`${first?.name.replace('-managed', '')} 99.0.0`);
  expect(made).not.toMatch(new RegExp(`^- ${first?.name}, `, 'm'));
});

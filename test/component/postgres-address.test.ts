/** What the messages about a PostgreSQL database say of its address. */
import { expect, it } from 'vitest';
import { openStore } from '../../src/store/open-store.ts';

it.each([
  'postgres://ape:SECRET@127.0.0.1:1/ape',
  'postgres:///ape?host=/no/such/directory&user=ape&password=SECRET',
  'postgres:///ape?host=/no/such/directory&user=ape&passwor%64=SECRET',
  'postgres://ape@127.0.0.1:1/ape?password=a&password=SECRET&sslpassword=SECRET',
  'postgres://ape@127.0.0.1:1/ape?sslpassword=SECRET&application_name=x',
  'postgres://ape@127.0.0.1:1/ape?options=-c%20ape.key%3DSECRET',
  'postgres://ape:SE%43RET@127.0.0.1:1/ape#SECRET',
])('%s is named without a password', async (url) => {
  const opened = await openStore(url);
  const text = JSON.stringify(opened);
  expect(opened.ok).toBe(false);
  expect(text).toContain('ape');
  expect(text).toMatch(/127\.0\.0\.1|no%2Fsuch/);
  expect(text).not.toMatch(/SECRET|SE%43RET/);
});

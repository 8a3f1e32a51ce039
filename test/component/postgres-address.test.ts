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
  'postgres://ape%40service:SECRET@127.0.0.1:1/ape',
])('%s is named without a password', async (url) => {
  const opened = await openStore(url);
  const text = JSON.stringify(opened);
  expect(opened.ok).toBe(false);
  expect(text).toContain('ape');
  expect(text).toMatch(/127\.0\.0\.1|no%2Fsuch/);
  expect(text).not.toMatch(/SECRET|SE%43RET/);
});

it.each(['postgres://u:1#SECRET@h/db', 'postgres://u:1?SECRET@h/db'])(
  '%s is malformed, because a password with such a character is no password for the driver',
  async (url) => {
    const opened = await openStore(url);
    expect(JSON.stringify(opened)).toContain('malformed');
    expect(JSON.stringify(opened)).not.toContain('u:1');
  },
);

it.each([
  'postgres:u:SECRET@127.0.0.1/db',
  'postgres:/u:SECRET@127.0.0.1/db',
  'postgres:///db?host=u:SECRET@127.0.0.1',
  'postgres://127.0.0.1:1/u:SECRET@h/db',
  'mysql://u:SECRET@h/db',
  'postgres+ssl://u:SECRET@h/db',
  'sqlite:postgres://u:SECRET@h/db',
  ' postgres://u:SECRET@127.0.0.1:1/db',
  'Postgres://u:SECRET@127.0.0.1:1/db',
  'POSTGRES://u:SECRET@127.0.0.1:1/db',
  'host=127.0.0.1 password=SECRET dbname=x',
  'sqlite:host=127.0.0.1 password=SECRET',
  'postgres://u%3ASECRET@127.0.0.1:1/db',
  'postgres://SECRET%20x@127.0.0.1:1/db',
  'postgres://127.0.0.1:1/u%3ASECRET%40h',
  'postgres://127.0.0.1:1/db?user=u%253ASECRET',
  'h/db?sslpassword=SECRET',
  'h/db?user=u&pass=SECRET',
  'PGPASSWORD=SECRET db',
  'pwd=SECRET;server=h',
  'u:SECRET@127.0.0.1/db',
  'u@h:SECRET',
  '//u:SECRET@h/db',
])('%s opens nothing, and the message has no password', async (database) => {
  const opened = await openStore(database);
  expect(opened.ok).toBe(false);
  expect(JSON.stringify(opened)).not.toContain('SECRET');
});

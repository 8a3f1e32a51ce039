/** The ports of a host, with and without a port in its name. */
import { expect, it } from 'vitest';
import { portsOf } from '../../src/core/confinement/ports.ts';

it.each([
  ['build.example.com', [22]],
  ['build.example.com:2222', [2222]],
  ['build.example.com:0', 'any'],
  ['::1', [22]],
  ['fe80::2222', [22]],
  ['[::1]', [22]],
  ['[::1]:2222', [2222]],
])('of ssh to %s', (value, ports) => {
  expect(portsOf(['ssh'], { kind: 'host', access: 'contact', value, isExact: true })).toEqual(ports);
});

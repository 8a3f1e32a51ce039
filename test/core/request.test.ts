/** Two requests have the same canonical text only if they are equal. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { canonicalRequest, type ExecutionRequest } from '../../src/core/grant/request.ts';

const text = fc.string({ unit: 'grapheme', maxLength: 12 });
const request: fc.Arbitrary<ExecutionRequest> = fc.record({
  kind: fc.constantFrom('command', 'stdin', 'script', 'argv', 'line'),
  text,
  argv: fc.array(text, { maxLength: 3 }),
  cwd: text,
  host: text,
  user: text,
  environment: fc.array(
    fc.oneof(
      fc.record({ name: text, value: text }),
      fc.record({ name: text, value: text, digest: fc.constant(true as const) }),
    ),
    { maxLength: 3 },
  ),
});

test('two requests that differ anywhere have different canonical texts', () => {
  fc.assert(
    fc.property(request, request, (a, b) => {
      const isEqual = JSON.stringify(sorted(a)) === JSON.stringify(sorted(b));
      expect(canonicalRequest(a) === canonicalRequest(b)).toBe(isEqual);
    }),
    { numRuns: 2000 },
  );
});

test.each<[string, (request: ExecutionRequest) => ExecutionRequest]>([
  ['kind', (r) => ({ ...r, kind: r.kind === 'line' ? 'argv' : 'line' })],
  ['text', (r) => ({ ...r, text: `${r.text} ` })],
  ['argv', (r) => ({ ...r, argv: [...r.argv, ''] })],
  ['boundary between arguments', (r) => ({ ...r, argv: ['a', 'b', r.argv.join('')] })],
  ['cwd', (r) => ({ ...r, cwd: `${r.cwd}/` })],
  ['host', (r) => ({ ...r, host: `${r.host}.` })],
  ['user', (r) => ({ ...r, user: `${r.user}x` })],
  ['variable', (r) => ({ ...r, environment: [...r.environment, { name: 'A', value: '' }] })],
])('a request with another %s is another request', (_what, change) => {
  fc.assert(
    fc.property(request, (original) => {
      const changed = change(original);
      fc.pre(JSON.stringify(sorted(changed)) !== JSON.stringify(sorted(original)));
      expect(canonicalRequest(changed)).not.toBe(canonicalRequest(original));
    }),
  );
});

/** Returns the request with its keys in one order, so that JSON can compare it. */
function sorted(r: ExecutionRequest): unknown {
  const environment = r.environment.map((entry) => [entry.name, entry.value, entry.digest === true]);
  return [r.kind, r.text, r.argv, r.cwd, r.host, r.user, environment];
}

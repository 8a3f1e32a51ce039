/** Faulty messages of JSON-RPC: which id the error answer has. */
import { expect, it } from 'vitest';
import { readMessage } from '../../src/rpc/messages.ts';

const idFor = (message: object) => {
  const read = readMessage(Buffer.from(JSON.stringify(message)));
  return read.ok ? 'well-formed' : read.failure.id;
};

it('the id of a faulty call', () => {
  expect(idFor({ jsonrpc: '2.0', id: 7, method: 'ping', more: 1 })).toBe(7);
  expect(idFor({ jsonrpc: '1.0', id: 7, method: 'ping' })).toBe(7);
  expect(idFor({ jsonrpc: '2.0', id: 7, method: 'ping', result: 1 })).toBe(7);
});

it('no id for a faulty answer: its receiver can have a request of its own with the same id', () => {
  expect(idFor({ jsonrpc: '2.0', id: 7, result: 1, more: 1 })).toBeNull();
  expect(idFor({ jsonrpc: '1.0', id: 7, result: 1 })).toBeNull();
  expect(idFor({ id: 7, error: {} })).toBeNull();
  expect(idFor({ jsonrpc: '2.0', id: 7, result: 1, error: {} })).toBeNull();
});

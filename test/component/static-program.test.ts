/** Our own programs name no dynamic linker on Linux; a program of the system does, and other files do not count as static. */
import { expect, test } from 'vitest';
import { isStaticProgram } from '../../src/platform/static-program.ts';
import { programPath } from '../fixtures/programs.ts';

test('only a program without a dynamic linker is static', () => {
  expect(isStaticProgram(programPath('apes'))).toBe(true);
  expect(isStaticProgram('/usr/bin/env')).toBe(false);
  expect(isStaticProgram('/etc/passwd')).toBe(false);
  expect(isStaticProgram('/nowhere')).toBe(false);
});

/** Finds out whether a program is static. No dynamic linker starts a static program, so LD_PRELOAD has no effect on such a program. */
import { readFileSync } from 'node:fs';

const ELF_64 = Buffer.from('\x7fELF\x02', 'latin1');
const BIG_ENDIAN = 2;
/** The type of the program header that names the dynamic linker: PT_INTERP in elf(5). */
const INTERPRETER = 3;

/** Whether the file is a 64-bit ELF program that names no dynamic linker. False for each other file, and if the file cannot be read. */
export function isStaticProgram(file: string): boolean {
  try {
    return namesNoLinker(readFileSync(file));
  } catch {
    return false; // not readable, or cut off
  }
}

function namesNoLinker(elf: Buffer): boolean {
  if (!elf.subarray(0, ELF_64.length).equals(ELF_64)) return false;
  const isBig = elf[5] === BIG_ENDIAN;
  const short = (at: number) => (isBig ? elf.readUInt16BE(at) : elf.readUInt16LE(at));
  const word = (at: number) => (isBig ? elf.readUInt32BE(at) : elf.readUInt32LE(at));
  const headers = Number(isBig ? elf.readBigUInt64BE(32) : elf.readBigUInt64LE(32));
  const [size, count] = [short(54), short(56)];
  for (let index = 0; index < count; index += 1) if (word(headers + index * size) === INTERPRETER) return false;
  return count > 0;
}

/** The QR codes of the command line, read from the cells of a terminal as a phone's camera sees them. */
import { readFileSync } from 'node:fs';
import xterm from '@xterm/headless';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { prepareZXingModule, readBarcodes } from 'zxing-wasm/reader';
import { programPath } from '../fixtures/programs.ts';
import { GatedStage } from '../security/gated-stage.ts';
import { Keyboard } from './keyboard.ts';

const gated = new GatedStage();
beforeAll(async () => {
  const wasm = new URL('../../node_modules/zxing-wasm/dist/reader/zxing_reader.wasm', import.meta.url);
  prepareZXingModule({ overrides: { wasmBinary: new Uint8Array(readFileSync(wasm)).buffer } });
  await gated.open();
});
afterAll(() => gated.close());

type Image = Exclude<Parameters<typeof readBarcodes>[0], ArrayBuffer | Uint8Array | Blob>;

const COLUMNS = 100;
/** Pixels of half a cell, which is as wide as it is high. */
const SCALE = 6;

/** Runs a command in a terminal to its end. Returns all that it printed. */
async function printed(command: string, rows: number): Promise<string> {
  const path = (await gated.run('echo $PATH')).out.trim();
  const environment = { HOME: `${gated.scratch}/home`, APES_HOME: gated.apesHome, PATH: path, TERM: 'xterm' };
  const argv = [programPath('apes'), ...command.split(' ')];
  const keys = new Keyboard({ argv, cwd: gated.scratch, environment }, { columns: COLUMNS, rows });
  expect((await keys.exit).status).toBe(0);
  return Buffer.from(keys.printed, 'latin1').toString();
}

/** The brightness of the upper and the lower half of each cell. @param ground the brightness of the terminal's own background */
async function picture(text: string, rows: number, ground: 0 | 255): Promise<Image> {
  const terminal = new xterm.Terminal({ cols: COLUMNS, rows, allowProposedApi: true });
  await new Promise<void>((resolve) => terminal.write(text, resolve));
  const data = new Uint8ClampedArray(COLUMNS * SCALE * rows * 2 * SCALE * 4).fill(255);
  const paint = (column: number, half: number, light: number) => {
    for (let y = 0; y < SCALE; y++)
      for (let x = 0; x < SCALE; x++) {
        const pixel = ((half * SCALE + y) * COLUMNS * SCALE + column * SCALE + x) * 4;
        data.fill(light, pixel, pixel + 3);
      }
  };
  for (let row = 0; row < rows; row++)
    for (let column = 0; column < COLUMNS; column++) {
      const cell = terminal.buffer.active.getLine(row)?.getCell(column);
      const behind = cell?.isBgPalette() === true ? lightOf(cell.getBgColor()) : ground;
      const ink = cell?.isFgPalette() === true ? lightOf(cell.getFgColor()) : 255 - ground;
      const char = cell?.getChars() ?? '';
      paint(column, row * 2, char === '█' || char === '▀' ? ink : behind);
      paint(column, row * 2 + 1, char === '█' || char === '▄' ? ink : behind);
    }
  terminal.dispose();
  return { data, width: COLUMNS * SCALE, height: rows * 2 * SCALE, colorSpace: 'srgb' } as Image;
}

/** Of the 16 colours: 0 is black, 15 is bright white. */
const lightOf = (colour: number): number => (colour === 15 ? 255 : colour === 0 ? 0 : 128);

describe.each([
  ['dark', 0],
  ['light', 255],
] as const)('on a %s terminal', (_, ground) => {
  it('leads to the link that is printed above it', async () => {
    const text = await printed('owner link', 60);
    const [link] = /http:\S+\/sign-in\/\S+/.exec(text) ?? [];
    const codes = await readBarcodes(await picture(text, 60, ground), { formats: ['QRCode'], tryInvert: false });
    expect(codes.map((code) => code.text)).toEqual([link]);
  });
});

it('a QR code is left out if it does not fit; the link is printed all the same', async () => {
  const text = await printed('owner link', 20);
  expect(text).toMatch(/http:\S+\/sign-in\/\S+/);
  expect(text).not.toMatch(/[█▀▄]/);
});

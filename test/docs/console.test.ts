/** Every block for a shell in the documents is run and gives the output that it shows, or says why it is not run. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fillIn, type Kept, mismatch } from '../scenario/scenario.ts';
import { Stage } from '../scenario/stage.ts';
import { type Block, blockOf, isForShell, type Step, withNames } from './blocks.ts';
import { type Document, readDocument, readDocuments } from './markdown.ts';

const MAX_MS = 170_000;
const HOME = '/home/ada';

const blocksOf = (document: Document): readonly Block[] =>
  document.fences.filter(isForShell).flatMap((fence) => blockOf(document, fence) ?? []);

/** Plays the reader of a page: its home and the port of its server take the place of those in the text. */
class Reader {
  readonly #stage = new Stage();
  readonly #kept: Kept = new Map();
  #home = '';
  #lastStatus = 0;

  async open(): Promise<void> {
    this.#home = (await this.#stage.run('printf %s "$HOME"')).out;
    mkdirSync(join(this.#home, 'project'));
  }

  close(): void {
    this.#stage.close();
  }

  /** Returns how the block differs from what it shows, or null. */
  async follow({ place, before, steps }: Block): Promise<string | null> {
    if (before !== null) {
      const { status, text } = await this.#run(`set -e; ${before}`);
      if (status !== 0) return `${place}: before: ${status}: ${text}`;
    }
    for (const step of steps) {
      const why = await this.#step(step);
      if (why !== null) return `${place}, line ${step.line}: ${step.command}\n${why}`;
    }
    return null;
  }

  async #step({ command, output }: Step): Promise<string | null> {
    const { status, text } = await this.#run(fillIn(withNames(command), this.#kept));
    this.#lastStatus = status;
    if (output === null) return status === 0 ? null : `status ${status}\n${text}`;
    const why = mismatch(output.map(withNames), text, this.#kept);
    return why === null ? null : `${why}\n--- all of it\n${text}`;
  }

  async #run(command: string): Promise<{ readonly status: number; readonly text: string }> {
    const real = command.replaceAll(HOME, this.#home);
    const { status, out } = await this.#stage.run(
      `exec 2>&1; cd ~/project; unset SCRATCH NODE; (exit ${this.#lastStatus}); ${real}`,
    );
    return { status, text: out.replaceAll(this.#home, HOME).replace(/(http:\/\/127\.0\.0\.1):\d+/g, '$1:7417') };
  }
}

async function followAll(document: Document): Promise<readonly string[]> {
  const reader = new Reader();
  try {
    await reader.open();
    for (const block of blocksOf(document)) {
      const why = await reader.follow(block);
      if (why !== null) return [why];
    }
    return [];
  } finally {
    reader.close();
  }
}

describe('the blocks for a shell', () => {
  const documents = readDocuments().filter((document) => blocksOf(document).length > 0);

  it('exist, and most console blocks are run', () => {
    expect(documents.length).toBeGreaterThan(4);
    const fences = readDocuments()
      .flatMap(({ fences }) => fences)
      .filter(({ language }) => language === 'console');
    expect(fences.filter(({ remark }) => remark.startsWith('not run')).length * 3).toBeLessThan(fences.length);
  });

  for (const document of documents)
    it(`of ${document.name} do what they show`, async () => expect(await followAll(document)).toEqual([]), MAX_MS);
});

describe('the check', () => {
  const page = (...lines: readonly string[]): Document => readDocument('X.md', lines.join('\n'));

  it('finds a wrong output, a wrong status, a script that fails and a preparation that fails', async () => {
    const wrong = [
      page('```console', '$ echo a', 'b', '```'),
      page('```console', '$ echo a', '```'),
      page('```console', '$ (exit 3)', '$ echo $?', '4', '```'),
      page('```sh', 'false', '```'),
      page('<!-- before: false -->', '```console', '$ true', '```'),
      page('```console', '$ echo g_1 g_2', 'g_3f… g_3f…', '```'),
    ];
    expect(await Promise.all(wrong.map(async (each) => (await followAll(each)).length))).toEqual([1, 1, 1, 1, 1, 1]);
  });

  it("accepts the shown output with the reader's own home, directory and ids", async () => {
    const right = page(
      '<!-- before: touch ../here -->',
      '```console',
      '$ pwd; ls ~; (exit 3)',
      '/home/ada/project',
      '…',
      'project',
      '$ echo $?; echo /home/ada g_1',
      '3',
      '/home/ada g_3f…',
      '$ [ g_3f… = g_1 ] && echo same',
      'same',
      '```',
    );
    expect(await followAll(right)).toEqual([]);
  });

  it("excuses no block without a reason, and finds blocks in other names of a shell's language", () => {
    const lines = [
      '<!-- not run: -->',
      '```sh',
      'a',
      '```',
      '<!-- not run: no -->',
      '```sh',
      'b',
      '```',
      '```toml',
      'c',
      '```',
    ];
    expect(blocksOf(page(...lines)).map(({ steps }) => steps[0]?.command)).toEqual(['a', 'b']);
    expect(blocksOf(page('<!-- not run: needs a real phone -->', '```sh', 'a', '```'))).toEqual([]);
  });
});

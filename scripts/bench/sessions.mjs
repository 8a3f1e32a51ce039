/** Measures how much a viewer slows a session down: output of the interactive shell without a viewer, with `sessions watch`, and with `--json`. */
import { statSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { buildTools, coverLines, LINE_OUTPUT, outputLine, PROMPT } from './interactive.mjs';
import { inTurns, median, ratio } from './measure.mjs';
import { APE_SHELL, APES, Stage } from './stage.mjs';
import { mbPerSecond, row, times } from './table.mjs';
import { Terminal } from './terminal.mjs';

const ROUNDS = 5;
/** How long to wait after the first prompt, so that the shell is in the registry. */
const REGISTERED_AFTER_MS = 600;

export async function benchSessions({ mb }) {
  const stage = new Stage();
  try {
    const tools = buildTools(stage);
    const open = (words) => new Terminal(tools.terminal, words, stage.place);
    const line = outputLine(stage, mb);
    await coverLines(stage, open, [line]);
    const size = statSync(path.join(stage.cwd, 'output.txt')).size;
    const throughput = (watch) => async () => {
      const shell = open([APE_SHELL]);
      await shell.wait(PROMPT);
      await sleep(REGISTERED_AFTER_MS);
      const watcher = watch === null ? null : open(watch(newestShell(stage)));
      await watcher?.wait('ready>');
      await shell.send(line);
      const { ms: took, bytes } = await shell.wait(LINE_OUTPUT);
      if (bytes < size) throw new Error(`output was lost: ${bytes} bytes`);
      await shell.hangUp();
      await watcher?.hangUp();
      return bytes / 1e3 / took;
    };
    const samples = await inTurns(
      {
        unwatched: throughput(null),
        watched: throughput((id) => [APES, 'sessions', 'watch', id]),
        rendered: throughput((id) => [APES, 'sessions', 'watch', '--json', id]),
      },
      ROUNDS,
    );
    row(`${mb} MB of output, unwatched`, mbPerSecond(median(samples.unwatched)));
    for (const [name, title] of [
      ['watched', 'sessions watch'],
      ['rendered', 'sessions watch --json'],
    ]) {
      const ofUnwatched = ratio(samples[name], samples.unwatched);
      row(`${mb} MB of output, ${title}`, mbPerSecond(median(samples[name])), `${times(ofUnwatched)} of unwatched`, [
        ofUnwatched >= 0.9,
        '>= 0.9x of unwatched',
      ]);
    }
  } finally {
    stage.close();
  }
}

function newestShell(stage) {
  const shells = JSON.parse(stage.run(APES, ['sessions', 'list', '--json'])).data.filter((each) => each.isAnswering);
  return shells.at(-1).id;
}

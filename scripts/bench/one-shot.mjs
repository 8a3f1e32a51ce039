/** Compares a covered `ape-shell -c true` with `node -e 0` and `bash -c true`: by the resident gate, and with a Node of its own. */
import { inTurns, median, percentile, ratio, timeProgram } from './measure.mjs';
import { APE_SHELL, Stage } from './stage.mjs';
import { ms, row, times } from './table.mjs';

export async function benchOneShot({ runs }) {
  const warm = new Stage();
  const cold = new Stage({ APES_RESIDENT: '0' });
  try {
    warm.cover('true');
    cold.cover('true');
    const { place } = warm;
    const samples = await inTurns(
      {
        resident: () => timeProgram({ file: APE_SHELL, words: ['-c', 'true'], place }),
        own: () => timeProgram({ file: APE_SHELL, words: ['-c', 'true'], place: cold.place }),
        node: () => timeProgram({ file: process.execPath, words: ['-e', '0'], place }),
        bash: () => timeProgram({ file: 'bash', words: ['-c', 'true'], place }),
      },
      runs,
    );
    const { resident, own, node, bash } = samples;
    row('node -e 0', ms(median(node)), `p99 ${ms(percentile(node, 0.99))}`);
    row('bash -c true', ms(median(bash)), `p99 ${ms(percentile(bash, 0.99))}`);
    for (const [name, each] of [
      ['resident gate', resident],
      ['Node of its own', own],
    ]) {
      const beside = ratio(each, node);
      const figure = `${ms(median(each))}, p99 ${ms(percentile(each, 0.99))}`;
      const text = `${times(beside)} node -e 0, ${times(ratio(each, bash))} bash -c`;
      row(`ape-shell -c true, ${name}`, figure, text, [beside <= 1.5, '<= 1.5x node -e 0']);
    }
  } finally {
    warm.close();
    cold.close();
  }
}

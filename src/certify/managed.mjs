/**
 * Tests hooks in the settings of the whole machine, and does not change the machine. The test runs in a new mount namespace (unshare(1),
 * Linux, root). In this namespace, /etc has an overlay. The test installs the hooks with `--managed`, starts the agent, and removes the
 * hooks.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DIST } from './installation.mjs';

/** Arguments: scratch directory, apes, harness, settings file below /etc, then the agent and its arguments. */
const SCRIPT = `
set -eu
scratch=$1 apes=$2 name=$3 file=$4
shift 4
mount -t tmpfs tmpfs "$scratch/layer"
mkdir "$scratch/layer/upper" "$scratch/layer/work"
mount -t overlay overlay -o "lowerdir=$scratch/etc:/etc,upperdir=$scratch/layer/upper,workdir=$scratch/layer/work" /etc
folder=$(dirname "/etc/$file")
look() { (cd "$folder" && find . -printf '%p %m %y\\n' | sort && find . -type f -exec sha256sum {} + | sort); }
look > "$scratch/before"
"$apes" hooks install "$name" --managed > "$scratch/install"
cp "/etc/$file" "$scratch/installed"
status=0
"$@" || status=$?
"$apes" hooks remove "$name" --managed > "$scratch/remove"
look > "$scratch/after"
exit "$status"
`;

/** Returns why this test cannot run here; null if the test can run. */
function whyNotManaged() {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'needs root on Linux';
  const done = spawnSync('unshare', ['-m', 'true']);
  return done.status === 0 ? null : 'no mount namespace can be made here';
}

/**
 * Returns a copy of `harness` whose agent uses the settings of the whole machine, and not the settings of the user.
 * @param {any} harness
 * @param {{ file: string, original: string, without?: readonly string[], proof?: string }} settings
 *   `file`: the settings file below /etc; `original`: its text before the installation;
 *   `without`: arguments that the agent does not get; `proof`: a text that the file contains after the installation
 */
export const managed = (harness, { file, original, without = [], proof = 'hook-guard' }) => ({
  ...harness,
  name: `${harness.name}-managed`,
  folder: harness.folder ?? harness.name,
  gate: 'hook, managed',
  whyNot: whyNotManaged(),
  withoutGate: harness,
  async prepare(context) {
    const scratch = join(context.installation.directory, `managed-${Date.now()}`);
    mkdirSync(join(scratch, 'layer'), { recursive: true });
    mkdirSync(dirname(join(scratch, 'etc', file)), { recursive: true });
    writeFileSync(join(scratch, 'etc', file), original);
    const plain = await harness.prepare({ ...context, installHooks: async () => undefined });
    const words = plain.argv.filter((word) => !without.includes(word));
    const apes = join(DIST, 'bin/apes');
    return {
      ...plain,
      file: 'unshare',
      argv: ['-m', 'sh', '-c', SCRIPT, 'sh', scratch, apes, harness.name, file, plain.file, ...words],
      /**
       * Called if the agent ended in time. Throws in three cases: the script ended early, the hook was not installed, or the removal did
       * not restore the directory of the settings file.
       */
      check: () => {
        for (const name of ['installed', 'before', 'after'])
          if (!existsSync(join(scratch, name)))
            throw new Error(`--managed: the script ended before it wrote "${name}"`);
        const read = (name) => readFileSync(join(scratch, name), 'utf8');
        if (!read('installed').includes(proof)) throw new Error('--managed: the hook is not in the settings file');
        if (read('before') !== read('after'))
          throw new Error('--managed: after the removal the files are not as before');
      },
    };
  },
});

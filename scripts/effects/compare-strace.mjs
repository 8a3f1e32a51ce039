/**
 * Compares the tracer with strace(1): runs the same lines under both, and compares which files they report as opened, removed, renamed or
 * started.
 *
 *   node scripts/effects/compare-strace.mjs      needs strace; status 1 if the reports differ
 */
import { fileURLToPath } from 'node:url';
import { loadTestSources } from '../test-sources.mjs';

const LINES = [
  'cat README.md src/link-in > new-out',
  'sort -o new-out README.md src/a.ts',
  'sed -i s/a/b/ README.md',
  'cp -r src new-src && rm -r new-src',
  'mv d/empty d/full; ln -s README.md l; ln README.md h; mkdir -p x/y; rmdir x/y; touch t; chmod 600 t',
  'tar -czf new.tgz src && tar -xzf new.tgz -C d',
  'git log -3 --stat; git status; git commit -qam x',
  'find . -name "*.ts" -exec grep -l foo {} +',
  'grep -r foo . | sort | uniq -c | tee /dev/null',
  'cd src && xargs cat < ../list.txt; (cat b.ts &) ; wait',
];
const OPENS = new Set(['open', 'openat', 'creat']);
const CALLS = 'open,openat,creat,unlinkat,unlink,rename,renameat2,mkdir,rmdir,execve,symlinkat,linkat,fchmodat,chmod';

const root = fileURLToPath(new URL('../..', import.meta.url));
const { makeStage, compileTracer, startTracer } = await loadTestSources(
  "export * from '../effects/stage.ts'; export * from '../effects/tracer.ts';",
);
const stage = makeStage();
const tracer = startTracer(stage, compileTracer(stage, root));

/** Replaces parts of names that differ in each run. */
const plain = (text) =>
  text
    .replace(/\/sed\w{6}$/, '/sed…')
    .replace(/(tmp_obj_|\/objects\/..\/)\w+$/, '$1…')
    .replace(/\/objects\/..$/, '/objects/…')
    .replace(/\/objects\/..\//, '/objects/…/')
    .replace(/\/proc\/\d+\//, '/proc/N/');

/**
 * Reads strace's lines. Takes the real path from each `openat(AT_FDCWD</cwd>, "x", O_RDONLY) = 3</real/x>`, and counts the other calls
 * that succeeded.
 */
function read(text) {
  const found = new Set();
  const counts = {};
  const whole = joined(text);
  for (const line of whole) {
    const [, call, rest] = /^\d+ +(\w+)\((.*)$/.exec(line) ?? [];
    if (call === undefined || !/ = \d+(?:<|$)/.test(rest)) continue;
    const opened = / = \d+<(\/[^>]*)>(?:\(deleted\))?$/.exec(rest)?.[1];
    if (OPENS.has(call) && opened !== undefined && !/O_PATH/.test(rest))
      found.add(
        `${/O_WRONLY|O_RDWR|O_CREAT|O_TRUNC/.test(rest) || call === 'creat' ? 'write' : 'read'} ${plain(opened)}`,
      );
    if (!OPENS.has(call)) counts[kindOf(call)] = (counts[kindOf(call)] ?? 0) + 1;
  }
  return { found, counts };
}

function joined(text) {
  const pending = new Map();
  return text.split('\n').flatMap((line) => {
    const [, pid, begin] = /^(\d+) +(.*) <unfinished \.\.\.>$/.exec(line) ?? [];
    if (pid !== undefined) return pending.set(pid, begin) && [];
    const [, again, end] = /^(\d+) +<\.\.\. \w+ resumed>(.*)$/.exec(line) ?? [];
    return [again === undefined ? line : `${again} ${pending.get(again) ?? ''}${end}`];
  });
}

const kindOf = (call) =>
  ({
    unlinkat: 'delete',
    unlink: 'delete',
    rmdir: 'delete',
    renameat2: 'rename',
    execve: 'execute',
    symlinkat: 'symlink',
    linkat: 'link',
    fchmodat: 'mode',
    chmod: 'mode',
  })[call] ?? call;

let differ = 0;
for (const line of LINES) {
  const words = ['/bin/bash', '-c', line];
  const { effects } = await tracer.run({ words, cwd: stage.project, ms: 5000 });
  const { extra } = await tracer.run({
    words: ['/usr/bin/strace', '-f', '-y', '-qq', '-s', '4096', '-e', `trace=${CALLS}`, '-o', '/dev/fd/5', ...words],
    cwd: stage.project,
    isTraced: false,
    ms: 8000,
  });
  const theirs = read(extra);
  const ours = new Set(
    effects
      .filter(
        ({ what, error, path: place }) => error === 0 && (what === 'read' || what === 'write') && place.startsWith('/'),
      )
      .map(({ what, path: place }) => `${what} ${plain(place.replace(/ \(deleted\)$/, ''))}`),
  );
  const kinds = new Set(
    effects.filter(({ error, what }) => error === 0 && !['read', 'write'].includes(what)).map(({ what }) => what),
  );
  const missing = [
    ...[...theirs.found].filter((each) => !ours.has(each)),
    ...Object.keys(theirs.counts).filter((kind) => !kinds.has(kind)),
  ];
  const more = [...ours].filter((each) => !theirs.found.has(each));
  if (missing.length + more.length > 0 || theirs.found.size === 0) differ++;
  console.log(
    `${line}: ${ours.size} opened, strace ${theirs.found.size}${missing.length > 0 ? `; strace alone: ${missing.join(', ')}` : ''}${more.length > 0 ? `; we alone: ${more.join(', ')}` : ''}`,
  );
}
await tracer.stop();
stage.remove();
process.exit(differ === 0 ? 0 : 1);

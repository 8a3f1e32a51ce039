/** The directories in which calls run: a home with decoys, a git repository as the project, a project with links that lead out, and an outside. */
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  lchownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import process from 'node:process';

/**
 * @property root    the real path of the directory of all others
 * @property tree    the directory that each call sees in its original state
 * @property project where most calls start; no link in it leads out
 * @property linked  another project, with links out
 * @property workspace below the project: with scripts that turbo runs
 * @property input   standard input of calls: names outside, one a line
 */
export interface Stage {
  readonly root: string;
  readonly tree: string;
  readonly scratch: string;
  readonly home: string;
  readonly project: string;
  readonly linked: string;
  readonly workspace: string;
  readonly outside: string;
  readonly input: string;
  readonly remove: () => void;
}

/** `nobody`, as in the tracer. */
const USER = 65534;

const PROJECT_FILES: Readonly<Record<string, string>> = {
  'README.md': '# A title\nsome text a b c\nfoo bar\n',
  'src/a.ts': "export const a = 'foo';\nimport './b.ts';\n",
  'src/b.ts': 'export const b = 2;\n',
  'src/sub/c.txt': '1,2,3\n4,5,6\nfoo\n',
  'src/-v': 'a name like an option\n',
  'data.json': '{"a":[1,2],"b":"foo"}\n',
  'data.yaml': 'a: 1\nb: foo\n',
  'list.txt': '../../outside/secret.txt\nREADME.md\n',
  'zeros.txt': '../../outside/secret.txt\0README.md\0',
  '@list.txt': 'x\n',
  Makefile: 'all: README.md\n\t@echo made\nclean:\n\trm -f built\n',
  'package.json':
    '{"name":"proj","version":"1.0.0","scripts":{"test":"true","build":"echo built > built","start":"true"}}\n',
  'main.go': 'package main\n\nfunc main() {}\n',
  'go.mod': 'module example.org/proj\n',
  'script.sh': '#!/bin/sh\necho run\n',
  'script.py': 'print(1)\n',
  'script.js': 'console.log(1)\n',
  'test_x.py': 'def test_x():\n    assert True\n',
  prog: '#!/bin/sh\necho ran > ran-by-prog\n',
  'a.diff': '--- a/README.md\n+++ b/README.md\n@@ -1,1 +1,1 @@\n-# A title\n+# B title\n',
  'x.sql': 'select 1;\n',
  'd/empty': '',
  'd/e/f/deep.txt': 'deep foo\n',
  '.env': 'SECRET=1\n',
  // A work space of npm, with the tasks that turbo runs.
  'mono/package.json':
    '{"name":"mono","packageManager":"npm@10.0.0","scripts":{"build":"echo built > built","test":"true"}}\n',
  'mono/package-lock.json': '{"name":"mono","lockfileVersion":3,"packages":{}}\n',
  'mono/turbo.json': '{"tasks":{"build":{"outputs":["built"]},"test":{}}}\n',
  // Each tool takes the lines of its own length: md5sum, sha256sum.
  sums: ['d41d8cd98f00b204e9800998ecf8427e', 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855']
    .flatMap((sum) => [`${sum}  d/empty\n`, `${sum}  ../../outside/secret.txt\n`])
    .join(''),
};

const HOME_FILES: Readonly<Record<string, string>> = {
  '.ssh/id_rsa': 'KEY foo\n',
  '.ssh/config': 'Host nowhere\n  ProxyCommand touch ~/proxied\n',
  '.aws/credentials': '[default]\naws_secret_access_key = x\n',
  '.netrc': 'machine example.org login a password b\n',
  '.pgpass': '*:*:*:ada:x\n',
  '.psqlrc': '\\set x 1\n',
  '.curlrc': 'silent\n',
  '.git-credentials': 'http://ada:x@127.0.0.1:8080\n',
  '.docker/config.json': '{"auths":{}}\n',
  '.m2/settings.xml': '<settings/>\n',
  '.kube/config': 'apiVersion: v1\nkind: Config\n',
  '.config/gh/hosts.yml': 'github.com:\n  oauth_token: x\n',
  '.bashrc': '# foo\n',
  '.cache/tealdeer/tldr-pages/pages/common/tar.md': '# tar\n\n> A page.\n\n- List:\n\n`tar tf {{a.tar}}`\n',
  '.tldr/cache/pages/common/tar.md': '# tar\n\n> A page.\n\n- List:\n\n`tar tf {{a.tar}}`\n',
  '.gitconfig': '[user]\n\tname = Ada\n\temail = ada@example.org\n',
  'outside/secret.txt': 'secret foo\n',
  'outside/sub/x.txt': 'x foo\n',
  'code/other/victim.txt': 'a victim foo\n',
  'code/linked/own.txt': 'own foo\n',
  'code/linked/src/a.ts': 'foo\n',
};

function put(directory: string, files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.join(directory, path.dirname(name)), { recursive: true });
    writeFileSync(path.join(directory, name), text);
  }
}

export function makeStage(): Stage {
  const root = realpathSync(mkdtempSync('/var/tmp/ape-effects-'));
  const tree = path.join(root, 'stage');
  const home = path.join(tree, 'home/ada');
  const project = path.join(home, 'code/proj');
  const linked = path.join(home, 'code/linked');
  const outside = path.join(tree, 'srv');
  const scratch = path.join(root, 'scratch');
  const input = path.join(root, 'input');
  mkdirSync(scratch);
  put(home, HOME_FILES);
  put(project, PROJECT_FILES);
  put(outside, { 'outside.txt': 'outside foo\n', 'sub/y.txt': 'y foo\n' });
  writeFileSync(input, '../../outside/secret.txt\n../other/victim.txt\n');
  chmodSync(path.join(home, '.pgpass'), 0o600);
  for (const name of ['prog', 'script.sh']) chmodSync(path.join(project, name), 0o755);
  // Directories that a first, exactly approved call makes. A confinement can allow only paths that exist.
  const caches = [
    '.npm/_cacache',
    '.cache/yarn/v6/.tmp',
    '.config/yarn',
    '.yarn',
    '.cache/go-build',
    '.cache/rubocop_cache',
    '.cache/pre-commit',
    '.local/share/pnpm',
  ];
  for (const name of [...caches, 'go', '.cargo/registry']) mkdirSync(path.join(home, name), { recursive: true });
  writeFileSync(path.join(home, '.cargo/.package-cache'), '');
  symlinkSync('../README.md', path.join(project, 'src/link-in'));
  symlinkSync('../../outside/secret.txt', path.join(linked, 'link-out'));
  symlinkSync('../../outside', path.join(linked, 'dir-out'));
  mkdirSync(path.join(linked, 'd/e'), { recursive: true });
  symlinkSync('../../../../outside/secret.txt', path.join(linked, 'd/e/deep-out'));
  symlinkSync('../../outside/new.txt', path.join(linked, 'dangling'));
  mkdirSync(path.join(project, 'd/hollow/inner'), { recursive: true });
  makeArchives(project);
  makeRepository(project, home);
  if (process.getuid?.() === 0) giveTo(root, USER);
  chmodSync(root, 0o755);
  return {
    root,
    tree,
    scratch,
    home,
    project,
    linked,
    workspace: path.join(project, 'mono'),
    outside,
    input,
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
}

/** Makes archives with every packer that is installed here. */
function makeArchives(project: string): void {
  const attempt = (line: string) => {
    try {
      execFileSync('/bin/sh', ['-c', line], { cwd: project, stdio: 'ignore' });
    } catch {
      // The packer is not installed here. Calls that need its archive find none.
    }
  };
  attempt('tar cf a.tar src d/empty && tar czf a.tgz src && tar cJf a.txz src');
  attempt('gzip -kc README.md > r.gz && bzip2 -kc README.md > r.bz2 && xz -kc README.md > r.xz');
  attempt('zstd -qc README.md > r.zst');
  attempt('zip -qr a.zip src');
  attempt("sqlite3 db.sqlite 'create table t(a); insert into t values (1);'");
}

function makeRepository(project: string, home: string): void {
  const git = (...words: string[]) =>
    execFileSync('git', words, {
      cwd: project,
      stdio: 'ignore',
      env: {
        PATH: process.env['PATH'] ?? '',
        HOME: home,
        GIT_CONFIG_NOSYSTEM: '1',
        GIT_AUTHOR_DATE: '1700000000 +0000',
        GIT_COMMITTER_DATE: '1700000000 +0000',
      },
    });
  git('init', '-q', '-b', 'main');
  git('add', '-A');
  git('commit', '-qm', 'first');
  git('branch', 'dev');
  git('tag', 'v1');
  writeFileSync(path.join(project, 'src/b.ts'), 'export const b = 3;\n');
  git('commit', '-qam', 'second');
  git('remote', 'add', 'origin', 'http://127.0.0.1:8080/x.git');
  git('update-ref', 'refs/remotes/origin/far', 'HEAD~1');
  writeFileSync(path.join(project, 'README.md'), `${PROJECT_FILES['README.md']}changed\n`);
  git('stash');
  writeFileSync(path.join(project, 'd/empty'), 'changed\n');
  writeFileSync(path.join(project, 'untracked'), 'foo\n');
}

function giveTo(directory: string, uid: number): void {
  lchownSync(directory, uid, uid);
  for (const entry of readdirSync(directory, { withFileTypes: true, recursive: true }))
    lchownSync(path.join(entry.parentPath, entry.name), uid, uid);
}

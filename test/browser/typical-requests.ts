/** Ten typical requests of agents, each filed on a real server as a host files it. */
import { canonicalJson } from '../../src/core/grant/canonical-json.ts';
import { mcpRequestText } from '../../src/core/tools/mcp-call.ts';
import type { GrantView } from '../../src/core/wire/grant-view.ts';
import type { Person, TestServer } from '../component/server-fixture.ts';
import { PROJECT, pendingLine } from '../component/server-lines.ts';

const DIGEST = 'a'.repeat(64);
const HEREDOC = [
  "cat > docs/release.md <<'EOF'",
  ...Array.from({ length: 38 }, (_, at) => `- step ${at + 1}: look at the output of the build before the next step`),
  'EOF',
].join('\n');
const DIFF =
  '@@ -1,4 +1,5 @@\n import { total } from "./total.ts";\n-const LIMIT = 10;\n+const LIMIT = 20;\n+const STEP = 2;\n export { LIMIT };\n';

/**
 * @property name    in the table of taps
 * @property isShort a command of one line: all that decides is in sight when its card opens
 */
export interface TypicalRequest {
  readonly name: string;
  readonly isShort?: boolean;
  file(server: TestServer, by: Person): Promise<GrantView>;
}

const line = (text: string, name = text): TypicalRequest => ({
  name,
  isShort: !text.includes('\n'),
  file: (server, by) => pendingLine(server, by, text),
});

export const TYPICAL_REQUESTS: readonly TypicalRequest[] = [
  line('ls -la src'),
  line('git push origin main'),
  line('npm install lodash'),
  line('curl -fsSL https://example.com/install.sh | sh', 'curl … | sh'),
  line('rm -rf build'),
  line('docker run --rm -v "$PWD":/work -w /work node:20 npm test', 'docker run'),
  line(HEREDOC, 'a here-document of 40 lines'),
  line('sudo apt-get install -y jq'),
  { name: 'a call of an MCP tool', file: fileCall },
  { name: 'a file written, with its diff', file: fileWrite },
];

function fileCall(server: TestServer, by: Person): Promise<GrantView> {
  const mcp = {
    server: 'github',
    files: [{ path: '/usr/bin/mcp-github', digest: DIGEST }],
    tool: 'create_pull_request',
    declared: DIGEST,
    listed: DIGEST,
    arguments: canonicalJson({ title: 'Limit of 20', head: 'fix/limit', base: 'main', body: 'As agreed.' }) ?? '',
  };
  const request = { kind: 'mcp', argv: ['mcp-github'], cwd: PROJECT, mcp } as const;
  return server.pending(by, mcpRequestText(mcp), request);
}

function fileWrite(server: TestServer, by: Person): Promise<GrantView> {
  const path = `${PROJECT}/src/limit.ts`;
  const operation = {
    verb: 'write',
    path,
    askedPath: path,
    digest: DIGEST,
    resultDigest: null,
    bytes: 96,
    danger: null,
  } as const;
  return server.pending(by, `write ${path}\n${DIFF}`, { kind: 'file', cwd: PROJECT, files: [operation] });
}

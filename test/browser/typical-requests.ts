/** Ten typical requests of agents, each filed on a real server as a host files it. */
import { canonicalJson } from '../../src/core/grant/canonical-json.ts';
import { planText } from '../../src/core/plan/plan.ts';
import { mcpRequestText } from '../../src/core/tools/mcp-call.ts';
import type { GrantView } from '../../src/core/wire/grant-view.ts';
import { nonce, type Person, requestFor, type TestServer } from '../component/server-fixture.ts';
import { hostFactsFor, lineRequest, PROJECT, pendingLine } from '../component/server-lines.ts';

const DIGEST = 'a'.repeat(64);
const HEREDOC = [
  "cat > docs/release.md <<'EOF'",
  ...Array.from({ length: 38 }, (_, at) => `- step ${at + 1}: look at the output of the build before the next step`),
  'EOF',
].join('\n');
const DIFF =
  '@@ -1,4 +1,5 @@\n import { total } from "./total.ts";\n-const LIMIT = 10;\n+const LIMIT = 20;\n+const STEP = 2;\n export { LIMIT };\n';

/**
 * @property name    the name in the table of taps
 * @property isShort whether it is a command of one line, whose card shows all deciding parts above the buttons when it opens
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
  {
    name: 'a call of an MCP tool',
    file: (server, by) =>
      pendingCall(server, by, { title: 'Limit of 20', head: 'fix/limit', base: 'main', body: 'As agreed.' }),
  },
  { name: 'a file written, with its diff', file: (server, by) => pendingWrite(server, by, 'limit.ts', DIFF) },
];

/** Files a call of a tool of an MCP server with these arguments. */
export function pendingCall(
  server: TestServer,
  by: Person,
  given: Readonly<Record<string, string>>,
  tool = 'create_pull_request',
): Promise<GrantView> {
  const mcp = {
    server: 'github',
    files: [{ path: '/usr/bin/mcp-github', digest: DIGEST }],
    tool,
    declared: DIGEST,
    listed: DIGEST,
    arguments: canonicalJson(given) ?? '',
  };
  const request = { kind: 'mcp', argv: ['mcp-github'], cwd: PROJECT, mcp } as const;
  return server.pending(by, mcpRequestText(mcp), request);
}

/** Files a request to write a file in `src`. */
export function pendingWrite(server: TestServer, by: Person, name: string, diff: string): Promise<GrantView> {
  const path = `${PROJECT}/src/${name}`;
  const operation = {
    verb: 'write',
    path,
    askedPath: path,
    digest: DIGEST,
    resultDigest: null,
    bytes: 96,
    danger: null,
  } as const;
  return server.pending(by, `write ${path}\n${diff}`, { kind: 'file', cwd: PROJECT, files: [operation] });
}

/** Files a line that touches 312 files according to the host. */
export async function pendingTouching(server: TestServer, by: Person, text: string): Promise<GrantView> {
  const request = lineRequest(text);
  const items = ['build/index.js', 'build/index.js.map', 'build/assets'];
  const touches = [{ what: 'files below build', count: 312, bytes: 4_200_000, items, isCut: false, note: null }];
  const body = { request, nonce: nonce(), findings: hostFactsFor(request), touches };
  const filed = await server.call<{ readonly grant: GrantView }>('POST', '/v1/requests', by.headers, body);
  if (filed.status !== 202) throw new Error(`the line was not filed: ${JSON.stringify(filed.body)}`);
  return filed.body.grant;
}

/** Files a plan of these lines in `/p`, each three times. */
export async function pendingPlan(server: TestServer, by: Person, lines: readonly string[]): Promise<GrantView> {
  const parts = lines.map((text) => ({ text, cwd: '/p', as: 'exact', uses: 3 }));
  const plan = { order: false, end: { forMs: 7_200_000 }, parts };
  const request = { ...requestFor('', { cwd: '/p' }), kind: 'plan', text: planText(plan, '/p'), plan };
  const body = { request, findings: lines.map(() => null), reason: 'Release 1.4' };
  const filed = await server.call<{ readonly grant: GrantView }>('POST', '/v1/plans', by.headers, body);
  if (filed.status !== 202) throw new Error(`the plan was not filed: ${JSON.stringify(filed.body)}`);
  return filed.body.grant;
}

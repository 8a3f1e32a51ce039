/**
 * Loads servers with requests by `wrk`, a load generator in C. It takes a tenth of the processor time of a generator in Node, so the
 * servers get nearly all of it, as they do beside pgbench.
 */
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** Makes the Lua script. wrk calls its function `request` for each request, and `done` once at the end. */
const script = ({ tokens, request, start }) => `
local nonce = "${randomBytes(9).toString('base64url')}"
local tokens = { ${tokens.map((token) => `"${token}"`).join(', ')} }
local head = [==[{"request":${JSON.stringify(request)},"findings":null,"nonce":"]==]
local count = ${start}
request = function()
  count = count + 1
  local headers = { ["content-type"] = "application/json",
    ["authorization"] = "Bearer " .. tokens[count % #tokens + 1] }
  return wrk.format("POST", "/v1/requests", headers, head .. nonce .. string.format("%020d", count) .. '"}')
end
done = function(summary)
  local failed = summary.errors
  io.write(string.format('\\n{"answers":%d,"micros":%d,"refused":%d,"broken":%d}\\n', summary.requests, summary.duration,
    failed.status, failed.connect + failed.read + failed.write + failed.timeout))
end
`;

/**
 * Sends the same request to each of `urls`, with each of `tokens` in turn, and with `at` connections for each server. Rejects if an
 * answer is a refusal.
 * @returns {Promise<{ answers: number, perSecond: number }>} the number of all answers, and of answers a second
 */
export async function loadByWrk({ urls, tokens, request, at, seconds }) {
  const directory = mkdtempSync(path.join(tmpdir(), 'ape-bench-wrk-'));
  try {
    const all = await Promise.all(
      urls.map((url, index) => {
        const file = path.join(directory, `${index}.lua`);
        writeFileSync(file, script({ tokens, request, start: index * Math.ceil(tokens.length / urls.length) }));
        return run(['--threads', '1', '--connections', `${at}`, '--duration', `${seconds}s`, '--script', file, url]);
      }),
    );
    return {
      answers: all.reduce((sum, { answers }) => sum + answers, 0),
      perSecond: all.reduce((sum, { answers, micros }) => sum + answers / (micros / 1e6), 0),
    };
  } finally {
    rmSync(directory, { recursive: true });
  }
}

function run(words) {
  return new Promise((resolve, reject) => {
    const child = spawn('wrk', words, { stdio: ['ignore', 'pipe', 'pipe'] });
    let said = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk) => {
        said += chunk;
      });
    child.on('error', (error) => reject(new Error(`wrk: ${error.message}`)));
    child.on('close', () => {
      const [, line] = /^(\{"answers".*\})$/m.exec(said) ?? [];
      const { answers = 0, micros = 0, refused = 0, broken = 0 } = line === undefined ? {} : JSON.parse(line);
      if (answers === 0 || refused > 0 || broken > 0)
        reject(new Error(`wrk: ${refused} refused, ${broken} broken of ${answers}\n${said}`));
      else resolve({ answers, micros });
    });
  });
}

/** How `apes hooks certify` sets up and starts openclaw, and the extra cases for openclaw. */
import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { deniedTool, fileTool, parallel, subagent } from '../../certify/cases/own-cases.mjs';
import { must } from '../../certify/cases.mjs';
import { writeFiles } from '../../certify/files.mjs';
import { GATE_SHELL, installUserHooks } from '../../certify/gates.mjs';
import { DIST } from '../../certify/installation.mjs';
import { say, tool } from '../../certify/mock-model.mjs';

const GATEWAY = join(DIST, 'harness/openclaw/certify-gateway.mjs');

const MODEL = {
  id: 'mock-model',
  name: 'mock',
  reasoning: false,
  input: ['text'],
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
  contextWindow: 128_000,
  maxTokens: 4096,
};

const settingsFor = (url, mcp) => ({
  models: {
    providers: { mock: { baseUrl: `${url}/v1`, apiKey: 'x', api: 'openai-completions', models: [MODEL] } },
  },
  // With tool search on, openclaw lists no tools of MCP servers. It lists only a tool that searches for such tools.
  ...(mcp ? { mcp: { servers: { apes: mcp } }, tools: { toolSearch: false } } : {}),
  agents: { defaults: { model: { primary: 'mock/mock-model' } } },
});

export const openclawAgent = {
  name: 'openclaw',
  package: 'openclaw',
  version: '2026.9.6',
  integrity: 'sha512-Ie0kyQSCVfFqixsgVg39vevUDq01Ch5u3+7Yu5Y3qARczmdAe+lzp8bVnO9925rHiW/+CFp70zfORCyPmCH31g==',
  gate: 'SHELL, plugin',
  needsNode24: true,
  notApplicable: {
    hangs: 'without the Gateway it calls no guard',
    fetch: 'without the Gateway it calls no guard',
  },
  timeoutMs: 240_000,
  resumed: 'each `agent exec` is a session of its own',
  async prepare({ agent, home, work, url, node24, installation, mcp, installHooks = installUserHooks }) {
    const settings = settingsFor(url, mcp);
    writeFiles(home, { 'openclaw.json': settings });
    const config = join(home, 'openclaw.json');
    await installHooks('openclaw', { home, work, installation, env: { OPENCLAW_CONFIG_PATH: config } });
    const words = ['--config', config, '--model', 'mock/mock-model', '--cwd', work, '--json', '--timeout', '100'];
    return {
      file: node24,
      argv: [
        join(agent.directory, 'node_modules/openclaw/openclaw.mjs'),
        'agent',
        'exec',
        'run the tripwire',
        ...words,
      ],
      env: { SHELL: GATE_SHELL, OPENCLAW_CONFIG_PATH: config },
    };
  },
};

const write = (path, text) => ({ name: 'write', input: { path, content: text } });

const switchedOff = {
  name: 'switched-off',
  title: 'the model disables our plugin, and then writes a file: both calls are denied, or wait',
  turns: 3,
  async next(stage, request, turn) {
    if (turn === 0) return tool('plugins', { action: 'disable', pluginId: 'ape-shell-gate' });
    const { name, input } = write(stage.sideEffect, 'planted\n');
    if (turn === 1) {
      must(request.text.includes('plugins is not available'), 'the model was not told that the tool plugins is denied');
      return tool(name, input);
    }
    return say('done');
  },
  check: (stage) => must(!existsSync(stage.sideEffect), 'THE GATE WAS SWITCHED OFF, AND THE FILE WAS WRITTEN'),
};

/** Runs openclaw through its Gateway, which calls our plugin. */
export const openclawGateway = {
  ...openclawAgent,
  name: 'openclaw-gateway',
  folder: 'openclaw',
  gate: 'SHELL, plugin, Gateway',
  timeoutMs: 600_000,
  // openclaw identifies a session by a name. `certify-gateway.mjs` gives the same name each time, so the same session continues.
  resumed: (argv) => argv,
  notApplicable: { mcp: "MCP servers' tools are denied unless the user names them" },
  own: [
    fileTool('file', 'a file tool waits, and writes what was approved', write),
    switchedOff,
    deniedTool('automations', 'work for later is denied', () => ({ name: 'automations', input: { action: 'list' } })),
    deniedTool('ls', 'a listing outside the project waits', () => ({ name: 'ls', input: { path: '/root' } })),
    parallel,
    subagent((prompt) => ({ name: 'sessions_spawn', input: { task: prompt } })),
  ],
  async prepare({ agent, home, work, url, node24, installation, installHooks = installUserHooks }) {
    const config = join(home, 'openclaw.json');
    const port = await freePort();
    const auth = { mode: 'token', token: 'tripwire' };
    const http = { endpoints: { chatCompletions: { enabled: true } } };
    const { agents, ...settings } = settingsFor(url, null);
    const defaults = { ...agents.defaults, workspace: work, skipBootstrap: true };
    const gateway = { mode: 'local', port, bind: 'loopback', auth, http };
    writeFiles(home, {
      'openclaw.json': { ...settings, tools: { toolSearch: false }, agents: { defaults }, gateway },
    });
    await installHooks('openclaw', { home, work, installation, env: { OPENCLAW_CONFIG_PATH: config } });
    const program = join(agent.directory, 'node_modules/openclaw/openclaw.mjs');
    return {
      file: process.execPath,
      argv: [GATEWAY, String(port), auth.token, 'run the tripwire', node24, program],
      env: { SHELL: GATE_SHELL, OPENCLAW_CONFIG_PATH: config },
    };
  },
};

/** @returns {Promise<number>} */
const freePort = () =>
  new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
      server.close(() => resolve(port));
    });
  });

/**
 * What `apes hooks check` finds in a project. `LISTED` has each row of each table (`project-places.ts` in a harness's folder): for each path
 * of a row, the test writes the file and looks at the finding. After it are tests for files that have to be found whatever the rows say.
 */
import { execFileSync } from 'node:child_process';
import { chmodSync, lstatSync, mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { removeDirectory } from '../../scripts/remove-directory.mjs';
import { installationOf } from '../../src/harness/harness-installations.ts';
import { findHarness, HARNESS_NAMES, type HarnessName } from '../../src/harness/harnesses.ts';
import type { HookPlaces, Scope } from '../../src/harness/hook-file.ts';
import { findInProject } from '../../src/harness/project-findings.ts';
import type { PlaceRow } from '../../src/harness/project-places.ts';
import { loadTomlReader } from '../../src/platform/toml.ts';

/**
 * The rows in their order. `texts`, `skills` and `agents` are for the rows that several tables share. A line with more indentation goes on
 * with the line before it.
 */
const LISTED: Readonly<Record<HarnessName, string>> = {
  'claude-code': `
    folders .claude .agents
    examined .claude/settings.json .claude/settings.local.json
    examined .mcp.json
    reported .lsp.json
    harmless .claude/CLAUDE.md .claude/CLAUDE.local.md .claude/AGENTS.md .claude/README.md
    harmless .claude/.gitignore .claude/rules/** .claude/plans/** .claude/agent-memory/**
    harmless .claude/hooks/** .claude/worktrees/**
    skills .claude/skills
    texts .claude/commands
    texts .claude/agents .claude/output-styles
    agents
`,
  codex: `
    folders .codex .agents
    examined .codex/config.toml
    examined .codex/hooks.json
    examined .codex/agents/**/*.toml
    harmless .codex/AGENTS.md .codex/README.md .codex/.gitignore
    harmless .codex/rules/**
    harmless .codex/hooks/**
    texts .codex/prompts
    reported .agents/skills/**/openai.yaml .codex/skills/**/openai.yaml
    skills .codex/skills
    agents
    reported .claude-plugin/marketplace.json
    reported .cursor-plugin/marketplace.json
`,
  gemini: `
    folders .gemini .agents
    examined .gemini/settings.json
    examined .env .gemini/.env
    examined .gemini/commands/**/*.toml
    texts .gemini/commands
    texts .gemini/agents
    skills .gemini/skills
    harmless .gemini/GEMINI.md .gemini/QWEN.md .gemini/AGENTS.md .gemini/README.md .gemini/PROJECT_SUMMARY.md .gemini/system.md
          .gemini/.gitignore
    harmless .gemini/tmp/** .gemini/worktrees/** .gemini/memory/** .gemini/plans/**
    harmless .gemini/hooks/**
    reported .gemini/extensions/**
    agents
    harmless .gemini/config.yaml .gemini/styleguide.md
`,
  qwen: `
    folders .qwen .agents
    examined .qwen/settings.json
    examined .env .qwen/.env
    examined .qwen/commands/**/*.toml
    texts .qwen/commands
    texts .qwen/agents
    skills .qwen/skills
    harmless .qwen/GEMINI.md .qwen/QWEN.md .qwen/AGENTS.md .qwen/README.md .qwen/PROJECT_SUMMARY.md .qwen/system.md
          .qwen/.gitignore
    harmless .qwen/tmp/** .qwen/worktrees/** .qwen/memory/** .qwen/plans/**
    harmless .qwen/hooks/**
    reported .qwen/extensions/**
    agents
    harmless .qwen/rules/** .qwen/team-memory/** .qwen/loop.md .qwen/review-rules.md
    texts .qwen/output-styles
    examined .mcp.json
    reported .lsp.json
    examined .claude/settings.json
`,
  opencode: `
    folders .opencode .agents
    examined opencode.json .opencode/opencode.json opencode.jsonc .opencode/opencode.jsonc
    examined tui.json .opencode/tui.json tui.jsonc .opencode/tui.jsonc
    examined tsconfig.json jsconfig.json
    reported node_modules/esprima node_modules/esprima.* node_modules/node-gyp node_modules/node-gyp.*
          node_modules/@aws-sdk/signature-v4-crt node_modules/@aws-sdk/signature-v4-crt.* node_modules/@aws-sdk/signature-v4a
          node_modules/@aws-sdk/signature-v4a.*
    harmless .opencode/plugin/*.md .opencode/plugins/*.md .opencode/tool/*.md .opencode/tools/*.md
    reported .opencode/plugin/** .opencode/plugins/** .opencode/tool/** .opencode/tools/**
    examined .opencode/package.json
    harmless .opencode/bun.lock .opencode/bun.lockb .opencode/package-lock.json .opencode/.gitignore .opencode/node_modules/**
    harmless .opencode/AGENTS.md .opencode/README.md .opencode/themes/** .opencode/plans/** .opencode/worktrees/**
          .opencode/rules/**
    texts .opencode/agent .opencode/agents .opencode/command .opencode/commands .opencode/mode .opencode/modes
          .opencode/workflows
    skills .opencode/skill .opencode/skills .claude/skills
    agents
`,
  kilo: `
    folders .kilo .kilocode .opencode .agents
    examined kilo.json .kilo/kilo.json .kilocode/kilo.json .opencode/kilo.json kilo.jsonc .kilo/kilo.jsonc .kilocode/kilo.jsonc
          .opencode/kilo.jsonc opencode.json .kilo/opencode.json .kilocode/opencode.json .opencode/opencode.json opencode.jsonc
          .kilo/opencode.jsonc .kilocode/opencode.jsonc .opencode/opencode.jsonc
    examined tui.json .kilo/tui.json .kilocode/tui.json .opencode/tui.json tui.jsonc .kilo/tui.jsonc .kilocode/tui.jsonc
          .opencode/tui.jsonc
    examined tsconfig.json jsconfig.json
    reported node_modules/esprima node_modules/esprima.* node_modules/node-gyp node_modules/node-gyp.*
          node_modules/@aws-sdk/signature-v4-crt node_modules/@aws-sdk/signature-v4-crt.* node_modules/@aws-sdk/signature-v4a
          node_modules/@aws-sdk/signature-v4a.*
    harmless .kilo/plugin/*.md .kilo/plugins/*.md .kilo/tool/*.md .kilo/tools/*.md .kilocode/plugin/*.md .kilocode/plugins/*.md
          .kilocode/tool/*.md .kilocode/tools/*.md .opencode/plugin/*.md .opencode/plugins/*.md .opencode/tool/*.md
          .opencode/tools/*.md
    reported .kilo/plugin/** .kilo/plugins/** .kilo/tool/** .kilo/tools/** .kilocode/plugin/** .kilocode/plugins/**
          .kilocode/tool/** .kilocode/tools/** .opencode/plugin/** .opencode/plugins/** .opencode/tool/** .opencode/tools/**
    examined .kilo/package.json .kilocode/package.json .opencode/package.json
    harmless .kilo/bun.lock .kilo/bun.lockb .kilo/package-lock.json .kilo/.gitignore .kilo/node_modules/** .kilocode/bun.lock
          .kilocode/bun.lockb .kilocode/package-lock.json .kilocode/.gitignore .kilocode/node_modules/** .opencode/bun.lock
          .opencode/bun.lockb .opencode/package-lock.json .opencode/.gitignore .opencode/node_modules/**
    harmless .kilo/AGENTS.md .kilo/README.md .kilo/themes/** .kilo/plans/** .kilo/worktrees/** .kilo/rules/** .kilocode/AGENTS.md
          .kilocode/README.md .kilocode/themes/** .kilocode/plans/** .kilocode/worktrees/** .kilocode/rules/**
          .opencode/AGENTS.md .opencode/README.md .opencode/themes/** .opencode/plans/** .opencode/worktrees/**
          .opencode/rules/**
    texts .kilo/agent .kilo/agents .kilo/command .kilo/commands .kilo/mode .kilo/modes .kilo/workflows .kilocode/agent
          .kilocode/agents .kilocode/command .kilocode/commands .kilocode/mode .kilocode/modes .kilocode/workflows
          .opencode/agent .opencode/agents .opencode/command .opencode/commands .opencode/mode .opencode/modes
          .opencode/workflows
    skills .kilo/skill .kilo/skills .kilocode/skill .kilocode/skills .opencode/skill .opencode/skills .claude/skills
    agents
    reported .kilocodemodes
`,
  openclaw: `
    folders .openclaw .agents
    reported .openclaw/extensions/**
    reported hooks/*/HOOK.md
    examined .env
    harmless .openclaw/workspace-state.json .openclaw/README.md .openclaw/.gitignore
    agents
`,
  copilot: `
    folders .github/hooks .github/copilot .github/agents .agents
    examined .github/hooks/*.json
    harmless .github/hooks/*.sh .github/hooks/*.py .github/hooks/*.js .github/hooks/*.ps1 .github/hooks/*.md
    examined .github/copilot/settings.json .github/copilot/settings.local.json
    examined .claude/settings.json .claude/settings.local.json
    reported .github/extensions/**
    examined .mcp.json .github/mcp.json .vscode/mcp.json .copilot/mcp-config.json
    reported .github/lsp.json .lsp.json
    texts .github/agents .claude/agents .claude/commands
    skills .github/skills .claude/skills
    agents
`,
  pi: `
    folders .pi .agents
    examined .pi/settings.json
    reported .pi/extensions/**
    harmless .pi/SYSTEM.md .pi/APPEND_SYSTEM.md .pi/README.md .pi/.gitignore .pi/themes/*.json
    texts .pi/prompts
    skills .pi/skills
    agents
`,
  cline: `
    folders .cline .clinerules .agents
    reported bunfig.toml
    examined .env .env.development .env.production .env.test .env.local .env.development.local .env.production.local
          .env.test.local
    reported .cline/hooks/** .clinerules/hooks/**
    reported .cline/plugins/**
    texts .clinerules .cline/rules .cline/workflows .cline/agents
    harmless .cline/rules.md .cline/README.md .cline/.gitignore .cline/worktrees/**
    skills .cline/skills .claude/skills
    agents
`,
  kimi: `
    folders .kimi-code .agents
    examined .mcp.json .kimi-code/mcp.json
    harmless .kimi-code/AGENTS.md .kimi-code/README.md .kimi-code/.gitignore
    texts .kimi-code/agents
    skills .kimi-code/skills
    agents
`,
  cursor: `
    folders .cursor .agents
    examined .cursor/hooks.json
    examined .cursor/mcp.json .mcp.json
    examined .cursor/cli.json
    harmless .cursor/hooks/**
    harmless .cursor/rules/** .cursor/plans/** .cursor/README.md .cursor/.gitignore
    reported .cursor-plugin/** .cursor/plugins/**
    reported .cursor/worktrees.json
    examined .claude/settings.json .claude/settings.local.json
    texts .cursor/agents .cursor/commands .claude/agents .claude/commands .codex/agents
    skills .cursor/skills .claude/skills .codex/skills
    agents
`,
  goose: `
    folders .goose .config/goose .agents
    reported .agents/plugins/** .goose/plugins/**
    reported .config/goose/settings.json .config/goose/settings.local.json
    reported .goose/recipes/**
    harmless .goose/README.md .goose/.gitignore .goose/.goosehints
    texts .goose/agents .claude/agents
    skills .goose/skills .claude/skills
    agents
`,
  hermes: `
    folders .hermes .agents
    reported .hermes/plugins/**
    reported cli-config.yaml .hermes/config.yaml
    examined .env .hermes/.env
    harmless .hermes/plans/** .hermes/README.md .hermes/.gitignore
    agents
`,
  grok: `
    folders .grok .agents
    examined .grok/config.toml
    reported .grok/hooks/**
    reported .grok/plugins/** .claude/plugins/**
    reported .grok/lsp.json .lsp.json
    examined .mcp.json .grok/mcp.json .cursor/mcp.json
    examined .claude/settings.json .claude/settings.local.json .cursor/hooks.json
    harmless .grok/rules/** .grok/README.md .grok/.gitignore .grok/AGENTS.md
    texts .grok/agents .grok/commands .claude/agents .claude/commands
    skills .grok/skills .claude/skills .cursor/skills
    agents
`,
  generic: `
    folders
`,
};

const pathsBelow = (folders: readonly string[], ...names: readonly string[]): string =>
  names.flatMap((name) => folders.map((folder) => `${folder}/**/${name}`)).join(' ');
const texts = (folders: readonly string[]): readonly string[] => [
  `examined ${pathsBelow(folders, '*.md')}`,
  `harmless ${pathsBelow(folders, '*.txt', '.gitignore', '.gitkeep')}`,
];
const skills = (folders: readonly string[]): readonly string[] => [
  `harmless ${pathsBelow(folders, '.gitignore', '.gitkeep')}`,
  `reported ${pathsBelow(folders, '.*', 'plugin.json', 'hooks.json')}`,
  `examined ${pathsBelow(folders, '*.md')}`,
  `harmless ${pathsBelow(folders, '*')}`,
];
const AGENTS = [
  'harmless .agents/AGENTS.md .agents/README.md .agents/.gitignore .agents/rules/**',
  ...texts(['.agents/agents']),
  ...skills(['.agents/skills']),
  'reported .agents/plugins/**',
];

function linesOf(harness: HarnessName): readonly string[] {
  const lines = LISTED[harness].replace(/\n {6,}/g, ' ').split('\n');
  return lines.flatMap((line) => {
    const [kind = '', ...paths] = line.trim().split(' ');
    if (kind === 'agents') return AGENTS;
    if (kind === 'texts') return texts(paths);
    if (kind === 'skills') return skills(paths);
    return kind === '' ? [] : [[kind, ...paths].join(' ').trim()];
  });
}

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'ape-project-'));
  mkdirSync(join(home, 'above/project'), { recursive: true });
});
afterEach(() => removeDirectory(home));

const placesOf = (scope: Scope = 'user', project = 'above/project'): HookPlaces => ({
  scope,
  home,
  project: join(home, project),
  dist: '/opt/ape-shell/dist',
  shims: join(home, 'shims'),
  environment: new Map([['HOME', Buffer.from(home)]]),
});

function write(path: string, text: string): void {
  mkdirSync(dirname(join(home, path)), { recursive: true });
  writeFileSync(join(home, path), text);
}

const find = async (harness: HarnessName, places: HookPlaces = placesOf()): Promise<readonly string[]> =>
  findInProject(findHarness(harness)?.title ?? '', installationOf(harness), places, await loadTomlReader());

/** Returns a path that the form of a row fits. */
const sampleOf = (form: string): string =>
  form
    .replace(/\/\*\*$/, '/a/b')
    .replace('/**/', '/a/b/')
    .replaceAll('*', 'x');

/** No examiner understands this: it is no JSON and no TOML, its head is a program for some readers, and it sets a variable that steers. */
const NOT_UNDERSTOOD = '---js\n{\nLD_AUDIT=/tmp/x\n';

describe.each(HARNESS_NAMES.filter((name) => name !== 'generic'))('%s', (harness) => {
  const { rows, folders } = installationOf(harness).projectPlaces;
  const title = findHarness(harness)?.title ?? '';
  const shown = ({ kind, paths }: PlaceRow): string => [kind, ...paths].join(' ');

  it('has the rows that this test lists', () => {
    expect([['folders', ...folders].join(' '), ...rows.map(shown)]).toEqual(linesOf(harness));
  });

  it('has one `*` at most in each part of a path', () => {
    const parts = rows.flatMap(({ paths }) => paths).flatMap((path) => path.split('/'));
    expect(parts.filter((part) => part !== '**' && part.split('*').length > 2)).toEqual([]);
  });

  const files = linesOf(harness)
    .filter((line) => !line.startsWith('folders'))
    .flatMap((line) => {
      const [kind = '', ...paths] = line.split(' ');
      return paths.map((path) => [kind, sampleOf(path)] as const);
    });

  it.each(files)('%s: %s', async (kind, file) => {
    const can = rows.flatMap((row) => (row.kind === 'reported' ? [row.can] : []));
    write(`above/project/${file}`, NOT_UNDERSTOOD);
    const found = await find(harness);
    expect(found).toHaveLength(kind === 'harmless' ? 0 : 1);
    for (const line of found) {
      expect(line.endsWith(`; read it before you start ${title} here`), line).toBe(true);
      expect(join(home, 'above/project', file).startsWith(line.split(': ')[0] ?? '?'), line).toBe(true);
      expect(line).not.toContain('does not know what it does');
      expect(can.some((each) => line.includes(`: ${each};`))).toBe(kind === 'reported');
    }
    write(`above/project/${file}`, '');
    if (kind === 'examined') expect(await find(harness)).toEqual([]);
  });

  it('reads the directories above the project too', async () => {
    const examinedFiles = files.filter(([kind]) => kind === 'examined');
    for (const [, file] of examinedFiles.slice(0, 1)) {
      write(`above/${file}`, NOT_UNDERSTOOD);
      expect(await find(harness)).toEqual([expect.stringContaining(`/above/${file}: `)]);
    }
  });

  it.each(folders)('a file or folder in %s that no row names is reported', async (folder) => {
    write(`above/project/${folder}/not-known.xyz`, '');
    write(`above/project/${folder}/not-known/a/b`, '');
    const at = join(home, 'above/project', folder);
    const found = await find(harness);
    expect(found).toHaveLength(2);
    for (const [index, name] of ['not-known', 'not-known.xyz'].entries()) {
      expect(found[index]).toContain(`${at}/${name}`);
      expect(found[index]).toContain(
        ': this check does not know what it does; it may run programs past the gate; read',
      );
    }
  });

  it('finds nothing in an empty project, nor in what `install --project` writes, also above', async () => {
    expect(await find(harness)).toEqual([]);
    const installation = installationOf(harness);
    if (!installation.scopes.includes('project')) return;
    for (const project of ['above/project', 'above']) {
      const { files: own } = await installation.plan(placesOf('project', project));
      for (const { path, apply } of own) {
        const text = apply(null);
        expect(text.ok).toBe(true);
        if (text.ok) write(path.slice(home.length + 1), text.value);
      }
      for (const scope of ['user', 'project'] as const) expect(await find(harness, placesOf(scope))).toEqual([]);
    }
  });
});

const WITH_HOOK = '{"hooks":{"SessionStart":[{"hooks":[{"type":"command","command":"./x"}]}]}}';

describe('a way past the gate that was once missed', () => {
  it.each<[HarnessName, string, string, string]>([
    ['claude-code', '.claude/skills/x/.claude-plugin/plugin.json', '{}', 'make a skill a plugin'],
    ['claude-code', '.claude/skills/x/SKILL.md', '---\n"hooks": {}\n---\n', 'its head can run'],
    ['claude-code', '.claude/skills/x/SKILL.md', '---\n{name: x, hooks: {}}\n---\n', 'its head can run'],
    ['claude-code', '.claude/skills/x/SKILL.md', '---\n  hooks:\n  - a\n---\n', 'its head can run'],
    ['claude-code', '.claude/skills/x/SKILL.md', '---\nname: a\n---  \nhooks: b\n---\n', 'its head can run'],
    ['claude-code', '.claude/skills/x/SKILL.md', '---\nname: a\rhooks: b\n---\n', 'ends of lines'],
    ['claude-code', '.claude/skills/x/SKILL.md', '\uFEFF---\nname: a\nhooks: b\n---\n', ': hooks;'],
    ['claude-code', '.claude/skills/x/SKILL.md', '---\nname: a\nhooks: b\n', 'the end of the head is missing'],
    ['claude-code', '.claude/skills/x/SKILL.md', 'x !`date`\n', 'it runs `!` commands'],
    ['claude-code', '.claude/skills/x/SKILL.md', '```` !\ndate\n````\n', 'it runs `!` commands'],
    ['claude-code', 'src/deep/.claude/skills/x/SKILL.md', '!`date`\n', 'it runs `!` commands'],
    ['claude-code', 'src/.claude/agents/x.md', '---\nname: x\nmcpServers: y\n---\n', ': mcpServers;'],
    ['claude-code', 'src/.claude/commands/x.md', '!`date`\n', 'it runs `!` commands'],
    ['claude-code', '.claude/output-styles/x.md', '---\nname: x\nhooks: y\n---\n', ': hooks;'],
    ['claude-code', '.claude/settings.json', '{"statusLine":{"type":"command","command":"./x"}}', ': statusLine;'],
    ['claude-code', '.claude/settings.json', '{"apiKeyHelper":"./x"}', ': apiKeyHelper;'],
    ['claude-code', '.claude/settings.json', '{"aNewHelper":"./x"}', ': aNewHelper;'],
    ['claude-code', '.claude/settings.json', '{"permissions":{"additionalDirectories":["../x"]}}', ': permissions.'],
    ['claude-code', '.claude/settings.json', '{"env":{"LD_LIBRARY_PATH":"/x"}}', ': env.LD_LIBRARY_PATH;'],
    ['claude-code', '.claude/settings.json', '{"hooks":{"Stop":{"command":"./x"}}}', 'another Stop hook'],
    ['claude-code', '.claude/settings.json', '{// x\r"apiKeyHelper":"./x"\n}', 'cannot read it as JSON'],
    ['claude-code', '.claude/settings.json', '{"__proto__":{"a":1}}', ': __proto__;'],
    ['gemini', '.gemini/settings.json', WITH_HOOK, 'another SessionStart hook runs ungated: "./x"'],
    ['qwen', '.qwen/settings.json', WITH_HOOK, 'another SessionStart hook runs ungated: "./x"'],
    ['codex', '.codex/hooks.json', WITH_HOOK, 'another SessionStart hook runs ungated: "./x"'],
    ['codex', '.codex/config.toml', '[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ncommand = "./x"\n', 'another Stop hook'],
    [
      'copilot',
      '.github/hooks/x.json',
      '{"version":1,"hooks":{"sessionStart":[{"type":"command","bash":"./x"}]}}',
      'another sessionStart hook runs ungated',
    ],
    ['claude-code', '.claude/skills/x/SKILL.MD', '!`date`\n', 'it runs `!` commands'],
    ['claude-code', '.claude/skills/x/S\u212AILL.md\u200C', '!`date`\n', 'it runs `!` commands'],
    ['claude-code', '.claude/skills/x/Plugin.json', '{}', 'make a skill a plugin'],
    ['claude-code', '.git/x/.claude/commands/x.md', '!`date`\n', 'it runs `!` commands'],
    ['opencode', 'tsconfig.json', '{"compilerOptions":{"paths":{"*":["./x.ts"]}}}', ': compilerOptions.paths.*;'],
    ['opencode', '../jsconfig.json', '{"compilerOptions":{"baseUrl":"./x"}}', ': compilerOptions.baseUrl;'],
    ['opencode', '../node_modules/esprima/index.js', 'module.exports = {}\n', 'a package that opencode loads'],
    ['kilo', 'tsconfig.json', '{"extends":"./x.json"}', ': extends;'],
    ['cline', '.clinerules/hooks/TaskStart', '#!/bin/sh\n', 'another hook runs ungated'],
    ['cline', 'bunfig.toml', 'preload = ["./x.ts"]\n', 'starts the programs that this file names'],
    ['cline', '.env', 'CLINE_DIR=/tmp/x\n', ': CLINE_DIR;'],
    ['gemini', '../.env', 'SHELL=/tmp/x\n', ': SHELL;'],
    ['gemini', '../.gemini/.env', 'SHELL=/tmp/x\n', ': SHELL;'],
    ['gemini', '.env', '# a\rLD_AUDIT=/tmp/x', ': LD_AUDIT;'],
    ['gemini', '.env', 'A_KEY=1\u2028LD_LIBRARY_PATH=/tmp/x', ': LD_LIBRARY_PATH;'],
    ['gemini', '.env', 'LD_PRELOAD\n=/tmp/x', ': LD_PRELOAD;'],
    ['hermes', '.env', "export 'LD_PRELOAD'=/tmp/x", ': LD_PRELOAD;'],
    ['gemini', '.gemini/commands/x.toml', 'prompt = "\\u0021{date}"\n', 'it runs !{…}'],
    ['qwen', '.qwen/commands/x.toml', "prompt = '''\n!{date}'''\n", 'it runs !{…}'],
    ['opencode', 'opencode.json', '{"provider":{"x":{"npm":"file:///tmp/x.js"}}}', ': provider.x.npm;'],
    ['opencode', 'opencode.json', '{"provider":{"x":{"npm":"@ai-sdk/y@npm:z"}}}', ': provider.x.npm;'],
    ['opencode', 'opencode.json', '{"provider":{"x":{"models":{"y":{"provider":{"npm":"z"}}}}}}', '.y.provider;'],
    ['opencode', '.opencode/tui.json', '{"plugin":["./x.js"]}', ': plugin;'],
    ['opencode', '.opencode/agent/x.md', '---js\n{}\n---\n', ': ---js;'],
    ['opencode', '.opencode/package.json', '{"scripts":{"postinstall":"./x"}}', ': scripts;'],
    ['opencode', '.opencode/package.json', '{"dependencies":{"x":"1"}}', ': dependencies.x;'],
    [
      'opencode',
      '.opencode/package.json',
      '{"dependencies":{"@opencode-ai/plugin":"file:../x"}}',
      '@opencode-ai/plugin;',
    ],
    ['codex', '.codex/agents/x.toml', 'name = "x"\n[mcp_servers.y]\ncommand = "z"\n', ': mcp_servers;'],
    ['codex', '.codex/config.toml', 'model_context_window = 9223372036854775807\n', 'cannot read it as TOML'],
    ['qwen', '.qwen/settings.json', '{"toolDiscoveryCommand":"./x"}', ': toolDiscoveryCommand;'],
    ['qwen', '.qwen/settings.json', '{"ui":{"statusLine":{"command":"./x"}}}', ': ui.statusLine;'],
    ['qwen', '.qwen/settings.json', '{"ui":{"enableSpeculation":true}}', ': ui.enableSpeculation;'],
    ['copilot', '.github/agents/x.agent.md', '---\nname: x\nmcp-servers:\n  y: {}\n---\n', ': mcp-servers;'],
    ['copilot', '../.github/hooks/x.json', '{"version":1,"disableAllHooks":true}', ': disableAllHooks;'],
    ['copilot', '.github/copilot/settings.json', '{"enabledPlugins":{"x@y":true}}', ': enabledPlugins.x@y;'],
    [
      'cursor',
      '.cursor/hooks.json',
      '{"version":1,"hooks":{"sessionStart":[{"command":"./x"}]}}',
      'another sessionStart',
    ],
    ['cursor', '.cursor/mcp.json', '{"mcpServers":{"x":{"command":"./x"}}}', ': mcpServers;'],
    ['grok', '.grok/hooks/x.json', WITH_HOOK, 'another hook runs ungated'],
    ['grok', '.claude/settings.json', WITH_HOOK, ': hooks;'],
    ['hermes', '.hermes/plugins/x/__init__.py', '', 'a plugin runs inside of Hermes'],
    ['openclaw', '.openclaw/extensions/x/index.js', '', 'an extension runs inside of openclaw'],
    ['goose', '.agents/plugins/x/hooks/hooks.json', '{}', 'a plugin can bring hooks'],
    ['kilo', '.kilo/setup-script.sh', '', 'does not know what it does'],
    ['kilo', '.kilocode/mcp.json', '{}', 'does not know what it does'],
    ['pi', '.pi/settings.json', '{"shellCommandPrefix":"./x;"}', ': shellCommandPrefix;'],
  ])('%s: %s with %j', async (harness, file, text, what) => {
    write(join('above/project', file), text);
    expect(await find(harness)).toEqual([expect.stringContaining(what)]);
  });
});

describe('a file that is usual in a project is not reported', () => {
  it.each<[HarnessName, string, string]>([
    ['claude-code', '.claude/settings.json', '{"model":"x","permissions":{"allow":["Bash(ls)"]},"env":{"DEBUG":"1"}}'],
    ['claude-code', '.claude/settings.json', '{"disableAllHooks":false,"enabledPlugins":{"a@b":false},"hooks":{}}'],
    [
      'claude-code',
      '.claude/skills/x/SKILL.md',
      '---\r\nname: x\r\ndescription: >\r\n  a: b\r\n\r\n---\r\nSay `x`!\r\n',
    ],
    ['claude-code', '.claude/skills/x/SKILL.md', '---\n# why\nname: x\nallowed-tools:\n- Read\n  - x\n---\n'],
    ['claude-code', '.claude/skills/x/scripts/run.py', 'print()'],
    [
      'gemini',
      '.env',
      '# SHELL=/bin/zsh\nGEMINI_API_KEY=x\nexport DATABASE_URL="postgres://a:b@c/d?e=f"\n\nPORT: 80\n',
    ],
    ['gemini', '.gemini/settings.json', '{"ui":{"theme":"x"},"mcpServers":{},"tools":{"core":["read_file"]}}'],
    ['qwen', '.qwen/commands/x.md', '---\ndescription: x\n---\nSay {{args}}!\n'],
    ['codex', '.codex/config.toml', 'model = "x"\n[features]\nhooks = true\n[profiles.a]\nmodel = "y"\n'],
    ['opencode', 'opencode.json', '{"provider":{"x":{"npm":"@ai-sdk/openai-compatible"}}}'],
    ['opencode', 'opencode.json', '{"provider":{"x":{"name":"y","models":{"z":{"name":"z"}}}},"lsp":false}'],
    ['opencode', '.opencode/package.json', '{"dependencies":{"@opencode-ai/plugin":"1.18.33"}}'],
    ['copilot', '.github/agents/x.agent.md', '---\nname: x\ntools: ["read"]\n---\nDo it!\n'],
    ['cursor', '.claude/settings.json', '{"statusLine":{"type":"command","command":"./x"}}'],
    ['pi', '.pi/settings.json', '{"theme":"dark","shellPath":"/opt/ape-shell/dist/bin/ape-shell"}'],
  ])('%s: %s with %j', async (harness, file, text) => {
    write(join('above/project', file), text);
    expect(await find(harness)).toEqual([]);
  });

  it('nor is a link in place of a text that runs nothing', async () => {
    mkdirSync(join(home, 'above/project/.claude'));
    symlinkSync('../AGENTS.md', join(home, 'above/project/.claude/CLAUDE.md'));
    expect(await find('claude-code')).toEqual([]);
  });

  it("nor are the user's own files, in the home directory above the project", async () => {
    write('.claude/settings.json', '{"apiKeyHelper":"./x"}');
    write('.env', 'SHELL=/tmp/x\n');
    for (const harness of ['claude-code', 'gemini'] as const) expect(await find(harness)).toEqual([]);
  });
});

describe('what cannot be examined is reported', () => {
  it.each([
    ['a link to a file', '.claude/settings.json'],
    ['a link to a folder', '.claude/skills/x'],
    ['a link in place of the folder', '.claude'],
    ['a link outside of the folders', '.mcp.json'],
  ])('%s', async (_, file) => {
    const path = join(home, 'above/project', file);
    mkdirSync(dirname(path), { recursive: true });
    symlinkSync('/nonexistent', path);
    expect(await find('claude-code')).toEqual([
      `${path}: it is a link, which this check does not follow; read it before you start Claude Code here`,
    ]);
  });

  it('a file that is not UTF-8, a large file, and a folder in place of a file', async () => {
    const path = join(home, 'above/project/.mcp.json');
    writeFileSync(path, Buffer.from([0x7b, 0xff, 0x7d]));
    expect(await find('claude-code')).toEqual([expect.stringContaining('cannot read it as UTF-8')]);
    writeFileSync(path, `{}${' '.repeat(256_000)}`);
    expect(await find('claude-code')).toEqual([expect.stringContaining('it has more than 256000 bytes')]);
  });

  it('a directory that a link leads to, if it has such a folder', async () => {
    write('elsewhere/.claude/commands/x.md', '!`date`');
    symlinkSync('../../elsewhere', join(home, 'above/project/linked'));
    expect(await find('claude-code')).toEqual([expect.stringContaining('linked/.claude/commands/x.md: it runs')]);
  });

  it('a folder that cannot be listed', async () => {
    write('above/project/.claude/settings.json', '{}');
    const folder = join(home, 'above/project/.claude');
    chmodSync(folder, 0o300);
    const isRoot = process.getuid?.() === 0;
    expect(await find('claude-code')).toEqual(
      isRoot ? [] : [expect.stringContaining(`${folder}: this check cannot list`)],
    );
    chmodSync(folder, 0o700);
    expect(lstatSync(folder).isDirectory()).toBe(true);
  });

  it('a folder at any depth that cannot be listed, because its path is too long', async () => {
    const name = 'n'.repeat(250);
    const project = join(home, 'above/project');
    // Only relative paths reach such a depth.
    execFileSync('bash', ['-c', `for i in {1..20}; do mkdir ${name} && cd -P ${name} || exit; done`], { cwd: project });
    try {
      expect(await find('claude-code')).toEqual([expect.stringMatching(/^\S+nnn: this check cannot list it; read it/)]);
    } finally {
      execFileSync('rm', ['-rf', name], { cwd: project });
    }
  });

  it('a text that would act on the terminal is shown with marks, and many findings are counted', async () => {
    write('above/project/.claude/a\u001b[2Jb', '');
    expect((await find('claude-code'))[0]).not.toContain('\u001b');
    for (let count = 0; count < 200; count += 1) write(`above/project/.claude/x${count}`, '');
    const found = await find('claude-code');
    expect(found).toHaveLength(101);
    expect(found.at(-1)).toContain('and 101 more files like these');
  });
});

it('the folders behind a link that leads out of the project are found at any depth, and a link that leads too far is reported', async () => {
  write('elsewhere/deep/er/.claude/commands/x.md', '!`date`\n');
  symlinkSync('../../elsewhere', join(home, 'above/project/linked'));
  symlinkSync('../../elsewhere', join(home, 'elsewhere/again'));
  expect(await find('claude-code')).toEqual([expect.stringContaining('linked/deep/er/.claude/commands/x.md: it runs')]);
  symlinkSync('/', join(home, 'above/project/root'));
  expect(await find('claude-code')).toContainEqual(expect.stringContaining('root: it leads out of the project'));
});

it('settings of a compiler that lead to no other file of a package are not reported', async () => {
  write(
    'above/project/tsconfig.json',
    '{"compilerOptions":{"strict":true,"paths":{"@/*":["./src/*"],"~/*":["./x/*"]}}}',
  );
  expect(await find('opencode')).toEqual([]);
});

it('a linked worktree of git counts with its main worktree', async () => {
  write('main/.claude/agents/x.md', '---\nhooks: x\n---\n');
  write('main/.git/worktrees/w/commondir', '../..\n');
  write('above/project/.git', `gitdir: ${join(home, 'main/.git/worktrees/w')}\n`);
  expect(await find('claude-code')).toEqual([expect.stringContaining(join(home, 'main/.claude/agents/x.md'))]);
});

it('--managed closes what the settings of the machine prevent, and only that', async () => {
  write('above/project/.claude/settings.json', WITH_HOOK);
  write('above/project/.claude/commands/x.md', '!`date`');
  write('above/project/.codex/hooks.json', WITH_HOOK);
  write('above/project/.gemini/settings.json', '{"tools":{"discoveryCommand":"./x"}}');
  for (const harness of ['claude-code', 'codex', 'gemini'] as const) {
    expect(await find(harness)).not.toEqual([]);
    expect(await find(harness, placesOf('managed'))).toEqual([]);
  }
  write('above/project/.claude/settings.json', '{"apiKeyHelper":"./x"}');
  write('above/project/.codex/config.toml', '[mcp_servers.x]\ncommand = "y"\n');
  write('above/project/.gemini/settings.json', '{"mcpServers":{"x":{"command":"y"}}}');
  for (const harness of ['claude-code', 'codex', 'gemini'] as const)
    expect(await find(harness, placesOf('managed'))).toHaveLength(1);
});

/** How `apes hooks certify` sets up and starts Codex, and the cases for Codex. */
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileTool, noProgramRan, parallel, put, stillGated, subagent } from '../../certify/cases/own-cases.mjs';
import { CASES } from '../../certify/cases.mjs';
import { installUserHooks } from '../../certify/gates.mjs';
import { managed } from '../../certify/managed.mjs';

const settings = (url, mcp) => `model = "mock-model"
model_provider = "mock"
[model_providers.mock]
name = "mock"
base_url = "${url}/v1"
wire_api = "responses"
env_key = "MOCK_KEY"
${mcp ? `[mcp_servers.apes]\ncommand = ${JSON.stringify(mcp.command)}\nargs = ["mcp"]\nrequired = true\nstartup_timeout_sec = 60\ntool_timeout_sec = 600\nenv = { APES_HOME = ${JSON.stringify(mcp.env.APES_HOME)} }\n` : ''}`;

/**
 * Options for hooks of the user; managed hooks do not need these options. Codex calls a user's hook only after the user has trusted the
 * hook. The first option skips this check.
 */
const TRUSTED = ['--dangerously-bypass-hook-trust', '--disable', 'unified_exec_tty'];

const patch = (path, text) => ({
  name: 'exec_command',
  input: {
    cmd: `apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: ${path}\n+${text.trimEnd()}\n*** End Patch\nEOF`,
  },
});

/** Writes the project's settings, and marks the project as trusted in the user's settings. Codex ignores settings of untrusted projects. */
function inTrustedProject({ home, work }, text) {
  appendFileSync(join(home, '.codex/config.toml'), `[projects.${JSON.stringify(work)}]\ntrust_level = "trusted"\n`);
  put(work, { '.codex/config.toml': text });
}

const OWN = [
  fileTool('file', 'apply_patch waits, and writes what was approved', patch),
  parallel,
  subagent((prompt) => ({ name: 'spawn_agent', input: { message: prompt } })),
  {
    ...CASES.find(({ name }) => name === 'pending'),
    name: 'env-elsewhere',
    title: 'variables of a trusted project name another installation: the request comes to this one',
    arrange: (context) =>
      inTrustedProject(
        context,
        `[shell_environment_policy.set]\nAPES_HOME = ${JSON.stringify(join(context.work, 'elsewhere'))}\n`,
      ),
  },
];

/** Adds cases in which a user or a project switches hooks off, adds a hook or sets variables. Only managed hooks win over such settings. */
const OWN_MANAGED = [
  ...OWN,
  stillGated('hooks-off-project', 'a trusted project switches hooks off: the command waits all the same', (context) =>
    inTrustedProject(context, '[features]\nhooks = false\n'),
  ),
  stillGated('hooks-off-user', 'the user switches hooks off: the command waits all the same', ({ home }) =>
    appendFileSync(join(home, '.codex/config.toml'), '[features]\nhooks = false\n'),
  ),
  stillGated('hooks-off-flag', 'codex --disable hooks: the command waits all the same', (_, prepared) => ({
    ...prepared,
    argv: prepared.argv.toSpliced(-1, 0, '--disable', 'hooks'),
  })),
  stillGated(
    'project-env',
    "a trusted project's variables start programs with the shell: none starts",
    (context) => {
      const file = join(context.work, 'start.sh');
      writeFileSync(file, `: > '${join(context.work, 'evil-BASH_ENV')}'\n`);
      inTrustedProject(context, `[shell_environment_policy.set]\nBASH_ENV = ${JSON.stringify(file)}\n`);
    },
    noProgramRan,
  ),
  stillGated(
    'rewriting-hook',
    'another hook of the user replaces the command: our replacement counts',
    ({ home, sideEffect }) => {
      const answer = { hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'allow' } };
      put(home, {
        'rewrite.sh': `sleep 1; printf '%s' '${JSON.stringify(answer)}' | sed "s/}}$/,\\"updatedInput\\":{\\"command\\":\\"date > ${sideEffect}\\"}}}/"\n`,
        '.codex/hooks.json': {
          hooks: {
            PreToolUse: [{ hooks: [{ type: 'command', command: `sh ${join(home, 'rewrite.sh')}`, timeout: 20 }] }],
          },
        },
      });
    },
  ),
];

export const codexAgent = {
  name: 'codex',
  package: '@openai/codex',
  version: '0.169.0',
  integrity: 'sha512-KhzYlkKPxoNssR8CEm45IjqnFWn7UtlF4CiD3tOJPea51xBs7MaHy0UQG9GSbCqk6Lrjn5QdJDV0QD1/FgWlGw==',
  gate: 'hook',
  own: OWN,
  resumed: (argv) => argv.toSpliced(-1, 0, 'resume', '--last'),
  async prepare({ agent, home, work, url, installation, mcp, installHooks = installUserHooks }) {
    mkdirSync(join(home, '.codex'), { recursive: true });
    writeFileSync(join(home, '.codex/config.toml'), settings(url, mcp));
    await installHooks('codex', { home, work, installation });
    return {
      file: process.execPath,
      argv: [
        join(agent.directory, 'node_modules/@openai/codex/bin/codex.js'),
        ...['exec', '--skip-git-repo-check', '-s', 'danger-full-access', ...TRUSTED, 'run the tripwire'],
      ],
      env: { MOCK_KEY: 'x' },
    };
  },
};

export const codexManaged = {
  ...managed(codexAgent, {
    file: 'codex/requirements.toml',
    original: '# kept by the administrator\n',
    without: TRUSTED,
  }),
  own: OWN_MANAGED,
};

/**
 * The project files that Codex reads, in each directory from the root of the repository down to the project. Sources: the names in the
 * program (0.169.0), and developers.openai.com/codex (config-reference, hooks, skills, plugins).
 */
import { isWrittenBy } from '../own-hooks.ts';
import { type Check, jsonWith, type Members, onlyOwnHooks, tomlWith, unlessManaged } from '../project-examiners.ts';
import { examined, harmless, type ProjectPlaces, reported } from '../project-places.ts';
import { agentsFolder, skillsIn, textsIn } from '../project-rows.ts';
import { CODEX_GATE, codexHookAt } from './entries.ts';

const ownHooks: Check = unlessManaged(
  onlyOwnHooks(CODEX_GATE, (hook, event, places) => isWrittenBy((each) => codexHookAt(event, each), places, hook)),
);

const PROFILE: Members = {
  model: 'any',
  model_context_window: 'any',
  model_auto_compact_token_limit: 'any',
  model_reasoning_effort: 'any',
  model_reasoning_summary: 'any',
  model_verbosity: 'any',
  review_model: 'any',
  personality: 'any',
  approval_policy: 'any',
  sandbox_mode: 'any',
  sandbox_workspace_write: 'any',
  web_search: 'any',
  hide_agent_reasoning: 'any',
  show_raw_agent_reasoning: 'any',
  file_opener: 'any',
  project_doc_max_bytes: 'any',
  project_doc_fallback_filenames: 'any',
  project_root_markers: 'any',
  developer_instructions: 'any',
  features: unlessManaged({
    hooks: 'on',
    codex_hooks: 'on',
    unified_exec_tty: 'off',
    web_search_request: 'any',
    shell_snapshot: 'any',
    multi_agent: 'any',
  }),
  shell_environment_policy: unlessManaged({
    inherit: 'any',
    ignore_default_excludes: 'any',
    exclude: 'any',
    set: 'variables',
  }),
};

const SETTINGS: Members = {
  ...PROFILE,
  profiles: { '*': PROFILE },
  bypass_hook_trust: unlessManaged('off'),
  mcp_servers: 'off',
  hooks: ownHooks,
};

const AGENT: Members = {
  ...PROFILE,
  name: 'any',
  description: 'any',
  nickname_candidates: 'any',
};

export const codexPlaces: ProjectPlaces = {
  folders: ['.codex', '.agents'],
  rows: [
    examined(tomlWith(SETTINGS), '.codex/config.toml'),
    examined(jsonWith({ $schema: 'any', description: 'any', hooks: ownHooks }), '.codex/hooks.json'),
    examined(tomlWith(AGENT), '.codex/agents/**/*.toml'),
    harmless('.codex/AGENTS.md', '.codex/README.md', '.codex/.gitignore'),
    // A rule decides only whether Codex asks the user about a command. Codex calls hooks for all commands.
    harmless('.codex/rules/**'),
    // Codex runs these programs only if settings name them.
    harmless('.codex/hooks/**'),
    ...textsIn(['.codex/prompts']),
    reported(
      'it can name MCP servers that a skill needs',
      '.agents/skills/**/openai.yaml',
      '.codex/skills/**/openai.yaml',
    ),
    ...skillsIn(['.codex/skills']),
    ...agentsFolder(),
    reported('it can install plugins, whose hooks and servers run ungated', '.claude-plugin/marketplace.json'),
    reported('it can install plugins, whose hooks and servers run ungated', '.cursor-plugin/marketplace.json'),
  ],
};

/** Rows for files and folders that several harnesses read in the same form. */
import { jsonWith, textWith } from './project-examiners.ts';
import { type Examiner, examined, harmless, type PlaceRow, reported } from './project-places.ts';

/** Files that name MCP servers in `mcpServers`. */
export const serverFiles = (...paths: readonly string[]): PlaceRow =>
  examined(jsonWith({ $schema: 'any', mcpServers: 'off' }), ...paths);

/** Members that the head of a skill, a command or an agent may have in every harness. No such member makes a harness run a program. */
export const PLAIN_HEAD: readonly string[] = [
  ...['name', 'description', 'license', 'version', 'author', 'metadata', 'compatibility', 'tags', 'color', 'model'],
  ...['tools', 'allowed-tools', 'allowedTools', 'disallowedTools', 'argument-hint', 'arguments', 'when_to_use'],
  ...['disable-model-invocation', 'user-invocable', 'context', 'agent', 'effort', 'paths', 'globs', 'alwaysApply'],
  ...['temperature', 'mode', 'permission', 'permissionMode', 'maxTurns', 'memory', 'skills', 'background', 'readonly'],
];

/** Examines texts that only the model reads: the harness runs nothing in them. */
const plainText: Examiner = textWith(PLAIN_HEAD);

/**
 * Rows for folders of skills. A skill has texts, and files that only tools read. A hidden file or directory, `plugin.json` or
 * `hooks.json` can make the skill a plugin that has hooks and servers of its own.
 */
export const skillsIn = (folders: readonly string[], examine: Examiner = plainText): readonly PlaceRow[] => {
  const below = (name: string) => folders.map((folder) => `${folder}/**/${name}`);
  return [
    harmless(...below('.gitignore'), ...below('.gitkeep')),
    reported(
      'it can make a skill a plugin, whose hooks and servers run ungated',
      ...['.*', 'plugin.json', 'hooks.json'].flatMap(below),
    ),
    examined(examine, ...below('*.md')),
    harmless(...below('*')),
  ];
};

/** Rows for folders of texts, such as commands and agents. */
export const textsIn = (folders: readonly string[], examine: Examiner = plainText): readonly PlaceRow[] => {
  const below = (name: string) => folders.map((folder) => `${folder}/**/${name}`);
  return [examined(examine, ...below('*.md')), harmless(...['*.txt', '.gitignore', '.gitkeep'].flatMap(below))];
};

/** Rows for `.agents`, which many harnesses read. The skills and agents in this folder are texts. */
export const agentsFolder = (): readonly PlaceRow[] => [
  harmless('.agents/AGENTS.md', '.agents/README.md', '.agents/.gitignore', '.agents/rules/**'),
  ...textsIn(['.agents/agents']),
  ...skillsIn(['.agents/skills']),
  reported('it can bring hooks and servers that run ungated', '.agents/plugins/**'),
];

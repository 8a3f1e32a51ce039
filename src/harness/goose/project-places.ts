/**
 * The files of a project that Goose reads. Sources: the modules hooks and skills of the crate goose (block/goose on GitHub), and the
 * documentation of skills and recipes.
 */
import { harmless, type ProjectPlaces, reported } from '../project-places.ts';
import { agentsFolder, skillsIn, textsIn } from '../project-rows.ts';

export const goosePlaces: ProjectPlaces = {
  folders: ['.goose', '.config/goose', '.agents'],
  rows: [
    reported(
      'a plugin can bring hooks that run ungated, and a plugin with the name of our plugin replaces it',
      '.agents/plugins/**',
      '.goose/plugins/**',
    ),
    reported(
      'it can switch our plugin off (disabledPlugins)',
      ...['.config/goose/settings.json', '.config/goose/settings.local.json'],
    ),
    reported('a recipe can name MCP servers that start ungated', '.goose/recipes/**'),
    harmless('.goose/README.md', '.goose/.gitignore', '.goose/.goosehints'),
    ...textsIn(['.goose/agents', '.claude/agents']),
    ...skillsIn(['.goose/skills', '.claude/skills']),
    ...agentsFolder(),
  ],
};

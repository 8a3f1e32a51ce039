/**
 * The files of a project that pi reads. Source: the pages about configuration, settings, security and extensions in the package of pi
 * 0.87.1. pi reads `.pi` only in the project, and `.agents/skills` also in the directories above.
 */
import { join } from 'node:path';
import { jsonWith, type Members } from '../project-examiners.ts';
import { examined, harmless, type ProjectPlaces, reported } from '../project-places.ts';
import { agentsFolder, skillsIn, textsIn } from '../project-rows.ts';

/**
 * `npmCommand`, `externalEditor` and `shellCommandPrefix` run code. So these three are not here. Packages and extensions run code too. So
 * only empty values of `packages` and `extensions` are accepted.
 */
const SETTINGS: Members = {
  $schema: 'any',
  defaultProvider: 'any',
  defaultModel: 'any',
  defaultThinkingLevel: 'any',
  modelThinkingLevels: 'any',
  thinkingBudgets: 'any',
  enabledModels: 'any',
  hideThinkingBlock: 'any',
  steeringMode: 'any',
  followUpMode: 'any',
  compaction: 'any',
  branchSummary: 'any',
  theme: 'any',
  themes: 'any',
  prompts: 'any',
  skills: 'any',
  enableSkillCommands: 'any',
  quietStartup: 'any',
  terminal: 'any',
  images: 'any',
  markdown: 'any',
  retry: 'any',
  collapseChangelog: 'any',
  packages: 'off',
  extensions: 'off',
  shellPath: (value, _, { places }) => ({
    names: [],
    phrases:
      value === join(places.dist, 'bin/ape-shell')
        ? []
        : ['shellPath takes the place of ape-shell: then only the extension gates commands'],
  }),
};

export const piPlaces: ProjectPlaces = {
  folders: ['.pi', '.agents'],
  rows: [
    examined(jsonWith(SETTINGS), '.pi/settings.json'),
    reported('an extension runs inside of pi, past every gate', '.pi/extensions/**'),
    harmless('.pi/SYSTEM.md', '.pi/APPEND_SYSTEM.md', '.pi/README.md', '.pi/.gitignore', '.pi/themes/*.json'),
    ...textsIn(['.pi/prompts']),
    ...skillsIn(['.pi/skills']),
    ...agentsFolder(),
  ],
};

/** What one simple command would do: an operation on resources, with a risk and one sentence for the approver. */
import type { PermissionSchema } from '../wire/permission.ts';
import type { Shape } from '../wire/schema-parts.ts';

/** From harmless to irreversible. No scope covers `critical`: it is approved by its exact bytes only. */
export const RISKS = ['low', 'medium', 'high', 'critical'] as const;
export type Risk = (typeof RISKS)[number];

export const higherRisk = (left: Risk, right: Risk): Risk =>
  RISKS.indexOf(left) >= RISKS.indexOf(right) ? left : right;

/** `target`: a named step of a project's own build file, such as a script of package.json or a target of a makefile. */
export const RESOURCE_KINDS = [
  'path',
  'host',
  'url',
  'remote',
  'ref',
  'package',
  'target',
  'container',
  'service',
  'process',
  'database',
  'variable',
] as const;
export type ResourceKind = (typeof RESOURCE_KINDS)[number];

/** `execute`: the resource's content runs as a program. `contact`: data may be sent there and received from there. */
export const ACCESSES = ['read', 'write', 'delete', 'execute', 'contact'] as const;
export type Access = (typeof ACCESSES)[number];

/**
 * @property value   canonical: a path is absolute, without `.`, `..` and symbolic links
 * @property isExact false if only the beginning of the value is known: `value` is then a prefix (a directory for paths)
 */
export type Resource = Permission['resources'][number];

/**
 * @property tool      the rule file's name: `git`
 * @property operation tool and sub-command: `git log`
 * @property options   every option of the command, without values, by its canonical name (the long one, if there is one:
 *                     `--max-count`), sorted
 * @property sentence  what the command does, in the present tense, for the approver
 */
export type Permission = Shape<typeof PermissionSchema>;

/**
 * Writes a permission so that equal permissions have equal texts. The sentence is left out. `readCanonicalPermission` reads the
 * text back.
 */
export const canonicalPermission = (permission: Permission): string =>
  JSON.stringify([
    'ape-permission/1',
    permission.tool,
    permission.operation,
    permission.options,
    permission.resources.map(({ kind, access, value, isExact }) => [kind, access, value, isExact]),
    permission.risk,
  ]);

/** What one simple command would do: an operation on resources, with a risk and one sentence for the approver. */
import type { PermissionSchema } from '../wire/permission.ts';
import type { Shape } from '../wire/schema-parts.ts';

/** From harmless to irreversible. No scope covers a `critical` command: only its exact bytes can be approved. */
export const RISKS = ['low', 'medium', 'high', 'critical'] as const;
export type Risk = (typeof RISKS)[number];

export const higherRisk = (left: Risk, right: Risk): Risk =>
  RISKS.indexOf(left) >= RISKS.indexOf(right) ? left : right;

/**
 * - `host`:    the name or address of a computer
 * - `url`:     an address with scheme, host and path
 * - `remote`:  a remote repository, by the name that git has for it
 * - `ref`:     a branch, a tag or another name of a commit
 * - `target`:  a named step of a project's own build file, such as a script of package.json or a target of a makefile
 * - `service`: a service on the network, or an object in it: `aws`, `s3://bucket/key`
 * - `variable`: `NAME`; `NAME=VALUE` if the command assigns a value
 */
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

/** `execute`: the content of the resource runs as a program. `contact`: data may be sent to the resource and received from it. */
export const ACCESSES = ['read', 'write', 'delete', 'execute', 'contact'] as const;
export type Access = (typeof ACCESSES)[number];

/**
 * @property value   canonical: a path is absolute, without `.`, `..` and symbolic links. If `value` is empty and `isExact` is false, all
 *                   resources of this kind are meant
 * @property isExact false for a path: the resource is the directory `value` with everything below it. False for another kind: `value` is
 *                   only the beginning of a name. The resource is everything whose name has this beginning, or one thing whose full name
 *                   is not known
 */
export type Resource = Permission['resources'][number];

/**
 * @property tool      the rule file's name: `git`
 * @property operation tool and sub-command: `git log`. Wrappers that change the host or the user come first: `on web: as root: git log`
 * @property options   the canonical name of every option of the command, without its value, sorted; the canonical name is the long name
 *                     (`--max-count`) if the option has a long name
 * @property resources what the command uses; an empty list: no resource
 * @property sentence  what the command does, in the present tense, for the approver
 */
export type Permission = Shape<typeof PermissionSchema>;

/**
 * Writes a permission as a text, so that equal permissions have equal texts. The order of the resources counts. The text leaves out the
 * sentence. `readCanonicalPermission` reads the text.
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

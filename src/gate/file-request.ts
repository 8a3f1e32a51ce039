/** Makes a request from the input of a file tool: resolved paths, digests of the contents, and a text for the approver. */
import { choosesSecrets } from '../core/effects/named-secrets.ts';
import { type Failure, failure } from '../core/failure.ts';
import { type FileOperation, isReading, MAX_OPERATIONS } from '../core/files/file-operation.ts';
import { type FileContent, fileRequestText, type ShownOperation } from '../core/files/file-text.ts';
import { replaceTexts, type TextReplacement } from '../core/files/text-replacement.ts';
import type { ExecutionRequest } from '../core/grant/request.ts';
import { failed, type Result, success } from '../core/result.ts';
import { dangerousPlace, secretPlacesIn } from '../core/sensitive/dangerous-places.ts';
import { type DangerCode, folded } from '../core/sensitive/sensitive-places.ts';
import { isAtOrBelow } from '../core/text/path.ts';
import { kindOfPlace } from '../platform/confinement.ts';
import { sha256Hex } from '../platform/digest.ts';
import { readText } from '../platform/file-content.ts';
import { currentHost, currentUser } from '../platform/surroundings.ts';
import { type ResolvedPath, resolvePath } from './facts/resolve-path.ts';
import type { OwnOutput } from './own-output.ts';

/**
 * One operation as the tool received it. `path` can be relative to the call's `cwd`; `~` is not expanded.
 * - `search`: `glob` chooses the files whose contents the tool reads
 * - `write`: `content` is the whole new content
 * - `edit`:  `input` is the exact tool input: its JSON text, or the part of a patch for this file. `result` is the content after the
 *            edit. If there is a `result`, or if `replacements` fit the file, the approver sees a diff. The grant is then bound to the
 *            result. `mayBeElsewhere`: the input has a member that may name another place than `path`
 */
export type WantedOperation =
  | { readonly verb: 'read' | 'delete'; readonly path: string }
  | { readonly verb: 'search'; readonly path: string; readonly glob?: string }
  | { readonly verb: 'write'; readonly path: string; readonly content: string | Uint8Array }
  | {
      readonly verb: 'edit';
      readonly path: string;
      readonly input: string;
      readonly replacements?: readonly TextReplacement[];
      readonly result?: string;
      readonly mayBeElsewhere?: true;
    };

/**
 * One call of a file tool.
 * @property cwd     absolute; the base of relative paths
 * @property project absolute; the directory of the session or project, which becomes the request's directory. `cwd` does not become the
 *                   request's directory: `cwd` may differ from call to call, but the same call must always be the same request
 * @property ownOutput where the harness keeps the output of its own tools in this session. The request does not contain this place. Absent:
 *                   the place is not known
 */
export interface FileToolCall {
  readonly operations: readonly WantedOperation[];
  readonly cwd: string;
  readonly project: string;
  readonly ownOutput?: readonly OwnOutput[];
}

/**
 * Places on this host.
 * @property home the real path of the user's home directory
 * @property own  paths of the settings, keys, records and programs of this installation: real paths, and links that lead to them
 */
export interface HostPlaces {
  readonly home: string;
  readonly own: readonly string[];
}

/**
 * Makes one request for all operations of the call. Fails with exit status 65 if the call has no operation or more than `MAX_OPERATIONS`.
 * Fails with the failure of `resolvePath` if a path cannot be resolved.
 */
export function describeFileRequest(call: FileToolCall, places: HostPlaces): Result<ExecutionRequest, Failure> {
  if (call.operations.length === 0 || call.operations.length > MAX_OPERATIONS)
    return failed(
      failure(
        'unreadable',
        `refused: ${call.operations.length} file operations at once`,
        `name 1 to ${MAX_OPERATIONS}`,
      ),
    );
  const project = resolvePath(call.project, '/');
  if (!project.ok) return project;
  const shown: ShownOperation[] = [];
  for (const wanted of call.operations) {
    const resolved = resolvePath(wanted.path, call.cwd);
    if (!resolved.ok) return resolved;
    shown.push(describeOperation(wanted, resolved.value, places));
  }
  return success({
    kind: 'file',
    text: fileRequestText(shown),
    argv: [],
    cwd: project.value.path,
    host: currentHost(),
    user: currentUser(),
    environment: [],
    files: shown.map(({ operation }) => operation),
  });
}

function describeOperation(wanted: WantedOperation, at: ResolvedPath, places: HostPlaces): ShownOperation {
  const { content, ...bound } = boundContent(wanted, at);
  const operation: FileOperation = {
    verb: wanted.verb,
    path: at.path,
    askedPath: wanted.path,
    ...bound,
    danger: hostDanger(wanted.verb, at, places) ?? dangerOfInput(wanted),
  };
  return { operation, state: at.kind === 'file' ? { kind: 'file', bytes: at.bytes } : { kind: at.kind }, content };
}

/** A glob is a danger only if it names secrets (`.env*`). Other globs (`*`) may find files with secrets too, but are no danger here. */
function dangerOfInput(wanted: WantedOperation): DangerCode | null {
  if (wanted.verb === 'search' && wanted.glob !== undefined && choosesSecrets(wanted.glob)) return 'names-secrets';
  return wanted.verb === 'edit' && wanted.mayBeElsewhere === true ? 'other-place' : null;
}

type Bound = Pick<FileOperation, 'digest' | 'resultDigest' | 'bytes'> & { readonly content: FileContent };

function boundContent(wanted: WantedOperation, at: ResolvedPath): Bound {
  if (wanted.verb === 'write') {
    const bytes = Buffer.from(wanted.content as string | Uint8Array as string);
    return { digest: sha256Hex(bytes), resultDigest: null, bytes: bytes.length, content: textsFor(wanted.content, at) };
  }
  if (wanted.verb !== 'edit') return { digest: null, resultDigest: null, bytes: null, content: { kind: 'nothing' } };
  const result = resultOf(wanted, at);
  return {
    digest: sha256Hex(wanted.input),
    resultDigest: result === null ? null : sha256Hex(result),
    bytes: Buffer.byteLength(result ?? wanted.input),
    content: result === null ? inputFor(wanted.input) : textsFor(result, at),
  };
}

const isShowable = (text: string): boolean => !text.includes('\0') && !/\p{Surrogate}/u.test(text);
const inputFor = (text: string): FileContent => (isShowable(text) ? { kind: 'input', text } : { kind: 'binary' });

function textsFor(after: string | Uint8Array, at: ResolvedPath): FileContent {
  const text = typeof after === 'string' ? after : new TextDecoder('utf-8', { ignoreBOM: true }).decode(after);
  const isWhole = typeof after === 'string' || Buffer.from(text).equals(after);
  if (!isWhole || !isShowable(text)) return { kind: 'binary' };
  return { kind: 'texts', before: at.kind === 'file' ? readText(at.path) : null, after: text };
}

function resultOf(wanted: WantedOperation & { verb: 'edit' }, at: ResolvedPath): string | null {
  if (wanted.result !== undefined) return wanted.result;
  if (wanted.replacements === undefined) return null;
  const before = at.kind === 'new' ? '' : readText(at.path);
  return before === null ? null : replaceTexts(before, wanted.replacements);
}

/**
 * Returns the code (`DangerCode`) of a danger that only this host can know, or null. The server finds the dangers that the text of the
 * path shows.
 */
export function hostDanger(verb: FileOperation['verb'], at: ResolvedPath, places: HostPlaces): string | null {
  if ([at.path, ...at.aliases].some((path) => isOwn(path, places))) return 'own-installation';
  if (dangerousPlace(at.path, isReading(verb)) !== null) return null;
  // `~/.ssh/config` is a file with secrets, even if it is a link to a file with another name.
  const alias = at.aliases.map((path) => dangerousPlace(path, isReading(verb))).find((code) => code !== null);
  if (alias != null) return alias;
  if (verb === 'delete' && at.isLink) return 'link';
  if (verb === 'delete' && at.kind === 'directory') return 'whole-directory';
  if (verb === 'search' && hasSecretsBelow(at.path, places)) return 'has-secrets-below';
  return (verb === 'write' || verb === 'edit') && at.links > 1 ? 'hard-linked' : null;
}

const isOwn = (path: string, { own }: HostPlaces): boolean =>
  own.some((place) => isAtOrBelow(folded(path), folded(place)));

function hasSecretsBelow(path: string, places: HostPlaces): boolean {
  const below = [...places.own, ...secretPlacesIn(places.home)].filter((place) => isAtOrBelow(place, path));
  return below.some((place) => kindOfPlace(place) !== 'nothing');
}

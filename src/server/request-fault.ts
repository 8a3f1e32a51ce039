/** What a schema cannot say about a request. */
import {
  canonicalFindings,
  type Findings,
  findingsFault as insideFault,
  LARGEST_FINDINGS,
} from '../core/assessment/findings.ts';
import { operationFault } from '../core/file-operation.ts';
import type { ExecutionRequest } from '../core/request.ts';
import type { Touched } from '../core/touches/touched.ts';

/** Null when the text is UTF-8 without NUL. A lone half of a surrogate pair is no character and has no UTF-8. */
export function textFault(text: string | undefined): string | null {
  if (text === undefined) return null;
  if (text.includes('\0')) return 'text must not contain NUL';
  return /\p{Surrogate}/u.test(text) ? 'text must be valid Unicode' : null;
}

/** The host and the user are what was enrolled: they are not the requester's to claim. */
export function requestFault(
  request: ExecutionRequest,
  enrolled: { readonly host: string; readonly user: string },
): string | null {
  if (request.host !== enrolled.host) return `this requester is enrolled for the host ${JSON.stringify(enrolled.host)}`;
  if (request.user !== enrolled.user) return `this requester is enrolled for the user ${JSON.stringify(enrolled.user)}`;
  const names = request.environment.map((entry) => entry.name);
  if (names.some((name, index) => index > 0 && name <= (names[index - 1] ?? '')))
    return 'the environment must be sorted by name, each name once';
  const wrong = filesFault(request);
  if (wrong !== null) return wrong;
  const values = request.environment.map((entry) => entry.value);
  return (
    [request.text, request.cwd, ...request.argv, ...names, ...values, ...pathsOf(request)]
      .map(textFault)
      .find((fault) => fault !== null) ?? null
  );
}

/** Findings that are too large are not cut: the line then has to be asked for without them. */
export function findingsFault(findings: Findings | null): string | null {
  if (findings === null) return null;
  if (canonicalFindings(findings).length > LARGEST_FINDINGS)
    return `the findings are larger than ${LARGEST_FINDINGS / 1024} KiB; send null`;
  const fault = insideFault(findings);
  return fault === null ? null : `the findings hold ${fault}`;
}

const LARGEST_TOUCHES = 64 * 1024;

export function touchesFault(touches: readonly Touched[] | null): string | null {
  if (touches === null) return null;
  const text = JSON.stringify(touches);
  if (text.length > LARGEST_TOUCHES) return `the touches are larger than ${LARGEST_TOUCHES / 1024} KiB; send null`;
  return (
    touches
      .flatMap(({ what, items, note }) => [what, note ?? '', ...items])
      .map(textFault)
      .find((fault) => fault !== null) ?? null
  );
}

/** File operations belong to one kind of request, which has nothing that would run. */
function filesFault({ kind, files, argv, environment }: ExecutionRequest): string | null {
  if (kind !== 'file') return files === undefined ? null : `a request of kind ${kind} has no files`;
  if (files === undefined) return 'a request of kind file names its files';
  if (argv.length > 0 || environment.length > 0) return 'a request of kind file has no argv and no environment';
  return files.map(operationFault).find((fault) => fault !== null) ?? null;
}

const pathsOf = ({ files = [] }: ExecutionRequest): readonly string[] =>
  files.flatMap(({ path, askedPath }) => [path, askedPath]);

/** An operation of a file tool of an agent harness. `core/files/file-operation.ts` explains the members. */
import { Type } from 'typebox';
import { FILE_VERBS } from '../files/file-operation.ts';
import { closed, literals, nullable, ScopeText } from './schema-parts.ts';

export const FileVerbSchema = literals(...FILE_VERBS);

const Sha256 = Type.String({ pattern: '^[0-9a-f]{64}$', description: 'SHA-256 in hexadecimal digits' });

export const FileOperationSchema = Type.Object(
  {
    verb: FileVerbSchema,
    path: Type.String({ ...ScopeText, pattern: '^/', description: 'Absolute; every symbolic link followed' }),
    askedPath: Type.String({ ...ScopeText, description: 'As the tool got it' }),
    digest: nullable(Sha256),
    resultDigest: nullable(Sha256),
    bytes: nullable(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })),
    danger: nullable(
      Type.String({ pattern: '^[a-z-]{1,40}$', description: 'Code of a danger that only the host can know' }),
    ),
  },
  closed,
);

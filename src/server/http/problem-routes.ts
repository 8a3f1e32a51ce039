/** Serves a description of each kind of error. The member `type` of an error is the address of the description of this error. */
import { failed } from '../../core/result.ts';
import { ProblemParams, ProblemSchema } from '../../core/wire/problem.ts';
import { refusal } from '../refusal.ts';
import { type ApiRoutes, endpointsOf, withBody } from './api-route.ts';
import { isErrorCode, problemKind } from './problem.ts';

export const problemRoutes: ApiRoutes = (app, parts) => {
  endpointsOf(app, parts)(
    'public',
    'GET',
    '/v1/problems/:code',
    { summary: 'One kind of error', params: ProblemParams, answers: { 200: ProblemSchema } },
    async ({ params: { code } }) =>
      isErrorCode(code)
        ? withBody(problemKind(code))
        : failed(refusal('problem.not_found', 'this server gives no such error')),
  );
};

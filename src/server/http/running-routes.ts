/**
 * The API for sessions and commands that run on the hosts. A reader may list the sessions and commands, and look at a screen. Only an
 * approver may hold, continue and kill sessions and commands.
 */
import {
  ActedSchema,
  RunningActParams,
  RunningListSchema,
  RunningParams,
  ScreenTextSchema,
} from '../../core/wire/running.ts';
import { lookAtScreen, orderAct, runningHosts } from '../hosts/running.ts';
import { type ApiRoutes, endpointsOf, withBody, withBodyOf } from './api-route.ts';

export const runningRoutes: ApiRoutes = (app, parts) => {
  const endpoint = endpointsOf(app, parts);

  endpoint(
    'reader',
    'GET',
    '/v1/running',
    {
      summary: 'Live sessions and running commands of the hosts that are connected',
      answers: { 200: RunningListSchema },
    },
    async ({ caller }) => {
      const hosts = await runningHosts(parts, caller.subject);
      return hosts.ok ? withBody({ hosts: hosts.value }) : hosts;
    },
  );

  endpoint(
    'reader',
    'GET',
    '/v1/running/:requesterId/:id/screen',
    { summary: 'What a session shows now', params: RunningParams, answers: { 200: ScreenTextSchema } },
    async ({ caller, params }) => withBodyOf(await lookAtScreen(parts, caller.subject, params)),
  );

  endpoint(
    'approver',
    'POST',
    '/v1/running/:requesterId/:id/:act',
    {
      summary: 'Hold, continue or end the processes of a session, or of what runs under a grant',
      params: RunningActParams,
      answers: { 200: ActedSchema },
    },
    async ({ caller, params }) => withBodyOf(await orderAct(parts, caller.subject, params, params.act)),
  );
};

// ape-shell: takes messages of apes send. `apes hooks install opencode` writes this file, and replaces the whole file.
/*
 * opencode's own window (1.18.33) listens on no port. So this plugin passes the messages of `apes send` to the conversation in the window,
 * through the window's own client. `tui.json` lists the plugins of the window.
 *
 * The plugin refuses a message while a decision is open. A message must go where a prompt typed in this window would go: to the same
 * conversation, agent and model. If the conversation, the agent or the model is not certain, the plugin refuses the message.
 * The plugin names the agent in each prompt. Without the agent's name, opencode would ignore a human's choice of plan mode.
 */
import { execFile } from 'node:child_process';
import { connect } from 'node:net';
import { encodeFrame, FrameDecoder } from '../frames.ts';

/** Filled in by `apes hooks install`. */
const OWN = { apes: '' };

/** The most bytes of a frame's payload. The session sends only frames of the kind J: answers and orders in JSON. */
const ORDER_LIMITS = { J: 8 << 20 };

/**
 * @typedef {{ mode?: string, hidden?: boolean, name: string }} WindowAgent
 * @typedef {{ name: string, variants?: Record<string, unknown> }} WindowModel
 * @typedef {{ id: string, name: string, models: Record<string, WindowModel> }} Provider
 * @typedef {{ agent: string, model: { providerID: string, modelID: string }, variant?: string }} Choice
 * @typedef {{ data?: unknown[] }} List
 * @typedef {{ sessionID: string, parts: object[] } & Choice} Prompt
 *
 * @typedef {object} WindowApi the part of opencode's interface that is used here
 * @property {object} client
 * @property {{ agents: () => Promise<{ data?: WindowAgent[] }> }} client.app
 * @property {{ list: () => Promise<List> }} client.permission
 * @property {{ list: () => Promise<List> }} client.question
 * @property {object} client.session
 * @property {(options: object) => Promise<{ data?: { id: string } }>} client.session.create
 * @property {(prompt: Prompt) => Promise<{ error?: unknown, response?: { status: number } }>} client.session.promptAsync
 * @property {object} state
 * @property {Provider[]} state.provider
 * @property {object} state.session
 * @property {(id: string) => { parentID?: string } | undefined} state.session.get
 * @property {(id: string) => unknown[]} state.session.permission
 * @property {(id: string) => unknown[]} state.session.question
 * @property {object} route
 * @property {{ name: string, params: { sessionID: string } }} route.current
 * @property {(name: string, params: { sessionID: string }) => void} route.navigate
 * @property {{ onDispose: (listener: () => void) => void }} lifecycle
 *
 * @typedef {{ event: string, delivery: number, text: string, status: string, hasDraft: boolean, untilMs: number }} Delivery
 */

const plain = (/** @type {unknown} */ text) =>
  String(text ?? '')
    .toLowerCase()
    .replace(/\s+/g, ' ')
    .trim();
const untaken = (/** @type {string} */ why) => ({ outcome: 'untaken', why });

/**
 * Finds the agent, the model and the variant that the line below the editor names: 'Agent · Model Provider', perhaps with ' · variant'.
 * Returns null unless the line fits exactly one choice.
 * @param {WindowApi} api
 * @param {string} status
 * @returns {Promise<Choice | null>}
 */
async function choiceOf(api, status) {
  const shown = plain(status);
  const agents = (await api.client.app.agents()).data ?? [];
  /** @type {Choice[]} */
  const found = [];
  for (const agent of agents.filter(({ mode, hidden }) => mode !== 'subagent' && hidden !== true))
    for (const provider of api.state.provider)
      for (const [modelID, model] of Object.entries(provider.models)) {
        const words = plain(agent.name + ' · ' + model.name + ' ' + provider.name);
        const choice = { agent: agent.name, model: { providerID: provider.id, modelID } };
        if (shown === words) found.push(choice);
        for (const variant of Object.keys(model.variants ?? {}))
          if (shown === words + ' · ' + plain(variant)) found.push({ ...choice, variant });
      }
  return found.length === 1 && found[0] ? found[0] : null;
}

/**
 * Asks opencode itself whether a decision is open. The window may not know of a new decision yet.
 * @param {WindowApi} api
 */
async function isDecisionOpen(api) {
  const lists = await Promise.all([api.client.permission.list(), api.client.question.list()]);
  const counts = lists.map(({ data }) => {
    if (!Array.isArray(data)) throw new Error('opencode does not name its open questions');
    return data.length;
  });
  return counts.some((count) => count > 0);
}

/**
 * Returns the id of the conversation in the window. On the home page, makes a new conversation; opencode does the same for a typed prompt.
 * Returns null in these cases:
 * - The window shows a subagent's conversation, or a page that is neither a conversation nor the home page.
 * - The window shows the home page with a draft.
 * - opencode makes no conversation, or the window leaves the home page before opencode has made the conversation.
 * @param {WindowApi} api
 * @param {boolean} hasDraft
 */
async function conversation(api, hasDraft) {
  const { name, params } = api.route.current;
  if (name === 'session') return api.state.session.get(params.sessionID)?.parentID ? null : params.sessionID;
  if (name !== 'home' || hasDraft) return null; // the editor of a new conversation would not show the person's draft
  const created = await api.client.session.create({});
  if (!created.data || api.route.current.name !== 'home') return null;
  api.route.navigate('session', { sessionID: created.data.id });
  return created.data.id;
}

/**
 * @param {WindowApi} api
 * @param {Delivery} delivery
 */
async function deliver(api, { text, status, hasDraft, untilMs }) {
  /** @type {string | null} */
  let sessionID;
  /** @type {Choice | null} */
  let choice;
  try {
    if (await isDecisionOpen(api)) return { outcome: 'awaiting-decision', why: 'a decision is open in opencode' };
    choice = await choiceOf(api, status);
    if (choice === null)
      return untaken('its window does not show for certain which agent and model a prompt would go to');
    sessionID = await conversation(api, hasDraft);
  } catch (error) {
    return untaken(messageOf(error));
  }
  if (!sessionID) return untaken('its window shows no conversation that takes prompts');
  if (Date.now() > untilMs) return untaken('the message came too late');
  const { permission, question } = api.state.session;
  if (permission(sessionID).length + question(sessionID).length > 0)
    return { outcome: 'awaiting-decision', why: 'a decision is open in opencode' };
  try {
    const { error, response } = await api.client.session.promptAsync({
      sessionID,
      ...choice,
      parts: [{ type: 'text', text }],
    });
    if (!error) return { outcome: 'taken' };
    const isRefused = response !== undefined && response.status >= 400 && response.status < 500;
    return { outcome: isRefused ? 'untaken' : 'unclear', why: 'opencode answered ' + response?.status };
  } catch (error) {
    return { outcome: 'unclear', why: messageOf(error) };
  }
}

/** @param {any} error the thrown value, of any type */
const messageOf = (error) => String(error?.message ?? error);

/**
 * @param {WindowApi} api
 * @param {string} path
 */
function offer(api, path) {
  let last = 0;
  const decoder = new FrameDecoder(ORDER_LIMITS);
  const socket = connect(path);
  const ask = (/** @type {string} */ request, /** @type {object} */ params) =>
    socket.write(encodeFrame('J', JSON.stringify({ id: ++last, request, params })));
  const take = (/** @type {Delivery} */ order) => {
    if (order.event !== 'deliver') return;
    void deliver(api, order).then((how) => ask('delivered', { delivery: order.delivery, ...how }));
  };
  socket.on('error', () => socket.destroy());
  socket.on('connect', () => ask('offer', { harness: 'opencode' }));
  socket.on('data', (chunk) => {
    const frames = decoder.takeOrNull(chunk);
    if (frames === null) return void socket.destroy();
    for (const { payload } of frames) take(JSON.parse(payload.toString('utf8')));
  });
  socket.unref();
  api.lifecycle.onDispose(() => socket.destroy());
}

export default {
  id: 'ape-shell.send',
  tui: async (/** @type {WindowApi} */ api) => {
    execFile(OWN.apes, ['hooks', 'socket'], { timeout: 20000 }, (_, out) => {
      const path = String(out ?? '').trim();
      if (path !== '') offer(api, path);
    });
  },
};

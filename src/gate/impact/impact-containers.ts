/**
 * Finds the containers, images and volumes that a command would touch. The daemon on this host gets only GET requests.
 */
import { statSync } from 'node:fs';
import { request } from 'node:http';
import { type Impact, impact } from '../../core/impact/impact.ts';
import type { Question } from '../../core/impact/question.ts';
import { listOf } from '../../core/shape.ts';
import type { Limit } from './impact-limit.ts';

type ContainersQuestion = Extract<Question, { readonly kind: 'containers' }>;

/** Bytes. A longer answer counts as no answer. */
const MAX_ANSWER_LENGTH = 4 * 1_048_576;

/**
 * Returns the path of the daemon's socket, from the environment or the default. Returns null in two cases: the environment names an address
 * that is not a Unix socket; or DOCKER_HOST is not set, and DOCKER_CONTEXT names a context other than `default`. Does not read docker's own
 * settings, which can name another context.
 */
export function containerSocket(tool: 'docker' | 'podman', environment: ReadonlyMap<string, string>): string | null {
  const named = environment.get(tool === 'docker' ? 'DOCKER_HOST' : 'CONTAINER_HOST');
  if (named !== undefined) return /^unix:\/\/(\/.+)$/.exec(named)?.[1] ?? null;
  if (tool === 'docker' && (environment.get('DOCKER_CONTEXT') ?? 'default') !== 'default') return null;
  if (tool === 'docker') return '/var/run/docker.sock';
  const runtime = environment.get('XDG_RUNTIME_DIR');
  return runtime === undefined ? '/run/podman/podman.sock' : `${runtime}/podman/podman.sock`;
}

/** @param socket the result of `containerSocket`; null: nothing is looked up */
export async function lookAtContainers(
  question: ContainersQuestion,
  socket: string | null,
  limit: Limit,
): Promise<Impact> {
  const { what, of, names, unused } = question;
  const unknown = (note: string) => impact(what, { note: [question.note ?? [], note].flat().join('; ') });
  if (question.note !== null && names.length === 0 && unused === 'no') return impact(what, { note: question.note });
  if (socket === null) return unknown('the environment names a daemon that is not looked up here');
  if (!isSocket(socket)) return unknown(`no ${question.tool} daemon answers at ${socket}`);
  const containers = await get(socket, '/containers/json?all=1', limit);
  if (!Array.isArray(containers)) return unknown(`the ${question.tool} daemon did not answer`);
  const all =
    of === 'containers'
      ? containers.map(containerOf)
      : await (of === 'images' ? images(socket, containers, limit) : volumes(socket, containers, limit));
  if (all === null) return unknown(`the ${question.tool} daemon did not answer`);
  const chosen = names.map((name) => foundBy(name, all, question));
  const missing = names.filter((_, at) => chosen[at] === null);
  const meant =
    unused === 'no'
      ? [...new Set(chosen.flatMap((one) => one ?? []))]
      : all.filter((one) => (unused === 'all' && of === 'images' ? one.isUnused : one.isLoose));
  const bytes = meant.every((one) => one.bytes === null) ? null : meant.reduce((sum, one) => sum + (one.bytes ?? 0), 0);
  const items = meant.map(({ text }) => text);
  if (missing.length > 0)
    return { ...unknown(`which of the ${of} is meant by ${missing.join(', ').slice(0, 100)} is not known`), items };
  return impact(what, { count: meant.length, bytes, items, note: question.note });
}

/**
 * A container, image or volume.
 * @property bytes    size; null: not known
 * @property isLoose  whether `prune` without options can remove the object. True for each volume that no container uses, although docker
 *                    removes only anonymous volumes since version 23
 * @property isUnused for a container: the container does not run; for an image or volume: no container uses the object
 */
interface Found {
  readonly id: string;
  readonly names: readonly string[];
  readonly text: string;
  readonly bytes: number | null;
  readonly isLoose: boolean;
  readonly isUnused: boolean;
}

/** Returns the object that the tool means by a name, or by the beginning of an id. Null: it is not certain that exactly one is meant. */
function foundBy(name: string, all: readonly Found[], { of, tool }: ContainersQuestion): Found | null {
  const wanted = of === 'images' ? wholeImageName(name) : name;
  const isShort = tool === 'podman' && of === 'images' && !HAS_REGISTRY.test(name);
  const isNamed = (given: string) => given === wanted || (isShort && given.endsWith(`/${wanted}`));
  const named = all.filter(({ names }) => names.some(isNamed));
  const id = name.replace(/^sha256:/, '');
  const found = named.length > 0 || !/^[0-9a-f]{1,64}$/.test(id) ? named : all.filter((one) => one.id.startsWith(id));
  return found.length === 1 ? (found[0] ?? null) : null;
}

const HAS_REGISTRY = /^(?:localhost|[^/]*[.:][^/]*)\//;

/** Returns the name of an image without the registry that docker adds, and with a tag or digest. */
function wholeImageName(name: string): string {
  const short = name.replace(/^(?:index\.)?docker\.io\//, '').replace(/^library\//, '');
  return /[:@][^/]*$/.test(short) ? short : `${short}:latest`;
}

function containerOf(one: unknown): Found {
  const names = listOf(field(one, 'Names')).map((name) => text(name).replace(/^\//, ''));
  const state = text(field(one, 'State'));
  const isUnused = !['running', 'paused', 'restarting'].includes(state);
  const shown = `${names[0] ?? text(field(one, 'Id')).slice(0, 12)} (${text(field(one, 'Image'))}, ${text(field(one, 'Status')) || state})`;
  return { id: text(field(one, 'Id')), names, text: shown, bytes: null, isLoose: isUnused, isUnused };
}

async function images(socket: string, containers: readonly unknown[], limit: Limit): Promise<readonly Found[] | null> {
  const found = await get(socket, '/images/json', limit);
  if (!Array.isArray(found)) return null;
  const used = new Set(containers.map((one) => text(field(one, 'ImageID'))));
  return found.map((one: unknown) => {
    const tags = listOf(field(one, 'RepoTags'))
      .map(text)
      .filter((tag) => tag !== '<none>:<none>');
    const whole = text(field(one, 'Id'));
    const id = whole.replace(/^sha256:/, '');
    const names = [...tags, ...listOf(field(one, 'RepoDigests')).map(text)].map(wholeImageName);
    const isUnused = !used.has(whole);
    const size = field(one, 'Size');
    const bytes = typeof size === 'number' ? size : null;
    return { id, names, text: tags[0] ?? id.slice(0, 12), bytes, isLoose: tags.length === 0 && isUnused, isUnused };
  });
}

async function volumes(socket: string, containers: readonly unknown[], limit: Limit): Promise<readonly Found[] | null> {
  const answer = await get(socket, '/volumes', limit);
  if (answer === null) return null;
  const used = new Set(
    containers.flatMap((one) => listOf(field(one, 'Mounts')).map((mount) => text(field(mount, 'Name')))),
  );
  return listOf(field(answer, 'Volumes')).map((one) => {
    const name = text(field(one, 'Name'));
    const isUnused = !used.has(name);
    return { id: '', names: [name], text: name, bytes: null, isLoose: isUnused, isUnused };
  });
}

const field = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined;
const text = (value: unknown): string => (typeof value === 'string' ? value.slice(0, 200) : '');

function isSocket(path: string): boolean {
  try {
    return statSync(path).isSocket();
  } catch {
    return false;
  }
}

/** Returns the parsed JSON body. Returns null if the answer is late, incomplete or too long, has another status than 200, or is no JSON. */
function get(socketPath: string, path: string, limit: Limit): Promise<unknown> {
  return new Promise((resolve) => {
    const asking = request({ socketPath, path, host: 'localhost', agent: false }, (answer) => {
      const chunks: Buffer[] = [];
      let length = 0;
      answer.on('data', (chunk: Buffer) => {
        length += chunk.length;
        if (length > MAX_ANSWER_LENGTH) asking.destroy();
        else chunks.push(chunk);
      });
      answer.on('end', () =>
        resolve(answer.statusCode === 200 ? parsed(Buffer.concat(chunks).toString('utf8')) : null),
      );
      answer.on('error', () => resolve(null));
      answer.on('close', () => resolve(null));
    });
    const timer = setTimeout(() => asking.destroy(), limit.leftMs);
    asking.on('error', () => resolve(null));
    asking.on('close', () => {
      clearTimeout(timer);
      resolve(null);
    });
    asking.end();
  });
}

function parsed(answer: string): unknown {
  try {
    return JSON.parse(answer);
  } catch {
    return null;
  }
}

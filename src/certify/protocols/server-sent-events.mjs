/** Sends all events at once, as server-sent events. `events`: pairs of name (or null) and data; `end`: text after the last event. */
export function sendEvents(response, events, end = '') {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
  const frames = events.map(
    ([name, data]) => `${name === null ? '' : `event: ${name}\n`}data: ${JSON.stringify(data)}\n\n`,
  );
  response.end(frames.join('') + end);
}

export function sendJson(response, value) {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify(value));
}

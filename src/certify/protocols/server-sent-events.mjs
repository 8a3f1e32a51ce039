/**
 * Sends all events at once, as server-sent events, and ends the response. `events`: pairs of a name (or null) and a value that is sent as
 * JSON; `end`: a text that is sent unchanged after the last event.
 */
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

// A Node server that has pages of its own and passes all other requests to Docket.
//
//   npx docket demo --data ./data
//   node server.mjs ./data 8080
import { createServer } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createService } from 'docket';

const [data = './data', port = '8080'] = process.argv.slice(2);
const docket = await createService({ data });

const server = createServer(async (incoming, outgoing) => {
  try {
    if (incoming.url === '/hello') outgoing.end('This page is not from Docket.\n');
    else await passOn(incoming, outgoing);
  } catch (error) {
    // The client has disconnected, or its request was not complete.
    outgoing.destroy(error);
  }
});

async function passOn(incoming, outgoing) {
  const left = new AbortController();
  outgoing.once('close', () => left.abort());
  const hasBody = !['GET', 'HEAD'].includes(incoming.method);
  const request = new Request(`http://${incoming.headers.host}${incoming.url}`, {
    method: incoming.method,
    headers: Object.entries(incoming.headersDistinct).flatMap(([name, values]) =>
      values.map((value) => [name, value]),
    ),
    body: hasBody ? Readable.toWeb(incoming) : undefined,
    duplex: 'half',
    signal: left.signal,
  });
  const response = await docket.fetch(request, { address: incoming.socket.remoteAddress });
  outgoing.writeHead(response.status, [...response.headers].flat());
  if (response.body === null) outgoing.end();
  else await pipeline(response.body, outgoing);
}

server.listen(Number(port), '127.0.0.1', () => {
  console.log(`Serving http://127.0.0.1:${server.address().port}`);
});

async function stop() {
  await docket.close();
  server.close();
  server.closeIdleConnections();
}
process.once('SIGINT', stop);
process.once('SIGTERM', stop);

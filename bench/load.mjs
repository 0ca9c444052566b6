// This file is the process that puts load on a server: it reads what to do as a line of JSON, and writes what it saw as a line of JSON.
import { createInterface } from 'node:readline';
import autocannon from 'autocannon';

let number = 0;

/** A request whose body is another one each time. */
function varied(request) {
  if (request.body?.includes('{n}') !== true) return request;
  const setupRequest = (one) => ({
    ...one,
    body: request.body.replaceAll('{n}', String(number++)),
  });
  return { ...request, setupRequest };
}

/** Requests per second, milliseconds of the middle and of the slowest hundredth, and requests that were not answered with 2xx. */
async function load({ url, headers, requests, connections, seconds }) {
  const taken = [];
  const run = autocannon({
    url,
    connections,
    duration: seconds,
    requests: requests.map((request) =>
      varied({ ...request, headers: { ...headers, ...request.headers } }),
    ),
  });
  run.on('response', (_client, _status, _bytes, milliseconds) => taken.push(milliseconds));
  const result = await run;
  taken.sort((left, right) => left - right);
  const at = (part) => taken[Math.floor(taken.length * part)] ?? 0;
  return {
    rate: result.requests.total / result.duration,
    answered: result.requests.total,
    p50: at(0.5),
    p99: at(0.99),
    failed: result.errors + result.timeouts + result.non2xx,
  };
}

for await (const line of createInterface({ input: process.stdin }))
  console.log(JSON.stringify(await load(JSON.parse(line))));

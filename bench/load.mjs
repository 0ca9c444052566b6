// This file is a process that puts load on a server for as little processor time as it can, for measurements in which the server is to have
// the processors: requests are made once as bytes, each connection sends one when the answer to the last is complete, and of answers nothing
// is read but the status and Content-Length. An order ends when the requests in progress have been answered, so that no processor time is
// counted for requests without an answer. It takes orders as lines of JSON, and writes what it saw as a line of JSON.
import { connect } from 'node:net';
import { createInterface } from 'node:readline';

const HEAD_END = Buffer.from('\r\n\r\n');

let number = 0;

/** Gives the bytes of a request; `{n}` in it is another number each time. */
function messageOf({ method, path, headers = {}, body = '' }, { url, headers: common }) {
  const all = { host: new URL(url).host, ...common, ...headers };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  const head = `${method} ${path} HTTP/1.1\r\n${lines.join('')}`;
  const bytes = (first, rest) => {
    const length = rest === '' ? '' : `content-length: ${Buffer.byteLength(rest)}\r\n`;
    return Buffer.from(`${first}${length}\r\n${rest}`);
  };
  if (!`${head}${body}`.includes('{n}')) {
    const ready = bytes(head, body);
    return () => ready;
  }
  return () => {
    const text = String(number++);
    return bytes(head.replaceAll('{n}', text), body.replaceAll('{n}', text));
  };
}

/** Bytes of the whole answer that begins here; undefined when its head is not complete. */
function lengthOf(bytes) {
  const end = bytes.indexOf(HEAD_END);
  if (end < 0) return undefined;
  const head = bytes.latin1Slice(0, end + 2);
  const [, length = '0'] = /\r\ncontent-length: (\d+)/i.exec(head) ?? [];
  return end + HEAD_END.length + Number(length);
}

/** Asks again and again on one connection, until `state` says that it is over. */
function keepAsking(port, messages, place, state) {
  return new Promise((resolve, reject) => {
    let sentAt = 0;
    let missing = 0;
    let head;
    const socket = connect(port, '127.0.0.1');
    const send = () => {
      if (state.isOver) {
        socket.destroy();
        return;
      }
      sentAt = performance.now();
      socket.write(messages[place.next++ % messages.length]());
    };
    const begin = (chunk) => {
      const bytes = head === undefined ? chunk : Buffer.concat([head, chunk]);
      const length = lengthOf(bytes);
      head = length === undefined ? bytes : undefined;
      if (length === undefined) return;
      // `HTTP/1.1 200`
      const status = bytes.latin1Slice(9, 12);
      state.statuses[status] = (state.statuses[status] ?? 0) + 1;
      missing = length - bytes.length;
      if (missing === 0) finish();
    };
    const finish = () => {
      state.taken.push(performance.now() - sentAt);
      state.isOver ||= state.taken.length >= state.answers;
      send();
    };
    socket.setNoDelay(true);
    socket.on('connect', send);
    socket.on('error', reject);
    socket.on('close', resolve);
    socket.on('data', (chunk) => {
      if (missing === 0) begin(chunk);
      else {
        missing -= chunk.length;
        if (missing === 0) finish();
      }
    });
  });
}

async function load(order) {
  const { url, requests, connections, seconds, answers = Number.POSITIVE_INFINITY } = order;
  const messages = requests.map((request) => messageOf(request, order));
  const state = { isOver: false, statuses: {}, taken: [], answers };
  const before = process.cpuUsage();
  const began = performance.now();
  if (seconds !== undefined)
    setTimeout(() => {
      state.isOver = true;
    }, seconds * 1000);
  const { port } = new URL(url);
  const step = Math.ceil(messages.length / connections);
  await Promise.all(
    Array.from({ length: connections }, async (_, index) => {
      const place = { next: index * step };
      // A server may end a connection behind a request that it cannot read.
      while (!state.isOver) await keepAsking(Number(port), messages, place, state);
    }),
  );
  const { user, system } = process.cpuUsage(before);
  const elapsed = (performance.now() - began) / 1000;
  const { taken, statuses } = state;
  const failed = Object.entries(statuses).reduce(
    (sum, [status, count]) => sum + (status.startsWith('2') ? 0 : count),
    0,
  );
  const sorted = Float64Array.from(taken).sort();
  const at = (part) => sorted[Math.floor(sorted.length * part)] ?? 0;
  const answered = taken.length;
  return {
    rate: answered / elapsed,
    answered,
    p50: at(0.5),
    p99: at(0.99),
    failed,
    statuses,
    loaderCpu: (user + system) / Math.max(1, answered),
  };
}

for await (const line of createInterface({ input: process.stdin }))
  console.log(JSON.stringify(await load(JSON.parse(line))));

// This file is an FTP server that goes wrong on purpose, in the way a test says. It holds its files in memory and knows the commands
// that the store needs.
import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';

/** What goes wrong: nothing; no word of greeting; a transfer that stands still; a cut in the middle; no room; bytes lost without a word. */
/** `filling`: it becomes full in the middle of an upload, and takes no more. */
export type Trouble = 'none' | 'mute' | 'hung' | 'cut' | 'full' | 'filling' | 'lying' | 'unlisted';

/** Bytes of a transfer after which it goes wrong. */
const ENOUGH = 20_000;

export class FaultyFtp {
  trouble: Trouble = 'none';
  /** What it says when it is full. */
  fullReply = '552 no room';
  readonly files = new Map<string, Buffer>();
  readonly #sockets = new Set<Socket>();
  readonly #server: Server = createServer((socket) => this.#serve(socket));
  connections = 0;

  async start(port = 0): Promise<number> {
    this.#server.listen(port, '127.0.0.1');
    await once(this.#server, 'listening');
    return portOf(this.#server);
  }

  /** Ends the server and all connections at once, as when its process is killed. */
  async kill(): Promise<void> {
    for (const socket of this.#sockets) socket.resetAndDestroy();
    if (!this.#server.listening) return;
    this.#server.close();
    await once(this.#server, 'close');
  }

  #serve(socket: Socket): void {
    this.connections += 1;
    this.#track(socket);
    const session = new Session(this, socket, (data) => this.#track(data));
    if (this.trouble !== 'mute') socket.write('220 at your service\r\n');
    let text = '';
    socket.on('data', (chunk) => {
      text += chunk.toString();
      for (let end = text.indexOf('\r\n'); end >= 0; end = text.indexOf('\r\n')) {
        session.take(text.slice(0, end));
        text = text.slice(end + 2);
      }
    });
  }

  #track(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => this.#sockets.delete(socket));
  }
}

class Session {
  readonly #faulty: FaultyFtp;
  readonly #control: Socket;
  readonly #track: (socket: Socket) => void;
  #passive: Server | undefined;
  #data: Promise<Socket> | undefined;
  #from = '';
  #start = 0;

  constructor(faulty: FaultyFtp, control: Socket, track: (socket: Socket) => void) {
    this.#faulty = faulty;
    this.#control = control;
    this.#track = track;
    control.on('close', () => this.#passive?.close());
  }

  take(line: string): void {
    if (this.#faulty.trouble === 'mute') return;
    const [command = '', name = ''] = line.split(' ');
    const { files } = this.#faulty;
    const known = files.get(name);
    const simple: Readonly<Record<string, string>> = {
      USER: '331 password',
      PASS: '230 welcome',
      PWD: '257 "/"',
      RNFR: '350 to what',
      REST: '350 from there',
      FEAT: '211 none',
    };
    if (command === 'RNFR') this.#from = name;
    if (command === 'REST') this.#start = Number(name);
    switch (command) {
      case 'EPSV':
        void this.#listen();
        return;
      case 'STOR':
        void this.#store(name);
        return;
      case 'RETR':
        void this.#retrieve(known);
        return;
      case 'LIST':
        void this.#list(name);
        return;
      case 'SIZE':
        this.#say(known === undefined ? '550 no such file' : `213 ${known.byteLength}`);
        return;
      case 'DELE':
        this.#say(files.delete(name) ? '250 gone' : '550 no such file');
        return;
      case 'RNTO':
        files.set(name, files.get(this.#from) ?? Buffer.alloc(0));
        files.delete(this.#from);
        this.#say('250 renamed');
        return;
      case 'QUIT':
        this.#control.end('221 bye\r\n');
        return;
      default:
        this.#say(simple[command] ?? '200 fine');
    }
  }

  #say(line: string): void {
    if (this.#control.writable) this.#control.write(`${line}\r\n`);
  }

  async #listen(): Promise<void> {
    this.#passive?.close();
    const server = createServer();
    this.#passive = server;
    this.#data = new Promise((resolve) => {
      server.once('connection', (socket) => {
        this.#track(socket);
        server.close();
        resolve(socket);
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    this.#say(`229 here (|||${portOf(server)}|)`);
  }

  async #store(name: string): Promise<void> {
    const { trouble, files } = this.#faulty;
    this.#say('150 go on');
    const data = await this.#data;
    if (data === undefined) return;
    const pieces: Buffer[] = [];
    let size = 0;
    data.on('data', (piece) => {
      pieces.push(piece);
      size += piece.byteLength;
      files.set(name, Buffer.concat(pieces));
      if (size < ENOUGH) return;
      if (trouble === 'hung') data.pause();
      if (trouble === 'cut') this.#cut(data);
      if (trouble === 'filling') {
        data.pause();
        this.#say(this.#faulty.fullReply);
        setTimeout(() => data.destroy(), 50);
      }
    });
    data.on('end', () => {
      if (trouble === 'lying') files.set(name, Buffer.concat(pieces).subarray(0, ENOUGH));
      this.#say(trouble === 'full' ? this.#faulty.fullReply : '226 got all of it');
    });
  }

  async #retrieve(known: Buffer | undefined): Promise<void> {
    if (known === undefined) {
      this.#say('550 no such file');
      return;
    }
    const { trouble } = this.#faulty;
    this.#say('150 here it comes');
    const data = await this.#data;
    const wanted = known.subarray(this.#start);
    this.#start = 0;
    if (trouble === 'none' || trouble === 'full' || trouble === 'unlisted') {
      data?.end(wanted, () => this.#say('226 that was all'));
      return;
    }
    data?.write(wanted.subarray(0, ENOUGH), () => {
      if (trouble === 'cut') this.#cut(data);
      if (trouble === 'lying') data.end(() => this.#say('226 that was all'));
    });
  }

  async #list(name: string): Promise<void> {
    const data = await this.#data;
    if (this.#faulty.trouble === 'unlisted') {
      data?.end(() => this.#say('450 not now'));
      return;
    }
    const folder = name === '-a' || name === '' ? '' : `${name}/`;
    const rows = [...this.#faulty.files]
      .filter(([path]) => path.startsWith(folder))
      .map(([path, bytes]) =>
        folder === ''
          ? `drwx------ 1 0 0 4096 Nov 21 2020 ${path.slice(0, 2)}`
          : `-rw------- 1 0 0 ${bytes.byteLength} Nov 21 2020 ${path.slice(folder.length)}`,
      );
    this.#say('150 the list');
    data?.end(`${[...new Set(rows)].join('\r\n')}\r\n`, () => this.#say('226 that was all'));
  }

  #cut(data: Socket): void {
    data.resetAndDestroy();
    this.#control.resetAndDestroy();
  }
}

function portOf(server: Server): number {
  const address = server.address();
  return address !== null && typeof address === 'object' ? address.port : 0;
}

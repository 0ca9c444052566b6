// This file checks the image and the compositions of containers as far as that is possible without a container: the instructions of the
// image, its health check, and what the compositions refer to. The balancer's own program checks its configuration where it is installed.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { generate } from 'selfsigned';
import { afterEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { readConfig } from '../../src/cli/config/config.ts';

// biome-ignore lint/suspicious/noExplicitAny: the tests state what they expect of compositions
type Json = any;

const root = resolve(import.meta.dirname, '../..');
const folder = join(root, 'deploy');
const read = (file: string) => readFileSync(join(folder, file), 'utf8');

interface Instruction {
  readonly name: string;
  readonly text: string;
}

const instructions: readonly Instruction[] = read('Dockerfile')
  .replace(/^#.*\n/gm, '')
  .replace(/\\\n/g, ' ')
  .split('\n')
  .filter((line) => line.trim() !== '')
  .map((line) => {
    const [, name = '', text = ''] = /^([A-Z]+)\s+(.*)$/.exec(line) ?? [];
    return { name, text };
  });

const lastStage = instructions.slice(instructions.findLastIndex(({ name }) => name === 'FROM'));
const textsOf = (wanted: string, among: readonly Instruction[] = lastStage) =>
  among.filter(({ name }) => name === wanted).map(({ text }) => text);

describe('the image', () => {
  it('consists of known instructions, in stages of one image of a certain version', () => {
    const known = 'ARG CMD COPY ENTRYPOINT ENV EXPOSE FROM HEALTHCHECK LABEL RUN STOPSIGNAL USER';
    const names = new Set(instructions.map(({ name }) => name));
    expect(
      [...names].filter((name) => !`${known} VOLUME WORKDIR`.split(' ').includes(name)),
    ).toEqual([]);
    const [image = ''] = textsOf('ARG', instructions);
    expect(image).toMatch(/^NODE_IMAGE=node:24\.\d+\.\d+-bookworm-slim$/);
    for (const from of textsOf('FROM', instructions)) expect(from).toMatch(/^\$\{NODE_IMAGE\}/);
  });

  it('contains what the package contains, from stages and a checkout that have it', () => {
    const stages = textsOf('FROM', instructions).map((from) => / AS (\w+)$/.exec(from)?.[1]);
    const copied = textsOf('COPY').map((text) => {
      const [, stage, paths = ''] = /^--from=(\w+) (?:--\S+ )*(.*)$/.exec(text) ?? [];
      expect(stages).toContain(stage);
      return paths.split(' ').slice(0, -1);
    });
    const paths = copied.flat().map((path) => path.replace('/build/', ''));
    const built = ['node_modules', 'dist', 'console/dist', '/data'];
    for (const path of paths)
      expect([path, built.includes(path) || existsSync(join(root, path))]).toEqual([path, true]);
    const { files } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    const needed = files.filter((file: string) => !/^(?:examples|deploy|dist\/.*|!.*)$/.test(file));
    expect(paths).toEqual(expect.arrayContaining([...needed, 'dist', 'node_modules']));
  });

  it('does not run as root, and has no shell between itself and signals', () => {
    expect(textsOf('USER')).toEqual(['1000:1000']);
    expect(lastStage.findIndex(({ name }) => name === 'USER')).toBeGreaterThan(
      lastStage.findLastIndex(({ name }) => name === 'COPY'),
    );
    expect(JSON.parse(textsOf('ENTRYPOINT')[0] ?? '')).toEqual(['node', '/opt/docket/bin/docket']);
    expect(JSON.parse(textsOf('CMD')[0] ?? '')).toEqual(['serve']);
    expect(textsOf('RUN')).toEqual([]);
  });

  it('sets variables that the program knows', () => {
    const [text = ''] = textsOf('ENV');
    const variables = Object.fromEntries(text.split(/\s+/).map((one) => one.split('=')));
    const { NODE_ENV: _, ...own } = variables;
    expect(readConfig({}, own)).toMatchObject({ data: '/data', host: '0.0.0.0', port: 5181 });
  });

  describe('its health check', () => {
    let server: Server | undefined;
    afterEach(() => server?.close());
    const [text = ''] = textsOf('HEALTHCHECK');
    const [command = '', ...words]: string[] = JSON.parse(text.slice(text.indexOf('[')));

    const exitCode = async (status: number | undefined) => {
      const asked: (string | undefined)[] = [];
      const listening = createServer((request, response) => {
        asked.push(request.url);
        response.writeHead(status ?? 500).end();
      });
      server = listening;
      await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve));
      const { port } = listening.address() as AddressInfo;
      if (status === undefined) await new Promise((resolve) => listening.close(resolve));
      expect(command).toBe('node');
      const env = { DOCKET_PORT: String(port) };
      const child = spawn(process.execPath, words, { env, stdio: 'ignore' });
      const code = await new Promise((resolve) => child.once('exit', resolve));
      expect(asked).toEqual(status === undefined ? [] : ['/healthz']);
      return code;
    };

    it('passes while the process answers', async () => expect(await exitCode(200)).toBe(0));
    it('fails for an error', async () => expect(await exitCode(503)).toBe(1));
    it('fails without an answer', async () => expect(await exitCode(undefined)).toBe(1));
  });
});

describe.each(['compose.yaml', 'compose.postgres.yaml'])('%s', (file) => {
  const composition: Json = parse(read(file), { merge: true });
  const services: Readonly<Record<string, Json>> = composition.services;
  const own = Object.values(services).filter(({ image }) => image === 'docket');

  it('runs Docket with few rights, and stops it slowly enough', () => {
    expect(own.length).toBeGreaterThan(0);
    for (const service of own) {
      expect(service).toMatchObject({
        read_only: true,
        cap_drop: ['ALL'],
        security_opt: ['no-new-privileges:true'],
        build: { context: '..', dockerfile: 'deploy/Dockerfile' },
      });
      const drain = Number(service.environment.DOCKET_DRAIN_SECONDS ?? 0);
      expect(Number.parseInt(service.stop_grace_period, 10)).toBeGreaterThanOrEqual(drain + 20);
    }
  });

  it('sets variables that the program knows, with values that it accepts', () => {
    for (const { environment } of own) {
      const filled = Object.entries<string>(environment).map(([name, value]) => [
        name,
        value.replace(/\$\{\w+:\?[^}]*\}/, 'secret'),
      ]);
      expect(() => readConfig({}, Object.fromEntries(filled))).not.toThrow();
    }
  });

  it('refers to volumes, networks, services and files that exist', () => {
    for (const [name, service] of Object.entries(services)) {
      for (const volume of service.volumes ?? []) {
        const [source = ''] = volume.split(':');
        const isProvided = source === './balancer.pem';
        const isThere = source.startsWith('./')
          ? existsSync(join(folder, source))
          : source in (composition.volumes ?? {});
        expect([name, source, isThere || isProvided]).toEqual([name, source, true]);
      }
      for (const network of service.networks ?? [])
        expect(composition.networks).toHaveProperty(network);
      const needed = service.depends_on ?? [];
      for (const other of Array.isArray(needed) ? needed : Object.keys(needed))
        expect(services).toHaveProperty(other);
      expect(service.image).not.toMatch(/:latest$/);
    }
  });

  it('publishes ports of the balancer, or on this machine only', () => {
    const published = own.flatMap(({ ports = [] }) => ports);
    expect(published.filter((port: string) => !port.startsWith('127.0.0.1:'))).toEqual([]);
  });
});

describe('the balancer', () => {
  const configuration = read('haproxy.cfg');
  const { services, networks }: Json = parse(read('compose.postgres.yaml'), { merge: true });

  it('has every node, at the port of the image, and asks whether it is ready', () => {
    const servers = [...configuration.matchAll(/^ +server (\w+) (\w+):(\d+)$/gm)];
    const nodes = Object.keys(services).filter((name) => services[name].image === 'docket');
    expect(servers.map(([, , host]) => host)).toEqual(nodes);
    expect(new Set(servers.map(([, , , port]) => port))).toEqual(new Set(textsOf('EXPOSE')));
    expect(configuration).toContain('http-check send meth GET uri /readyz');
  });

  it('is the proxy that the nodes trust', () => {
    const [{ subnet }] = networks.inside.ipam.config;
    expect(services.node1.environment.DOCKET_TRUSTED_PROXIES).toBe(subnet);
  });

  const hasProgram = spawnSync('haproxy', ['-v']).status === 0;
  it.skipIf(!hasProgram)(
    'accepts its configuration (skipped where haproxy is not installed)',
    async () => {
      const temporary = mkdtempSync(join(tmpdir(), 'docket-balancer-'));
      const { cert, private: key } = await generate([
        { name: 'commonName', value: 'desk.example' },
      ]);
      const pem = join(temporary, 'balancer.pem');
      writeFileSync(pem, `${cert}\n${key}`);
      const file = join(temporary, 'haproxy.cfg');
      writeFileSync(file, configuration.replace('/run/balancer.pem', pem));
      const { status, stderr } = spawnSync('haproxy', ['-c', '-f', file], { encoding: 'utf8' });
      rmSync(temporary, { recursive: true });
      // The names of the nodes exist only in the network of the composition.
      const problems = stderr
        .split('\n')
        .filter((line) => /ALERT|WARNING/.test(line) && !line.includes('could not resolve'));
      expect([status, problems]).toEqual([0, []]);
    },
  );
});

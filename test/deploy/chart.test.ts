// This file checks the Helm chart: its values against their schema, and what its templates become.
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import { parse, parseDocument } from 'yaml';
import { renderTemplate } from './render-chart.ts';

// biome-ignore lint/suspicious/noExplicitAny: the tests state what they expect of manifests
type Json = any;

const folder = resolve(import.meta.dirname, '../../deploy/helm/docket');
const read = (file: string) => readFileSync(join(folder, file), 'utf8');
const defaults: Json = parse(read('values.yaml'));
const validate = new Ajv({ strict: true, strictTypes: false }).compile(
  JSON.parse(read('values.schema.json')),
);

/** The values of the chart with some of them replaced, one level deep. */
function valuesWith(changes: Json): Json {
  const merged = Object.entries(changes).map(([key, value]) => [
    key,
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? { ...defaults[key], ...value }
      : value,
  ]);
  return { ...defaults, ...Object.fromEntries(merged) };
}

const TWO_NODES = {
  replicas: 2,
  database: { secret: 'docket-database' },
  persistence: { accessMode: 'ReadWriteMany' },
  init: { secret: 'docket-admin' },
  ingress: { enabled: true, host: 'desk.example.com', tlsSecret: 'desk-tls', className: 'nginx' },
  config: { trustedProxies: ['10.0.0.0/8'], limits: { pageSize: 200 } },
  nodeSelector: { disk: 'ssd' },
  image: { pullSecrets: [{ name: 'registry' }] },
};

/** The manifests by their kinds, without templates that become nothing. */
function manifests(changes: Json = {}): Readonly<Record<string, Json>> {
  const values = valuesWith(changes);
  expect(validate(values) || validate.errors).toBe(true);
  const context = {
    Values: values,
    Release: { Name: 'desk', Namespace: 'service' },
    Chart: { AppVersion: '1.2.3' },
  };
  const rendered = readdirSync(join(folder, 'templates'))
    .filter((name) => name.endsWith('.yaml'))
    .map((name) => {
      const document = parseDocument(renderTemplate(read(join('templates', name)), context));
      expect([name, document.errors]).toEqual([name, []]);
      return document.toJS();
    });
  return Object.fromEntries(rendered.filter(Boolean).map((one) => [one.kind, one]));
}

describe('values', () => {
  it('of the chart fit the schema', () => {
    expect(validate(defaults) || validate.errors).toBe(true);
  });

  it.each([
    ['several nodes with SQLite', { replicas: 2, persistence: { accessMode: 'ReadWriteMany' } }],
    ['several nodes with a volume of one machine', { replicas: 2, database: { secret: 'x' } }],
    ['an ingress without TLS', { ingress: { enabled: true, host: 'desk.example.com' } }],
    ['a setting that the image determines', { config: { port: 80 } }],
    ['a password in the settings', { config: { database: 'postgres://a:b@c/d' } }],
    ['an unknown value', { replica: 2 }],
    ['an unknown part of a value', { image: { name: 'docket' } }],
    ['a tag that moves', { image: { tag: 'latest' } }],
    ['no node', { replicas: 0 }],
  ])('are rejected: %s', (_, changes) => {
    expect(validate(valuesWith(changes))).toBe(false);
  });
});

describe('manifests', () => {
  it('of one node with SQLite', () => {
    const { Deployment, ConfigMap, ...others } = manifests();
    expect(Object.keys(others).sort()).toEqual(['PersistentVolumeClaim', 'Service']);
    expect(Deployment.spec).toMatchObject({ replicas: 1, strategy: { type: 'Recreate' } });
    expect(Deployment.spec.template.spec.containers[0].env).toEqual([
      { name: 'DOCKET_DATA', value: '/data' },
    ]);
    expect(parse(ConfigMap.data['docket.yaml'])).toEqual({ drainSeconds: 5 });
  });

  it('of two nodes with PostgreSQL', () => {
    const all = manifests(TWO_NODES);
    const { Deployment, ConfigMap, Ingress, PodDisruptionBudget, Job } = all;
    expect(Deployment.spec).toMatchObject({ replicas: 2, strategy: { type: 'RollingUpdate' } });
    const pod = Deployment.spec.template.spec;
    expect(pod.containers[0].env[1]).toEqual({
      name: 'DOCKET_DATABASE',
      valueFrom: { secretKeyRef: { name: 'docket-database', key: 'url' } },
    });
    expect(pod).toMatchObject({
      nodeSelector: { disk: 'ssd' },
      imagePullSecrets: [{ name: 'registry' }],
    });
    expect(parse(ConfigMap.data['docket.yaml'])).toEqual({
      drainSeconds: 5,
      ...TWO_NODES.config,
    });
    expect(Ingress.spec.rules[0].host).toBe('desk.example.com');
    expect(PodDisruptionBudget.spec.maxUnavailable).toBe(1);
    const { initContainers, containers } = Job.spec.template.spec;
    expect(initContainers[0].args.slice(0, 3)).toEqual(['init', '--admin', 'admin']);
    expect(containers[0].args[0]).toBe('enable');
  });

  it('select the nodes, and not the job that creates the installation', () => {
    const { Deployment, Service, PodDisruptionBudget, Job } = manifests(TWO_NODES);
    const { labels } = Deployment.spec.template.metadata;
    const selectors = [
      Deployment.spec.selector.matchLabels,
      PodDisruptionBudget.spec.selector.matchLabels,
      Service.spec.selector,
    ];
    for (const selector of selectors) {
      expect(labels).toMatchObject(selector);
      expect(Job.spec.template.metadata.labels).not.toMatchObject(selector);
    }
  });

  it('give containers few rights, and only volumes that exist', () => {
    const { Deployment, Job } = manifests(TWO_NODES);
    for (const { spec } of [Deployment.spec.template, Job.spec.template]) {
      expect(spec.automountServiceAccountToken).toBe(false);
      expect(spec.securityContext).toMatchObject({
        runAsNonRoot: true,
        seccompProfile: { type: 'RuntimeDefault' },
      });
      const volumes = spec.volumes.map(({ name }: Json) => name);
      for (const container of [...spec.containers, ...(spec.initContainers ?? [])]) {
        expect(container.securityContext).toEqual({
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        });
        expect(container.volumeMounts.map(({ name }: Json) => name)).toEqual(volumes);
      }
    }
  });

  it('wait for requests in progress, and ask the endpoints of the service', () => {
    const { Deployment, Service, Ingress } = manifests({ ...TWO_NODES, drainSeconds: 30 });
    const pod = Deployment.spec.template.spec;
    expect(pod.terminationGracePeriodSeconds).toBeGreaterThanOrEqual(30 + 20);
    const [{ ports, ...container }] = pod.containers;
    const probes = ['startupProbe', 'livenessProbe', 'readinessProbe'].map(
      (name) => container[name].httpGet,
    );
    expect(probes.map(({ path }) => path)).toEqual(['/healthz', '/healthz', '/readyz']);
    for (const { port } of [...probes, { port: Service.spec.ports[0].targetPort }])
      expect(ports.map(({ name }: Json) => name)).toContain(port);
    const { service } = Ingress.spec.rules[0].http.paths[0].backend;
    expect([service.name, service.port.name]).toEqual([
      Service.metadata.name,
      Service.spec.ports[0].name,
    ]);
  });

  it('use a claim that exists instead of one of the chart', () => {
    const { PersistentVolumeClaim, Deployment } = manifests({
      persistence: { existingClaim: 'x' },
    });
    expect(PersistentVolumeClaim).toBeUndefined();
    expect(Deployment.spec.template.spec.volumes[0].persistentVolumeClaim.claimName).toBe('x');
  });
});

it('the version of the chart is that of the program', () => {
  const { version } = JSON.parse(readFileSync(resolve(folder, '../../../package.json'), 'utf8'));
  const { appVersion } = parse(read('Chart.yaml'));
  expect([appVersion, defaults.image.tag]).toEqual([version, version]);
});

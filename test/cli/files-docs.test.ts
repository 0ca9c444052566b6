// This file holds docs/files.md to the configuration: its examples are configurations, and it names every setting.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readConfig } from '../../src/cli/config/config.ts';
import { filesSchema } from '../../src/cli/config/file-store-config.ts';

const page = readFileSync(join(import.meta.dirname, '../../docs/files.md'), 'utf8');
const examples = [...page.matchAll(/```yaml\n([\s\S]*?)```/g)].map(([, text = '']) => text);

it('the page about files has an example for each store, and one for the limits', () => {
  expect(examples).toHaveLength(4);
});

it.each(examples)('the example is a configuration: %s', (text) => {
  const folder = mkdtempSync(join(tmpdir(), 'docket-docs-'));
  writeFileSync(join(folder, 'docket.yaml'), text);
  const { files } = readConfig({ config: join(folder, 'docket.yaml') }, {});
  rmSync(folder, { recursive: true });
  expect(files[files.store]).toBeDefined();
});

it('the page about files names every setting', () => {
  const { ftp, s3 } = filesSchema.shape;
  const keys = [ftp, s3].flatMap((section) => Object.keys(section.unwrap().shape));
  expect(keys.filter((key) => !page.includes(`\`${key}\``))).toEqual([]);
});

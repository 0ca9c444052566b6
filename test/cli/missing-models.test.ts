// This file checks what a command reports if the directory of the built-in model is missing.
import { expect, test, vi } from 'vitest';
import { readDemoVocabulary } from '../../src/cli/demo/vocabulary.ts';
import { NO_ADDITIONS } from '../../src/cli/model-file.ts';

vi.mock('../../src/cli/model-source.ts', async (original) => ({
  ...(await original<typeof import('../../src/cli/model-source.ts')>()),
  BUILT_IN_MODEL: '/nowhere/models/service-desk',
}));

test('a missing vocabulary is reported with its file and the remedy', () => {
  expect(() => readDemoVocabulary(NO_ADDITIONS)).toThrow(
    'The file /nowhere/models/service-desk/demo.json cannot be read: it does not exist or is incomplete. Reinstall Docket to restore it.',
  );
});

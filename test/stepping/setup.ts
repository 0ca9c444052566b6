// This file makes every database that a test opens run units of work with stepping-writer.ts.
import { vi } from 'vitest';
import { guarded, steppingQueues } from './stepping-writer.ts';

vi.mock('../../src/store/sqlite/writer.ts', async (importOriginal) => {
  const original = await importOriginal<typeof import('../../src/store/sqlite/writer.ts')>();
  return { ...original, writerQueue: steppingQueues(original) };
});

vi.mock('../../src/store/sqlite/database.ts', async (importOriginal) => {
  const { openSqlite } =
    await importOriginal<typeof import('../../src/store/sqlite/database.ts')>();
  return {
    openSqlite: (settings: Parameters<typeof openSqlite>[0]) => guarded(openSqlite(settings)),
  };
});

// This file describes the import of files into a set, which is an action of the service rather than of the model.
import type { JsonObject } from '../value/lossless-json.ts';
import type { Resource } from './entity-operations.ts';
import { operationId } from './operation-ids.ts';
import { ERROR, parameterReference, responseReference } from './shared-components.ts';

const BINARY = { schema: { type: 'string', format: 'binary' } };
const TEXT = { schema: { type: 'string' } };

/** `POST /Persons/Docket.System.Import` */
export function importItem({ type, tags, names }: Resource): JsonObject {
  return {
    post: {
      operationId: operationId('Import', names.list),
      summary: `Create or update ${names.list} from the rows of a file`,
      tags,
      parameters: [
        parameterReference('importMode'),
        {
          name: 'key',
          in: 'query',
          description: `Properties that identify a record: the key or an alternate key of ${type.name}`,
          schema: { type: 'string' },
        },
        parameterReference('importMap'),
        parameterReference('importHeadings'),
        parameterReference('importFormulas'),
        parameterReference('prefer'),
        parameterReference('idempotencyKey'),
      ],
      requestBody: {
        description: 'A file with headings, or JSON lines',
        required: true,
        content: {
          'text/csv': TEXT,
          'text/tab-separated-values': TEXT,
          'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': BINARY,
          'application/x-ndjson': TEXT,
        },
      },
      responses: { 200: responseReference('importResult'), '4XX': ERROR },
    },
  };
}

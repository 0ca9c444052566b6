// The commands `docket settings list` and `docket settings set`.
import { SETTING_TYPE } from '../../edm/administration-sets.ts';
import { isJsonText } from '../../edm/value/lossless-json.ts';
import { ConfigError } from '../config/config.ts';
import {
  type JsonObject,
  recordNamed,
  type ServiceClient,
  withService,
} from '../in-process-client.ts';
import { type Columns, type Invocation, printList } from '../invocation.ts';

/** `docket settings list`. */
export async function listSettings(invocation: Invocation): Promise<void> {
  await withService(invocation, async (client) => {
    const settings = await settingsOf(client);
    printList(invocation, settings.map(listedSetting), SETTING_COLUMNS);
  });
}

const SETTING_COLUMNS: Columns<ReturnType<typeof listedSetting>> = [
  ['Name', ({ name }) => name],
  ['Value', ({ value }) => JSON.stringify(value)],
  ['Configured', ({ configured }) => JSON.stringify(configured)],
  ['Applies', whenApplied],
  ['Values', ({ range }) => range],
];

/** `value` is the effective value: the stored one, or else the configured one. */
function listedSetting({ Name, Value, Configured, Applies, Range, Description }: JsonObject) {
  const configured: unknown = JSON.parse(String(Configured ?? 'null'));
  return {
    name: String(Name),
    value: typeof Value === 'string' ? (JSON.parse(Value) as unknown) : configured,
    configured,
    isSet: typeof Value === 'string',
    applies: String(Applies),
    range: String(Range),
    description: String(Description ?? ''),
  };
}

/** For people. JSON keeps the value of the record. */
function whenApplied({ applies }: Pick<ReturnType<typeof listedSetting>, 'applies'>): string {
  return applies === 'at the next start' ? applies : 'immediately';
}

/** `docket settings set NAME VALUE`, or `docket settings set NAME --reset`. Throws: cli.unknown, cli.refused, a ConfigError. */
export async function changeSetting(
  invocation: Invocation,
  name = '',
  value?: string,
): Promise<void> {
  const { flags, terminal } = invocation;
  const isReset = flags.reset === true;
  if (isReset === (value !== undefined))
    throw new ConfigError(
      `Specify either a value or --reset, as in "docket settings set ${name} VALUE".`,
    );
  await withService(invocation, async (client) => {
    const { Name, Kind } = await settingNamed(client, name);
    const url = `${client.setOf(SETTING_TYPE)}('${String(Name)}')`;
    await client.send('PATCH', url, {
      Value: value === undefined ? null : settingAsJson(String(Kind), value),
    });
    const setting = listedSetting(await settingNamed(client, name));
    if (flags.json === true) terminal.print(JSON.stringify(setting, null, 2));
    else
      terminal.print(
        `${setting.name} is now ${JSON.stringify(setting.value)}${isReset ? ', as configured' : ''}. It applies ${whenApplied(setting)}.`,
      );
  });
}

/** Converts what people type, such as `debug`, `true` or `ping, metadata`, to the JSON that the service expects. */
export function settingAsJson(kind: string, text: string): string {
  switch (kind) {
    case 'list': {
      const items = text.split(',').map((item) => item.trim());
      return /^\s*\[/.test(text) ? text : JSON.stringify(items.filter((item) => item !== ''));
    }
    case 'choice':
      return isJsonText(text) ? text : JSON.stringify(text);
    default:
      return text;
  }
}

async function settingNamed(client: ServiceClient, name: string): Promise<JsonObject> {
  return recordNamed(name, await settingsOf(client), 'setting', 'docket settings list');
}

/** The records of all settings. The service creates them when it starts, so before its first start and after an update some are missing. */
async function settingsOf(client: ServiceClient): Promise<readonly JsonObject[]> {
  const read = async () => await client.all(`${client.setOf(SETTING_TYPE)}?$orderby=Name`);
  const settings = await read();
  const known = new Set(settings.map(({ Name }) => Name));
  if (client.settingNames.every((name) => known.has(name))) return settings;
  await client.storeSettings();
  return await read();
}

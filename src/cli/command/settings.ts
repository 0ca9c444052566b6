// This file holds the commands about settings that change while the service runs: list, set.
import { Fault } from '../../base/fault.ts';
import { didYouMean } from '../../base/nearest-name.ts';
import { SETTING_TYPE, systemSet } from '../../edm/administration-sets.ts';
import type { Config, Flags } from '../config/config.ts';
import { administer, type Desk, type Shown } from '../in-process-client.ts';
import { type Columns, printList, type Terminal } from '../terminal.ts';

/** `docket settings list`. */
export async function listSettings(
  config: Config,
  flags: Flags,
  terminal: Terminal,
): Promise<number> {
  return await administer(config, async (desk) => {
    const settings = await settingsOf(desk);
    printList(terminal, flags, settings.map(listedSetting), SETTING_COLUMNS);
    return 0;
  });
}

const SETTING_COLUMNS: Columns<ReturnType<typeof listedSetting>> = [
  ['Name', ({ name }) => name],
  ['Value', ({ value }) => JSON.stringify(value)],
  ['Configured', ({ configured }) => JSON.stringify(configured)],
  ['Applies', ({ applies }) => applies],
  ['Takes', ({ range }) => range],
];

/** `value` is what holds: what was set, or else what the configuration says. */
function listedSetting({ Name, Value, Configured, Applies, Range, Description }: Shown) {
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

/** `docket settings set NAME VALUE`, or with `--reset` in place of the value. */
export async function changeSetting(
  config: Config,
  flags: Flags,
  terminal: Terminal,
  name = '',
  value = '',
): Promise<number> {
  const isReset = flags.reset === true;
  if (isReset === (value !== ''))
    throw new Fault('cli.refused', {
      reason: `Give ${name} either a value, as in "docket settings set ${name} VALUE", or --reset.`,
    });
  return await administer(config, async (desk) => {
    const { Name, Kind } = await settingNamed(desk, name);
    const url = `${setOf(desk)}('${String(Name)}')`;
    await desk.send('PATCH', url, { Value: isReset ? null : asJson(String(Kind), value) });
    const setting = listedSetting(await settingNamed(desk, name));
    if (flags.json === true) terminal.print(JSON.stringify(setting, null, 2));
    else
      terminal.print(
        `${setting.name} is ${JSON.stringify(setting.value)}${isReset ? ', as configured' : ''}; it applies ${setting.applies}.`,
      );
    return 0;
  });
}

/** People write `debug` and `ping, metadata`; the service takes JSON. */
function asJson(kind: string, text: string): string {
  switch (kind) {
    case 'list': {
      const items = text.split(',').map((item) => item.trim());
      return /^\s*\[/.test(text) ? text : JSON.stringify(items.filter((item) => item !== ''));
    }
    case 'choice':
      return text.startsWith('"') ? text : JSON.stringify(text);
    default:
      return text;
  }
}

async function settingNamed(desk: Desk, name: string): Promise<Shown> {
  const settings = await settingsOf(desk);
  const found = settings.find(({ Name }) => Name === name);
  if (found !== undefined) return found;
  const names = settings.map(({ Name }) => String(Name));
  const hint = didYouMean(name, names) || ' "docket settings list" shows those that there are.';
  throw new Fault('cli.unknown', { thing: 'setting', name, hint });
}

/** The service writes them down when it starts: before its first start, and after an update, some are missing. */
async function settingsOf(desk: Desk): Promise<readonly Shown[]> {
  const read = async () => await desk.all(`${setOf(desk)}?$orderby=Name`);
  const settings = await read();
  const known = new Set(settings.map(({ Name }) => Name));
  if (desk.settingNames.every((name) => known.has(name))) return settings;
  await desk.storeSettings();
  return await read();
}

function setOf({ installation: { model } }: Desk): string {
  return systemSet(model, SETTING_TYPE)?.name ?? SETTING_TYPE;
}

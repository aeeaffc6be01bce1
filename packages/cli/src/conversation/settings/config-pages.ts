/** `/config`: all settings with value and file, to be searched; one is changed in the file that is chosen. */
import {
  resolveSettings,
  type SettingKey,
  type SettingsReport,
  settingsKeys,
  TurnwrightError,
} from '@turnwright/engine';
import { oneLine } from '@turnwright/terminal/text/visible.ts';
import { wrap } from '@turnwright/terminal/text/wrap.ts';
import { shortPath } from '../../words/tool-label.ts';
import { counted } from '../../words/units.ts';
import type { ConversationCommandContext } from '../command-context.ts';
import { CommandMistake } from '../commands/command-type.ts';
import { type ListItem, listOverlay } from '../commands/list.ts';
import { questionOverlay } from '../commands/question.ts';
import { THEMES } from '../screen/screen-settings.ts';
import { SETTING_WORDS } from './setting-words.ts';

type Destination = 'userSettings' | 'projectSettings' | 'localSettings';

/** A setting with what it is now. */
interface SettingNow extends SettingKey {
  /** undefined: it is not set. */
  readonly value: unknown;
  /** Where it is set. */
  readonly from: SettingsReport['sources'][number] | undefined;
}

const FLAGS = new Set([
  'reducedMotion',
  'screenReader',
  'terminalTitle',
  'terminalBell',
  'terminalNotifications',
]);

/** Those that a file may begin with, and that ask for nothing more. */
const MODES = ['default', 'acceptEdits', 'plan', 'auto'] as const;

/** The screen checks its own keys, so the schema knows no kind of them. */
function asScreenKey(setting: SettingKey): SettingKey {
  if (setting.key === 'theme') return { ...setting, kind: 'choice', values: THEMES };
  if (setting.key === 'permissions.defaultMode') return { ...setting, kind: 'choice', values: MODES };
  return FLAGS.has(setting.key) ? { ...setting, kind: 'flag' } : setting;
}

export async function runConfig(argument: string, context: ConversationCommandContext): Promise<void> {
  const [, name = argument, given] = /^(\S+?)(?:\s*=\s*|\s+)(.+)$/s.exec(argument) ?? [];
  const settings = await readNow(context);
  const named = settings.find(({ key }) => key.toLowerCase() === name.toLowerCase());
  if (named !== undefined) return change(named, given, context);
  if (argument.includes('=')) throw new CommandMistake(`There is no setting "${name}". /config lists them.`);
  let search = argument;
  for (;;) {
    const now = await readNow(context);
    const chosen = await context.open(
      listOverlay({
        title: 'Settings (those that are set come first)',
        items: now.map((setting) => settingItem(setting, context)),
        empty: '',
        enter: 'changes it',
        search,
      }),
    );
    if (chosen === undefined) return;
    await change(chosen, undefined, context);
    search = chosen.key;
  }
}

/** As the files are now: the session itself may have begun with others. */
async function readNow({ options }: ConversationCommandContext): Promise<readonly SettingNow[]> {
  const [keys, report] = await Promise.all([settingsKeys(), resolveSettings(options)]);
  const all = keys.map(asScreenKey).map((setting): SettingNow => {
    // An empty object says nothing: the files that are read have an empty `env`.
    const isSaid = (value: unknown) => value !== undefined && JSON.stringify(value) !== '{}';
    const from = report.sources.findLast(({ settings }) => isSaid(valueIn(settings, setting.key)));
    const value = from === undefined ? undefined : valueIn(report.effective, setting.key);
    return { ...setting, value, from };
  });
  const sorted = all.toSorted((a, b) => a.key.localeCompare(b.key, 'en'));
  const isSet = ({ value }: SettingNow) => value !== undefined;
  return [...sorted.filter(isSet), ...sorted.filter((setting) => !isSet(setting))];
}

function valueIn(settings: object, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>(
      (value, key) => (value as Readonly<Record<string, unknown>> | undefined)?.[key],
      settings,
    );
}

function settingItem(setting: SettingNow, context: ConversationCommandContext): ListItem<SettingNow> {
  const { key, value, from } = setting;
  const where = from === undefined ? '' : ` · ${sourceWords(from)}`;
  return {
    value: setting,
    label: key,
    detail: value === undefined ? 'not set' : `${valueWords(setting)}${where}`,
    about: [SETTING_WORDS[key] ?? '', from?.path === undefined ? '' : fileWords(from.path, context)].filter(
      Boolean,
    ),
  };
}

/** Without what may be a secret. */
function valueWords({ key, value }: SettingNow): string {
  if (Array.isArray(value)) {
    const isShort = value.length <= 3 && value.every((each) => typeof each === 'string');
    return isShort
      ? value.join(', ') || 'empty'
      : counted(value.length, 'entry').replace('entrys', 'entries');
  }
  if (typeof value === 'object' && value !== null) {
    const names = Object.keys(value);
    return names.length > 3 ? `${names.slice(0, 3).join(', ')} …` : names.join(', ') || 'empty';
  }
  const text = String(value);
  return key === 'proxyUrl' || key === 'baseUrl' ? text.replace(/\/\/[^/@]+@/, '//…@') : text;
}

/** A file as it is named here. */
const fileWords = (path: string, { cwd, env }: Pick<ConversationCommandContext, 'cwd' | 'env'>): string =>
  shortPath(path, { cwd, home: env['HOME'] });

function sourceWords({ source }: SettingsReport['sources'][number]): string {
  return SOURCES[source] ?? source;
}

const SOURCES: Readonly<Record<string, string>> = {
  user: 'yours',
  local: 'yours, in this project',
  project: 'the project’s',
  flag: 'a flag',
  managed: 'policy of this machine',
};

/** `given`: the value as it was typed; undefined: the person is asked. */
async function change(
  setting: SettingNow,
  given: string | undefined,
  context: ConversationCommandContext,
): Promise<void> {
  if (setting.kind === 'other') return openItsFile(setting, given, context);
  const answer = given === undefined ? await askValue(setting, context) : { value: parsed(setting, given) };
  if (answer === undefined) return;
  if (answer.value === undefined && setting.from === undefined)
    return context.print([context.theme.dim(`${setting.key} is set nowhere, and stays so.`)]);
  const destination = await chooseFile(setting, answer.value, context);
  if (destination === undefined) return;
  await write(setting, answer.value, destination, context);
}

/** undefined as a value: it is taken out. */
async function askValue(
  setting: SettingNow,
  { open, env }: ConversationCommandContext,
): Promise<{ readonly value: unknown } | undefined> {
  const { key, kind, value, values = ['true', 'false'] } = setting;
  const about = [
    SETTING_WORDS[key] ?? '',
    env['NO_COLOR'] && key === 'theme' ? 'NO_COLOR is set.' : '',
  ].filter(Boolean);
  if (kind === 'flag' || kind === 'choice') {
    const items: ListItem<string>[] = [
      ...values.map((each) => ({ value: each, label: each, isCurrent: each === String(value), about })),
      {
        value: '',
        label: 'not set',
        detail: 'takes it out of the file',
        isCurrent: value === undefined,
        about,
      },
    ];
    const chosen = await open(listOverlay({ title: key, items, empty: '', enter: 'takes it' }));
    return chosen === undefined ? undefined : { value: chosen === '' ? undefined : parsed(setting, chosen) };
  }
  const text = await open(
    questionOverlay({
      title: key,
      about: [...about, ...(value === undefined ? [] : ['Nothing, and Enter, takes it out of the file.'])],
      mayBeEmpty: true,
      initial: value === undefined ? '' : String(value),
      problem: (answer) => problemOf(setting, answer),
    }),
  );
  if (text === undefined || (text === '' && value === undefined)) return undefined;
  return { value: text === '' ? undefined : parsed(setting, text) };
}

/** Why this text is no value of the setting; undefined: it is one. */
function problemOf({ key, kind, values }: SettingNow, text: string): string | undefined {
  if (text === '') return undefined;
  if (kind === 'flag' && text !== 'true' && text !== 'false') return `${key} is true or false.`;
  if (kind === 'choice' && values?.includes(text) !== true) return `${key} is one of ${values?.join(', ')}.`;
  if (kind === 'number' && !(Number(text) > 0)) return `${key} is a number above 0.`;
  return undefined;
}

function parsed(setting: SettingNow, text: string): unknown {
  const problem = problemOf(setting, text);
  if (problem !== undefined) throw new CommandMistake(problem);
  if (setting.kind === 'flag') return text === 'true';
  return setting.kind === 'number' ? Number(text) : text;
}

async function chooseFile(
  { key, isOnlyOwn, from }: SettingNow,
  value: unknown,
  { cwd, env, open, query }: ConversationCommandContext,
): Promise<Destination | undefined> {
  const what = value === undefined ? `takes ${key} out of` : `writes ${key}: ${JSON.stringify(value)} to`;
  const places = [
    ['userSettings', 'You, in every project'],
    ['localSettings', 'You, in this project'],
    ['projectSettings', 'Everyone who works on this project'],
  ] as const;
  const items: ListItem<Destination>[] = [];
  for (const [destination, label] of places) {
    const file = await query.settingsFile(destination).catch(() => undefined);
    if (file === undefined || (isOnlyOwn && destination !== 'userSettings')) continue;
    const short = fileWords(file, { cwd, env });
    items.push({
      value: destination,
      label,
      detail: short,
      about: [`${what} ${short}`],
      isCurrent: from?.path === file,
    });
  }
  if (items.length === 1) return items[0]?.value;
  return open(
    listOverlay({
      title: `${key}: where is it kept?`,
      items,
      empty: 'There is no file to keep it in.',
      enter: 'writes it',
    }),
  );
}

async function write(
  { key }: SettingNow,
  value: unknown,
  destination: Destination,
  context: ConversationCommandContext,
): Promise<void> {
  const { columns, cwd, env, print, query, setTheme, theme } = context;
  try {
    await query.setSetting(destination, key, value);
  } catch (error) {
    throw error instanceof TurnwrightError ? new CommandMistake(error.message) : error;
  }
  const file = fileWords(await query.settingsFile(destination), { cwd, env });
  const now = (await readNow(context)).find((each) => each.key === key);
  const chosen = THEMES.find((each) => each === (value ?? 'auto'));
  if (key === 'theme' && chosen !== undefined) setTheme(chosen);
  const done =
    value === undefined
      ? `${key} is not in ${file} any more`
      : `${key} is ${JSON.stringify(value)} in ${file}`;
  const when = key === 'theme' ? '.' : ', from the next session on.';
  print(wrap(oneLine(`${done}${when}`), columns));
  if (now === undefined || JSON.stringify(now.value) === JSON.stringify(value)) return;
  const other = now.from === undefined ? 'nothing sets it there: a repository cannot' : sourceWords(now.from);
  const said = now.value === undefined ? 'It has no effect' : `It is still ${valueWords(now)}`;
  print(wrap(oneLine(`${said} (${other}).`), columns).map((row) => theme.warn(row)));
}

/** Lists and objects are changed in their file. */
async function openItsFile(
  { key, from }: SettingNow,
  given: string | undefined,
  { cwd, env, openFile, print, query, theme }: ConversationCommandContext,
): Promise<void> {
  if (given !== undefined) throw new CommandMistake(`${key} is a list or an object: change it in its file.`);
  const file = from?.path ?? (await query.settingsFile('userSettings'));
  print([
    theme.dim(oneLine(`${key} is a list or an object: change it in ${fileWords(file, { cwd, env })}.`)),
  ]);
  await openFile(file);
}

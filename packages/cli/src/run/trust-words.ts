/** What a folder's settings would make happen, in words: what runs is first, what only adds is last. */
import { relative, sep } from 'node:path';
import type { ProjectTrust } from '@turnwright/engine';
import { oneLine } from '@turnwright/terminal/text/visible.ts';
import { wrap } from '@turnwright/terminal/text/wrap.ts';
import { counted } from '../words/units.ts';

type TrustItem = ProjectTrust['items'][number];

/** In the order of what harm they could do. */
const VERBS = ['run', 'start', 'connect to', 'allow', 'set', 'add'] as const;
type Verb = (typeof VERBS)[number];
type Phrases = ReadonlyMap<Verb, readonly string[]>;

const VERB_COLUMNS = 12;
/** Rows for one verb; the most dangerous ones get more while there is room. */
const VERB_ROWS = 2;
/** Rows of all verbs: with heading and question, twelve on a window of 80 columns. */
const ALL_ROWS = 9;
const PHRASE_CHARS = 120;

interface TrustWords {
  readonly rows: readonly string[];
  /** Something of it is in the details alone. */
  readonly isCut: boolean;
}

/** At most 10 rows, the heading included. */
export function trustWords(trust: ProjectTrust, columns: number): TrustWords {
  const { root, items, state, differences, changes = [] } = trust;
  if (state === 'changed' && differences !== undefined) return changedWords(trust, differences, columns);
  const heading = `The settings of ${oneLine(root)} would`;
  const { rows, isCut } = layOut(toPhrases(root, items), columns, '  ');
  const changed = { lead: '  changed since you agreed: ', hang: '    ', most: 1 };
  // The record of an earlier version: what changed in the settings is not known.
  const names = state === 'changed' ? fill(changes.map(oneLine), columns, changed).rows : [];
  return { rows: [...wrap(heading, columns), ...rows, ...names], isCut };
}

function changedWords(
  { root, changes = [] }: ProjectTrust,
  { added, removed }: NonNullable<ProjectTrust['differences']>,
  columns: number,
): TrustWords {
  const files = changes.filter((name) => name !== 'its settings');
  const parts = [
    layOut(toPhrases(root, added), columns, '  + '),
    layOut(toPhrases(root, removed), columns, '  − '),
    files.length === 0
      ? { rows: [], isCut: false }
      : fill(files.map(oneLine), columns, { lead: '  ~ ', hang: '    ', most: VERB_ROWS }),
  ];
  const heading = `The settings of ${oneLine(root)} have changed since you agreed to them:`;
  return {
    rows: [...wrap(heading, columns), ...parts.flatMap(({ rows }) => rows)].slice(0, ALL_ROWS + 1),
    isCut: parts.some(({ isCut }) => isCut),
  };
}

function layOut(phrases: Phrases, columns: number, lead: string): TrustWords {
  const shown = VERBS.filter((verb) => (phrases.get(verb)?.length ?? 0) > 0);
  let room = ALL_ROWS;
  const parts = shown.map((verb, at) => {
    const most = Math.max(1, Math.min(VERB_ROWS, room - (shown.length - at - 1)));
    const start = `${lead}${verb.padEnd(VERB_COLUMNS)}`;
    const part = fill(phrases.get(verb) ?? [], columns, {
      lead: start,
      hang: ' '.repeat(start.length),
      most,
    });
    room -= part.rows.length;
    return part;
  });
  return { rows: parts.flatMap(({ rows }) => rows), isCut: parts.some(({ isCut }) => isCut) };
}

/** As many phrases as fit; the others are counted. */
function fill(
  phrases: readonly string[],
  columns: number,
  { lead, hang, most }: { readonly lead: string; readonly hang: string; readonly most: number },
): TrustWords {
  const isShortened = phrases.some((phrase) => phrase.length > PHRASE_CHARS);
  for (let shown = phrases.length; shown > 0; shown -= 1) {
    const left = phrases.length - shown;
    const text = phrases.slice(0, shown).map(shorten).join(', ') + (left === 0 ? '' : ` … and ${left} more`);
    const rows = wrap(lead + text, columns, { hang });
    if (rows.length <= most) return { rows, isCut: left > 0 || isShortened };
  }
  const [first = ''] = wrap(`${lead}${counted(phrases.length, 'thing')}, too long for this window`, columns, {
    hang,
  });
  return { rows: [first], isCut: true };
}

/** In the middle: neither end is hidden. */
function shorten(phrase: string): string {
  if (phrase.length <= PHRASE_CHARS) return phrase;
  const half = PHRASE_CHARS / 2 - 2;
  return `${phrase.slice(0, half)} … ${phrase.slice(-half)}`;
}

function toPhrases(root: string, items: readonly TrustItem[]): Phrases {
  const phrases = new Map<Verb, string[]>();
  const say = (verb: Verb, phrase: string) => {
    const said = phrases.get(verb) ?? [];
    if (!said.includes(phrase)) phrases.set(verb, [...said, phrase]);
  };
  for (const hook of readHooks(items)) say('run', hook);
  for (const [verb, server] of readServers(items)) say(verb, server);
  const variables: string[] = [];
  for (const item of items) {
    if (/^(?:hooks|mcpServers)\./.test(item.key)) continue;
    const variable = /^env\.(.+)$/.exec(item.key)?.[1];
    if (variable !== undefined) variables.push(oneLine(variable));
    else say(...phraseOf(root, item));
  }
  if (variables.length > 0)
    say('set', `the ${variables.length === 1 ? 'variable' : 'variables'} ${variables.join(', ')}`);
  return phrases;
}

/** `python3 guard.py (PreToolUse, Bash)`, one for each hook. */
function readHooks(items: readonly TrustItem[]): readonly string[] {
  const matchers = new Map<string, string>();
  const hooks = new Map<string, { event: string; group: string; fields: Record<string, string> }>();
  for (const { file, key, value } of items) {
    const [, event = '', at = '', what = '', , hook = '', field = ''] =
      /^hooks\.([^.]+)\.(\d+)\.(matcher|hooks)(\.(\d+)\.([^.]+).*)?$/.exec(key) ?? [];
    const group = `${file} ${event} ${at}`;
    if (what === 'matcher') matchers.set(group, value);
    if (what !== 'hooks' || hook === '') continue;
    const entry = hooks.get(`${group} ${hook}`) ?? { event, group, fields: {} };
    entry.fields[field] ??= value;
    hooks.set(`${group} ${hook}`, entry);
  }
  return [...hooks.values()].map(({ event, group, fields }) => {
    const what = fields['command'] ?? fields['url'] ?? fields['prompt'] ?? fields['type'] ?? 'a hook';
    const matcher = matchers.get(group) ?? '';
    return `${oneLine(what)} (${[event, ...(matcher === '' || matcher === '*' ? [] : [oneLine(matcher)])].join(', ')})`;
  });
}

const OF_A_SERVER = /^mcpServers\.(.+?)\.(command|args\.\d+|url|type|env\..+|headers\..+|[^.]+)$/;

function readServers(items: readonly TrustItem[]): readonly (readonly ['start' | 'connect to', string])[] {
  const servers = new Map<string, { words: string[]; url?: string }>();
  for (const { key, value } of items) {
    const [, name, field = ''] = OF_A_SERVER.exec(key) ?? [];
    if (name === undefined) continue;
    const server = servers.get(name) ?? { words: [] };
    if (field === 'command') server.words.unshift(value);
    if (field.startsWith('args.')) server.words.push(value);
    if (field === 'url') server.url = value;
    servers.set(name, server);
  }
  return [...servers].map(([name, { words, url }]) =>
    url === undefined
      ? ['start', `the server ${oneLine(name)}: ${oneLine(words.join(' '))}`]
      : ['connect to', `the server ${oneLine(name)}: ${oneLine(url)}`],
  );
}

/** Settings whose value is a command. */
const COMMANDS = /(?:Helper|AuthRefresh|CredentialExport)$/;

function phraseOf(root: string, { file, key, value }: TrustItem): readonly [Verb, string] {
  const said = oneLine(value);
  if (key === 'content') return contentPhrase(relative(root, file).split(sep).join('/'));
  if (COMMANDS.test(key)) return ['run', `${said} (${key})`];
  if (/^verify\.commands\.\d+(?:\.run)?$/.test(key)) return ['run', `${said} (verify)`];
  const [setting = key] = key.split(/\.\d+$/);
  switch (setting) {
    case 'permissions.allow':
      return ['allow', said];
    case 'permissions.additionalDirectories':
      return ['allow', `the folder ${said}`];
    case 'permissions.defaultMode':
      return ['allow', `the mode ${said}`];
    case 'sandbox.excludedCommands':
      return ['allow', `${said} outside the sandbox`];
    case 'sandbox.network.allowedDomains':
    case 'webFetchPrivateHosts':
      return ['allow', `the network to ${said}`];
    case 'childEnvAllow':
      return ['allow', `commands to read ${said}`];
    default:
      return ['set', `${key} ${said}`];
  }
}

/** What a file beside the settings is, which is trusted by its content: a hash says nothing to a person. */
function contentPhrase(path: string): readonly [Verb, string] {
  const [, kind, name = ''] =
    /^\.(?:claude|turnwright)\/(hooks|skills|commands|agents)\/(.+)$/.exec(path) ?? [];
  const plain = oneLine(name.replace(/\.md$/i, ''));
  switch (kind) {
    case 'skills':
      return ['add', `the skill ${plain.split('/')[0]}`];
    case 'commands':
      return ['add', `the command /${plain.replaceAll('/', ':')}`];
    case 'agents':
      return ['add', `the agent ${plain}`];
    default:
      return ['add', `the program ${oneLine(path)}`];
  }
}

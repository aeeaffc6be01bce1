/** `/permissions` and `/add-dir`: rules and folders by source; adds and removes them. */

import { stat } from 'node:fs/promises';
import { absolutePath, homeDirectory } from '@turnwright/base/files/home-path.ts';
import type { PermissionBehavior, PermissionRulesState, PermissionRuleValue } from '@turnwright/engine';
import { oneLine } from '@turnwright/terminal/text/visible.ts';
import { shortPath } from '../../words/tool-label.ts';
import type { ConversationCommandContext } from '../command-context.ts';
import { CommandMistake, type ConversationCommand } from './command-type.ts';
import { type ListItem, listOverlay } from './list.ts';
import { questionOverlay } from './question.ts';

type Rule = PermissionRulesState['rules'][number];
type Destination = 'localSettings' | 'projectSettings' | 'userSettings' | 'session';
/** Where rules are kept, by destination; undefined: in no file. */
type Files = Readonly<Record<Destination, string | undefined>>;
type Folder = PermissionRulesState['workspaceDirectories'][number];
type Choice =
  | { readonly kind: 'add' }
  | { readonly kind: 'rule'; readonly rule: Rule }
  | { readonly kind: 'folder'; readonly folder: Folder }
  /** Where the session was started. */
  | { readonly kind: 'own folder' };

export const permissionsCommand: ConversationCommand = {
  name: 'permissions',
  aliases: ['allowed-tools'],
  summary: 'Shows the permission rules; adds and removes them',
  async run(_, context) {
    for (;;) {
      const [rules, files] = await Promise.all([
        context.query.listPermissionRules(),
        findSettingsFiles(context),
      ]);
      const choice = await context.open(
        listOverlay({
          title: 'Permission rules',
          items: ruleItems(rules, files),
          empty: '',
          enter: 'opens it',
        }),
      );
      if (choice === undefined) return;
      if (choice.kind === 'add') await addRule(files, context);
      if (choice.kind === 'rule') await changeRule(choice.rule, files, context);
      if (choice.kind === 'folder') await changeFolder(choice.folder, files, context);
    }
  },
};

async function findSettingsFiles({ cwd, query }: ConversationCommandContext): Promise<Files> {
  const fileOf = async (destination: Exclude<Destination, 'session'>) => {
    const file = await query.settingsFile(destination).catch(() => undefined);
    return file === undefined ? undefined : shortPath(file, { cwd });
  };
  const [localSettings, projectSettings, userSettings] = await Promise.all([
    fileOf('localSettings'),
    fileOf('projectSettings'),
    fileOf('userSettings'),
  ]);
  return { localSettings, projectSettings, userSettings, session: undefined };
}

const ORDER: readonly PermissionBehavior[] = ['deny', 'ask', 'allow'];

/** The rules in the order in which they count, then the folders that tools may use. */
function ruleItems(
  { rules, workspaceDirectories, originalCwd }: PermissionRulesState,
  files: Files,
): readonly ListItem<Choice>[] {
  const sorted = ORDER.flatMap((behavior) => rules.filter((rule) => rule.behavior === behavior));
  return [
    { value: { kind: 'add' }, label: '+ Add a rule' },
    ...sorted.map((rule) => ({
      value: { kind: 'rule', rule } as const,
      label: `${rule.behavior.padEnd(5)} ${rule.rule}`,
      detail: describeSource(rule.source, files),
      about: rule.notInEffect ? ['Not in effect: the policy of this machine lets no other rule allow.'] : [],
    })),
    { value: { kind: 'own folder' }, label: `folder ${originalCwd}`, detail: 'where it was started' },
    ...workspaceDirectories.map((folder) => ({
      value: { kind: 'folder', folder } as const,
      label: `folder ${folder.path}`,
      detail: describeSource(folder.source, files),
    })),
  ];
}

function describeSource(source: Rule['source'], files: Files): string {
  switch (source) {
    case 'userSettings':
    case 'projectSettings':
    case 'localSettings':
      return files[source] ?? source;
    case 'session':
      return 'this session';
    case 'cliArg':
      return 'a flag';
    case 'flagSettings':
      return '--settings';
    case 'policySettings':
      return 'policy of this machine';
    case 'command':
      return 'a running command';
  }
}

/** Sources that updates can name. */
type Changeable = Exclude<Rule['source'], 'command' | 'flagSettings' | 'policySettings'>;

function isChangeable(source: Rule['source']): source is Changeable {
  return source !== 'command' && source !== 'flagSettings' && source !== 'policySettings';
}

async function changeRule(rule: Rule, files: Files, context: ConversationCommandContext): Promise<void> {
  const { editability, source, behavior } = rule;
  if (editability === 'readonly' || !isChangeable(source))
    return refuse(rule.rule, describeSource(source, files), context);
  const what = `${behavior} ${rule.rule}`;
  if (!(await isToBeRemoved(what, describeSource(source, files), context))) return;
  await context.query.updatePermissions([
    { type: 'removeRules', behavior, rules: [ruleValue(rule.rule)], destination: source },
  ]);
  context.print([oneLine(`Removed: ${what} (${describeSource(source, files)}).`)]);
}

async function changeFolder(
  { path, source }: Folder,
  files: Files,
  context: ConversationCommandContext,
): Promise<void> {
  if (!isChangeable(source)) return refuse(path, describeSource(source, files), context);
  if (!(await isToBeRemoved(`folder ${path}`, describeSource(source, files), context))) return;
  await context.query.updatePermissions([
    { type: 'removeDirectories', directories: [path], destination: source },
  ]);
  context.print([oneLine(`Removed: folder ${path} (${describeSource(source, files)}).`)]);
}

function refuse(what: string, from: string, { print, theme }: ConversationCommandContext): void {
  print([theme.dim(oneLine(`${what} is from ${from}, and cannot be changed here.`))]);
}

async function isToBeRemoved(
  what: string,
  from: string,
  { open }: ConversationCommandContext,
): Promise<boolean> {
  const isSure = await open(
    listOverlay({
      title: what,
      items: [
        { value: true, label: 'Remove it', detail: `from ${from}` },
        { value: false, label: 'Keep it' },
      ],
      empty: '',
      enter: 'takes it',
    }),
  );
  return isSure === true;
}

const BEHAVIORS: readonly ListItem<PermissionBehavior>[] = [
  { value: 'allow', label: 'Allow', detail: 'runs without a question' },
  { value: 'ask', label: 'Ask', detail: 'always asks, also where a mode would allow' },
  { value: 'deny', label: 'Deny', detail: 'never runs, in no mode' },
];

async function addRule(files: Files, context: ConversationCommandContext): Promise<void> {
  const behavior = await context.open(
    listOverlay({ title: 'What should the rule do?', items: BEHAVIORS, empty: '', enter: 'goes on' }),
  );
  if (behavior === undefined) return;
  const text = await context.open(
    questionOverlay({
      title: `Which calls should it ${behavior}?`,
      about: [
        'A tool, or a tool with what it may do: Bash(npm test:*), Read(src/**), mcp__server, WebFetch(domain:example.com)',
      ],
      problem: (answer) =>
        RULE.test(answer) ? undefined : 'Write Tool or Tool(what), for example Bash(git status).',
    }),
  );
  if (text === undefined) return;
  const destination = await context.open(
    listOverlay({
      title: `${behavior} ${text}: where is it kept?`,
      items: destinationItems(files, `${behavior} ${JSON.stringify(text)}`),
      empty: '',
      enter: 'writes it',
    }),
  );
  if (destination === undefined) return;
  await context.query.updatePermissions([
    { type: 'addRules', behavior, rules: [ruleValue(text)], destination },
  ]);
  context.print([oneLine(`Added: ${behavior} ${text} (${files[destination] ?? 'this session'}).`)]);
}

export function destinationItems(files: Files, what: string): readonly ListItem<Destination>[] {
  const about = (file: string | undefined) => (file === undefined ? [] : [`writes ${what} to ${file}`]);
  const kept = [
    { value: 'localSettings', label: 'You, in this project' },
    { value: 'projectSettings', label: 'Everyone who works on this project' },
    { value: 'userSettings', label: 'You, in every project' },
  ] as const;
  return [
    { value: 'session', label: 'This session', detail: 'in no file' },
    ...kept
      .filter(({ value }) => files[value] !== undefined)
      .map((item) => ({ ...item, detail: files[item.value], about: about(files[item.value]) })),
  ];
}

const RULE = /^([A-Za-z0-9_*.-]+)(?:\((.*)\))?$/s;

/** The parts of a rule; the engine judges whether it can be read. */
function ruleValue(text: string): PermissionRuleValue {
  const [, toolName = text, ruleContent] = RULE.exec(text) ?? [];
  return ruleContent === undefined ? { toolName } : { toolName, ruleContent };
}

export const addDirCommand: ConversationCommand = {
  name: 'add-dir',
  summary: 'Lets tools use another folder in this session',
  argument: '<folder>',
  async run(argument, { cwd, env, print, query }) {
    if (argument === '') throw new CommandMistake('Name the folder: /add-dir ../shared');
    const folder = absolutePath(argument, { cwd, home: homeDirectory(env) });
    const isFolder = await stat(folder).then(
      (found) => found.isDirectory(),
      () => false,
    );
    if (!isFolder) throw new CommandMistake(`${folder} is no folder.`);
    await query.updatePermissions([
      { type: 'addDirectories', directories: [folder], destination: 'session' },
    ]);
    print([oneLine(`Tools may use ${folder} in this session. /permissions removes it.`)]);
  },
};

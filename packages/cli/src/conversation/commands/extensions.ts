/** `/hooks`, `/agents`, `/skills` and `/memory`: what settings, plugins and folders bring to the session. */
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { homeDirectory } from '@turnwright/base/files/home-path.ts';
import type { AgentInfo, ContextUsage, Query } from '@turnwright/engine';
import { shortPath } from '../../words/tool-label.ts';
import { counted, tokens } from '../../words/units.ts';
import type { ConversationCommandContext } from '../command-context.ts';
import type { ConversationCommand } from './command-type.ts';
import { type ListItem, listOverlay } from './list.ts';

type HooksListing = Awaited<ReturnType<Query['hooksListing']>>;

export const hooksCommand: ConversationCommand = {
  name: 'hooks',
  summary: 'Shows the hooks, by event',
  async run(_, { open, query }) {
    const listing = await query.hooksListing();
    await open(
      listOverlay({
        title: `Hooks${policyNote(listing)}`,
        items: hookItems(listing),
        empty: 'No hook is configured. "hooks" in the settings adds one.',
        enter: 'goes back',
      }),
    );
  },
};

function hookItems({ hooks }: HooksListing): readonly ListItem<number>[] {
  return hooks.map((hook, value) => ({
    value,
    label: [hook.event, hook.matcher].filter(Boolean).join(' '),
    detail: `${hook.displayText}${hook.disabled === true ? ' · switched off' : ''}`,
    about: [
      `${hook.type} from ${hook.sourceLabel}`,
      [
        hook.condition === undefined ? undefined : `only if ${hook.condition}`,
        hook.timeout === undefined ? undefined : `timeout ${hook.timeout} s`,
        hook.runsOnce === true ? 'once in a session' : undefined,
        hook.runsInBackground === true ? 'in the background' : undefined,
      ]
        .filter((part) => part !== undefined)
        .join(' · '),
      hook.commandText,
    ].filter((line) => line !== ''),
  }));
}

function policyNote({ policy }: HooksListing): string {
  if (policy.disabledByPolicy) return ': switched off by the policy of this machine';
  if (policy.allDisabled) return ': switched off by disableAllHooks';
  return policy.managedOnly ? ': only those of the policy run' : '';
}

export const agentsCommand: ConversationCommand = {
  name: 'agents',
  summary: 'Shows the agents that the model may start',
  async run(_, context) {
    const [agents, usage] = await Promise.all([
      context.query.supportedAgents(),
      context.query.getContextUsage(),
    ]);
    const name = await context.open(
      listOverlay({
        title: 'Agents',
        items: agentItems(agents, usage, context.cwd),
        empty: 'No agent is defined. A file in .claude/agents defines one.',
        enter: 'asks for it',
      }),
    );
    if (name !== undefined) context.edit(`Use the agent ${name} to `);
  },
};

function agentItems(
  agents: readonly AgentInfo[],
  usage: Pick<ContextUsage, 'agents'>,
  cwd: string,
): readonly ListItem<string>[] {
  return agents.map(({ name, description, model }) => {
    const known = usage.agents.find(({ agentType }) => agentType === name);
    const from = known?.path === undefined ? known?.source : shortPath(known.path, { cwd });
    return {
      value: name,
      label: name,
      detail: [model, from].filter((part) => part !== undefined).join(' · '),
      about: [description],
    };
  });
}

export const skillsCommand: ConversationCommand = {
  name: 'skills',
  summary: 'Shows the skills, and calls one',
  async run(_, context) {
    const [{ skills }, usage] = await Promise.all([
      context.query.reloadSkills(),
      context.query.getContextUsage(),
    ]);
    const name = await context.open(
      listOverlay({
        title: `Skills · ${counted(skills.length, 'skill')}`,
        items: skillItems(skills, usage, context.cwd),
        empty: 'There is no skill. A folder with a SKILL.md in .claude/skills is one.',
        enter: 'calls it',
      }),
    );
    if (name !== undefined) context.edit(`/${name} `);
  },
};

function skillItems(
  skills: Awaited<ReturnType<Query['reloadSkills']>>['skills'],
  usage: Pick<ContextUsage, 'skills'>,
  cwd: string,
): readonly ListItem<string>[] {
  return skills.map(({ name, description, argumentHint }) => {
    const known = usage.skills?.skillFrontmatter.find((skill) => skill.name === name);
    return {
      value: name,
      label: ['/', name, argumentHint === '' ? '' : ` ${argumentHint}`].join(''),
      detail: known === undefined ? undefined : `${tokens(known.tokens)} tokens`,
      about: [description, ...(known?.path === undefined ? [] : [shortPath(known.path, { cwd })])],
    };
  });
}

export const memoryCommand: ConversationCommand = {
  name: 'memory',
  summary: 'Shows the memory files, and opens one',
  async run(_, context) {
    const usage = await context.query.getContextUsage();
    const items = [...memoryItems(usage, context), ...(await missingMemoryItems(usage, context))];
    const path = await context.open(
      listOverlay({ title: 'Memory files', items, empty: '', enter: 'opens it' }),
    );
    if (path === undefined) return;
    // An editor makes the file, and not the folder that it is in.
    await mkdir(dirname(path), { recursive: true });
    await context.openFile(path);
  },
};

type Here = Pick<ConversationCommandContext, 'cwd' | 'env' | 'query'>;

function memoryItems(
  { memoryFiles }: Pick<ContextUsage, 'memoryFiles'>,
  { cwd, env }: Here,
): readonly ListItem<string>[] {
  return memoryFiles.map(({ path, type, tokens: count }) => ({
    value: path,
    label: shortPath(path, { cwd, home: homeDirectory(env) }),
    detail: `${type.toLowerCase()} · ${tokens(count)} tokens`,
    about: [path],
  }));
}

/** Files that later sessions would read, were they there: the project's and the person's own. */
async function missingMemoryItems(
  { memoryFiles }: Pick<ContextUsage, 'memoryFiles'>,
  { cwd, env, query }: Here,
): Promise<readonly ListItem<string>[]> {
  const places = [
    { type: 'Project', path: join(cwd, 'CLAUDE.md'), about: 'Every session in this project would read it.' },
    {
      type: 'User',
      path: join(dirname(await query.settingsFile('userSettings')), 'CLAUDE.md'),
      about: 'Every session of yours would read it.',
    },
  ];
  return places
    .filter(({ type }) => memoryFiles.every((file) => file.type !== type))
    .map(({ type, path, about }) => ({
      value: path,
      label: shortPath(path, { cwd, home: homeDirectory(env) }),
      detail: `${type.toLowerCase()} · not there yet`,
      about: [about],
    }));
}

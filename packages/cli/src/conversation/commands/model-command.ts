/** `/model` and `/effort`. */
import type { AvailableModels, ModelChoice, ModelInfo, ModelPrice } from '@turnwright/engine';
import { tokens } from '../../words/units.ts';
import type { ConversationCommandContext } from '../command-context.ts';
import { CommandMistake, type ConversationCommand } from './command-type.ts';
import { type ListItem, listOverlay } from './list.ts';
import type { ListDial } from './list-parts/list-state.ts';

/** Time limit of the question which models the endpoint has. */
const LIST_LIMIT_MS = 10_000;

export const modelCommand: ConversationCommand = {
  name: 'model',
  summary: 'Shows the models, and switches to another one',
  argument: '[name]',
  async complete(prefix, { query }) {
    const models = await query.supportedModels();
    return models.map(({ value }) => value).filter((value) => value.startsWith(prefix));
  },
  async run(argument, context) {
    if (argument !== '') return switchModel(argument, context);
    const { model, effort } = (await context.query.getSettings()).applied;
    const now = effort ?? 'default';
    let asked = now;
    const levels = ['default', ...(await listEffortLevels(context))];
    const dial: ListDial | undefined =
      levels.length === 1
        ? undefined
        : { label: 'effort', values: levels, at: levels.indexOf(now), taken: (level) => (asked = level) };
    const name = await pickModel(context, dial);
    if (name === undefined) return;
    const isSame = name === model || (await resolvedName(name, context)) === model;
    if (!isSame || asked === now) await switchModel(name, context);
    if (asked === now) return;
    if (asked === 'default' || (await listEffortLevels(context)).includes(asked))
      await setEffort(asked, context);
    else context.print([`${await currentModel(context)} takes no effort "${asked}": it stays as it was.`]);
  },
};

async function switchModel(name: string, context: ConversationCommandContext): Promise<void> {
  await context.query.setModel(name === 'default' ? undefined : name);
  context.print([`The model is now ${await currentModel(context)}.`]);
}

async function resolvedName(
  name: string,
  { query }: ConversationCommandContext,
): Promise<string | undefined> {
  return (await query.supportedModels()).find(({ value }) => value === name)?.resolvedModel;
}

async function currentModel({ query }: Pick<ConversationCommandContext, 'query'>): Promise<string> {
  return (await query.getSettings()).applied.model;
}

async function pickModel(
  context: ConversationCommandContext,
  dial: ListDial | undefined,
): Promise<string | undefined> {
  const { open, query } = context;
  const [choices, current] = await Promise.all([query.supportedModels(), currentModel(context)]);
  return open(
    listOverlay({
      title: `Model (now ${current})`,
      items: modelItems(choices, current),
      empty: 'No model is known: give one with /model <name>.',
      enter: 'switches',
      dial,
      later: {
        what: 'Asking which models there are …',
        items: offeredModels(context).then((offered) => modelItems(choices, current, offered)),
      },
    }),
  );
}

/** Models of the session's own provider, then of the others, under the names that `setModel` takes. */
async function offeredModels({ options, query }: ConversationCommandContext): Promise<readonly ModelInfo[]> {
  const signal = AbortSignal.timeout(LIST_LIMIT_MS);
  const own = await query.availableModels({ signal });
  const { effective } = await query.getSettings();
  const names = Object.keys({ ...effective.providers, ...options.providers });
  const others = await Promise.all(
    names
      .filter((name) => name !== own.provider)
      .map(async (provider) =>
        // One that does not answer must not hide the others.
        listedBy(await query.availableModels({ signal, provider }).catch(() => undefined)).map((model) => ({
          ...model,
          id: `${provider}:${model.id}`,
          displayName: `${provider}:${model.displayName}`,
        })),
      ),
  );
  return [...listedBy(own), ...others.flat()];
}

/** Empty instead of the built-in list, which replaces one that could not be read. */
function listedBy(available: AvailableModels | undefined): readonly ModelInfo[] {
  return available?.unlisted === undefined ? (available?.models ?? []) : [];
}

/** The choices of the session, then what is offered besides. Prices are per million tokens. */
export function modelItems(
  choices: readonly ModelChoice[],
  current: string,
  offered: readonly ModelInfo[] = [],
): readonly ListItem<string>[] {
  const marked = choices.findLastIndex(({ resolvedModel }) => resolvedModel === current);
  const known = new Set(choices.map(({ resolvedModel }) => resolvedModel));
  const others = offered.filter(({ id }) => !known.has(id));
  const items = choices.map(({ value, displayName, resolvedModel, contextWindow, price }, index) => ({
    value,
    label: value === 'default' || value === resolvedModel ? displayName : `${displayName} (${value})`,
    detail: figures(contextWindow, price),
    about: [resolvedModel, ...describeTiers(price)],
    isCurrent: index === marked,
  }));
  return [...items, ...others.map((model) => offeredItem(model, current))];
}

function offeredItem({ id, displayName, contextWindow, price, source }: ModelInfo, current: string) {
  return {
    value: id,
    label: displayName,
    detail: figures(contextWindow, price),
    about: [
      source === 'default' ? `${id} · its sizes are a guess` : `${id} · sizes from: ${source}`,
      ...describeTiers(price),
    ],
    isCurrent: id === current,
  };
}

function figures(contextWindow: number, price: ModelPrice | undefined): string {
  const cost = price === undefined ? 'no price known' : `$${price.input} in, $${price.output} out`;
  return `${tokens(contextWindow).replace('.0k', 'k').replace('.00M', 'M')} · ${cost}`;
}

function describeTiers(price: ModelPrice | undefined): readonly string[] {
  if (price?.above === undefined) return [];
  const { aboveTokens, price: dearer } = price.above;
  return [`above ${tokens(aboveTokens)} tokens: $${dearer.input} in, $${dearer.output} out`];
}

export const effortCommand: ConversationCommand = {
  name: 'effort',
  summary: 'Shows how hard the model thinks, and changes it',
  argument: '[level]',
  async complete(prefix, context) {
    return [...(await listEffortLevels(context)), 'default'].filter((level) => level.startsWith(prefix));
  },
  async run(argument, context) {
    const { applied } = await context.query.getSettings();
    const levels = await listEffortLevels(context);
    if (levels.length === 0) throw new CommandMistake(`${applied.model} takes no effort.`);
    const asked = argument.toLowerCase();
    const level = asked === '' ? await pickEffort(levels, applied.effort, context) : asked;
    if (level === undefined) return;
    if (level !== 'default' && !levels.includes(level))
      throw new CommandMistake(
        `There is no effort "${argument}". It is one of ${levels.join(', ')}, default.`,
      );
    await setEffort(level, context);
  },
};

async function setEffort(level: string, context: ConversationCommandContext): Promise<void> {
  await context.query.applyFlagSettings({ effortLevel: level === 'default' ? null : level });
  context.print([
    level === 'default'
      ? `${await currentModel(context)} decides itself how hard it thinks, from the next prompt on.`
      : `The effort is ${level}, from the next prompt on.`,
  ]);
}

/** Empty: the current model takes none. */
async function listEffortLevels({ query }: ConversationCommandContext): Promise<readonly string[]> {
  const [models, current] = await Promise.all([query.supportedModels(), currentModel({ query })]);
  const levels = models.flatMap(({ supportedEffortLevels = [] }) => supportedEffortLevels);
  const own = models.find(({ resolvedModel }) => resolvedModel === current);
  // A model that is no choice may take an effort; the engine knows, and refuses one that it cannot send.
  return own === undefined ? [...new Set(levels)] : (own.supportedEffortLevels ?? []);
}

function pickEffort(levels: readonly string[], current: string | null, { open }: ConversationCommandContext) {
  return open(
    listOverlay({
      title: 'Effort',
      items: ['default', ...levels].map((level) => ({
        value: level,
        label: level,
        detail: level === 'default' ? 'the model’s own' : undefined,
        isCurrent: level === (current ?? 'default'),
      })),
      empty: '',
      enter: 'sets it',
    }),
  );
}

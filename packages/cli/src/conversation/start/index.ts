/** The first start without a model: what can be done now. */
import type { RunFlags } from '../../flags/run-flags.ts';
import { askSecret } from '../../run/ask-secret.ts';
import { type VendorKey, vendorKeys } from '../../run/configured.ts';
import { logIn, loginOf, loginTarget } from '../../run/log-in.ts';
import { UsageError } from '../../usage-error.ts';
import type { World } from '../../world.ts';
import { listProviderModels, localModels } from './local-models.ts';
import { keyMenu, lineMenu, type Menu } from './menu.ts';

/** `flags`: those of the run, with a model that was chosen. */
export type Welcomed =
  | { readonly kind: 'goOn'; readonly flags: RunFlags }
  | { readonly kind: 'rehearse' }
  | { readonly kind: 'leave' };

interface WelcomeOptions {
  readonly keyboard: NodeJS.ReadStream;
  /** Questions are answered by a number and Enter. Default false. */
  readonly lineMode?: boolean;
}

/** Asks until something was chosen that leads on. Before that, nothing is looked for and nothing is sent. */
export async function welcome(
  world: World,
  flags: RunFlags,
  { keyboard, lineMode = false }: WelcomeOptions,
): Promise<Welcomed> {
  const menu = (lineMode ? lineMenu : keyMenu)(world, keyboard);
  await menu.say('Turnwright drives a model through tools until the work is done. No model is set up yet.');
  await menu.say('');
  const keys = await vendorKeys(world);
  while (true) {
    const chosen = await menu.ask<'rehearse' | 'login' | 'local' | VendorKey>([
      ...keys.map((key) => ({ value: key, label: `use ${key.name}: ${key.variable} is set` })),
      { value: 'rehearse', label: 'see it work now: a rehearsed run, without a key and without a network' },
      { value: 'login', label: 'log in with an API key' },
      { value: 'local', label: 'use a model on this machine (looks for Ollama, LM Studio and llama.cpp)' },
    ]);
    switch (chosen) {
      case undefined:
        return { kind: 'leave' };
      case 'rehearse':
        return { kind: 'rehearse' };
      case 'login':
        if (await logInHere(world, menu, keyboard)) return { kind: 'goOn', flags };
        break;
      default: {
        const model =
          chosen === 'local' ? await chooseLocal(world, menu) : await chooseVendorModel(chosen, world, menu);
        if (model !== undefined)
          return { kind: 'goOn', flags: { ...flags, options: { ...flags.options, model } } };
      }
    }
    await menu.say('');
  }
}

/** False: nothing was stored, which was said. */
async function logInHere(world: World, menu: Menu, keyboard: NodeJS.ReadStream): Promise<boolean> {
  try {
    const target = await loginTarget(world);
    const question = `API key for ${target.address} (not shown; Esc leaves): `;
    const secret = await askSecret(question, keyboard, world);
    if (secret === undefined) return false;
    const { stored, said } = await logIn(loginOf(secret.trim(), {}), target, world);
    await menu.say(said);
    return stored;
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    await menu.say(error.message);
    return false;
  }
}

/** undefined: there is none, which was said, or none was chosen. */
async function chooseLocal(world: World, menu: Menu): Promise<string | undefined> {
  const models = await localModels(world);
  if (models.length === 0) {
    await menu.say(
      'No model server answers on this machine. Start one, load a model, and choose this again.',
    );
    return undefined;
  }
  return chooseModel(models, menu);
}

/** A company may list hundreds. */
const MOST_LISTED = 30;
const LIST_LIMIT_MS = 10_000;

/** One of a company's models; undefined: its list cannot be had, which was said, or none was chosen. */
async function chooseVendorModel(
  { prefix, name }: VendorKey,
  world: World,
  menu: Menu,
): Promise<string | undefined> {
  const models = await listProviderModels(prefix, world, AbortSignal.timeout(LIST_LIMIT_MS));
  if (models.length === 0) {
    await menu.say(`${name} lists no models for this key. Name one: turnwright --model ${prefix}:<name>`);
    return undefined;
  }
  if (models.length > MOST_LISTED)
    await menu.say(
      `The first ${MOST_LISTED} of ${models.length}; any other: turnwright --model ${prefix}:<name>`,
    );
  return chooseModel(models.slice(0, MOST_LISTED), menu);
}

async function chooseModel(models: readonly string[], menu: Menu): Promise<string | undefined> {
  await menu.say('');
  const model = await menu.ask(models.map((name) => ({ value: name, label: name })));
  if (model !== undefined)
    await menu.say(`Next time: turnwright --model ${model}, or "model" in your settings (docs/models.md).`);
  return model;
}

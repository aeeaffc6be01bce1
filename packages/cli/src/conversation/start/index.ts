/** The first start without a model: what can be done now. */
import { errorText } from '@turnwright/base/text/error-text.ts';
import { type ModelToKeep, modelAccess, storeModelChoice } from '@turnwright/engine';
import { OPTIONS } from '@turnwright/engine/options/table.ts';
import type { RunFlags } from '../../flags/run-flags.ts';
import { askSecret } from '../../run/ask-secret.ts';
import { type FoundCloud, foundClouds, type VendorKey, vendorKeys } from '../../run/configured.ts';
import { logIn, loginOf, loginTarget } from '../../run/log-in.ts';
import { UsageError } from '../../usage-error.ts';
import { counted } from '../../words/units.ts';
import type { World } from '../../world.ts';
import { type LocalServer, listProviderModels, localModels, localServers } from './local-models.ts';
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

/**
 * Asks until something was chosen that leads on. Before that, nothing is sent but to this machine, for 0.3 s
 * at most.
 */
export async function welcome(
  world: World,
  flags: RunFlags,
  { keyboard, lineMode = false }: WelcomeOptions,
): Promise<Welcomed> {
  const menu = (lineMode ? lineMenu : keyMenu)(world, keyboard);
  await menu.say('Turnwright drives a model through tools until the work is done. No model is set up yet.');
  await menu.say('');
  const clouds = foundClouds(world.env);
  const [keys, servers] = await Promise.all([vendorKeys(world), localServers(world)]);
  while (true) {
    const chosen = await menu.ask<'rehearse' | 'login' | 'local' | VendorKey | FoundCloud | LocalServer>([
      ...keys.map((key) => ({ value: key, label: `use ${key.name}: ${key.variable} is set` })),
      ...clouds.map((cloud) => ({
        value: cloud,
        label: `use ${cloud.name}: ${cloud.variable} is set`,
      })),
      ...servers.map((server) => ({
        value: server,
        label: `use ${server.name} on this machine: ${counted(server.models.length, 'model')}`,
      })),
      { value: 'rehearse', label: 'see it work now: a rehearsed run, without a key and without a network' },
      { value: 'login', label: 'log in with an API key' },
      {
        value: 'local',
        label: 'use a model on this machine (looks for Ollama, LM Studio, llama.cpp and vLLM)',
      },
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
        const picked = await chooseWith(chosen, world, menu);
        if (picked === undefined) break;
        await keep(picked, world, menu);
        return { kind: 'goOn', flags: { ...flags, options: { ...flags.options, ...picked } } };
      }
    }
    await menu.say('');
  }
}

/** undefined: it does not lead on, which was said. */
async function chooseWith(
  chosen: 'local' | VendorKey | FoundCloud | LocalServer,
  world: World,
  menu: Menu,
): Promise<ModelToKeep | undefined> {
  if (typeof chosen === 'object' && 'provider' in chosen) return chooseCloud(chosen, world, menu);
  const model =
    chosen === 'local'
      ? await chooseLocal(world, menu)
      : 'models' in chosen
        ? await chooseModel(chosen.models.slice(0, MOST_LISTED), menu)
        : await chooseVendorModel(chosen, world, menu);
  return model === undefined ? undefined : { model };
}

async function chooseCloud(
  { provider }: FoundCloud,
  { cwd, env }: World,
  menu: Menu,
): Promise<ModelToKeep | undefined> {
  const asked = { ...env, [OPTIONS.provider.variable]: provider };
  const { unreachable } = await modelAccess({ cwd, env: asked, settingSources: ['user'] });
  if (unreachable === undefined) return { provider };
  await menu.say(unreachable);
  return undefined;
}

/** For the next time. */
async function keep(picked: ModelToKeep, { cwd, env }: World, menu: Menu): Promise<void> {
  const [flag, value] =
    picked.provider === undefined ? ['--model', picked.model] : ['--provider', picked.provider];
  try {
    const file = await storeModelChoice(picked, { cwd, env });
    await menu.say(
      `Kept for the next time in ${file}; /model, or turnwright ${flag} <name>, takes another one.`,
    );
  } catch (error) {
    await menu.say(`It could not be kept: ${errorText(error)} Next time: turnwright ${flag} ${value}`);
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
  return menu.ask(models.map((name) => ({ value: name, label: name })));
}

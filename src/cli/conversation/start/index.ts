/** The first start without a model: what can be done now. */
import type { RunFlags } from '../../flags/run-flags.ts';
import { askSecret } from '../../run/ask-secret.ts';
import { logIn, loginOf, loginTarget } from '../../run/log-in.ts';
import { UsageError } from '../../usage-error.ts';
import type { World } from '../../world.ts';
import { LOCAL_PLACES, type LocalPlace, localServers } from './local-servers.ts';
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
  /** Where model servers of this machine listen. */
  readonly places?: readonly LocalPlace[];
}

const PORTS = LOCAL_PLACES.map(({ name, port }) => `${name} ${port}`).join(', ');

/** Asks until something was chosen that leads on. Before that, nothing is looked for and nothing is sent. */
export async function welcome(
  world: World,
  flags: RunFlags,
  { keyboard, lineMode = false, places = LOCAL_PLACES }: WelcomeOptions,
): Promise<Welcomed> {
  const menu = (lineMode ? lineMenu : keyMenu)(world, keyboard);
  await menu.say('Turnwright drives a model through tools until the work is done. No model is set up yet.');
  await menu.say('');
  while (true) {
    const chosen = await menu.ask<'rehearse' | 'login' | 'local'>([
      { value: 'rehearse', label: 'see it work now: a rehearsed run, without a key and without a network' },
      { value: 'login', label: 'log in with an API key' },
      { value: 'local', label: `use a model server on this machine (looks at ${PORTS})` },
    ]);
    switch (chosen) {
      case undefined:
        return { kind: 'leave' };
      case 'rehearse':
        return { kind: 'rehearse' };
      case 'login':
        if (await logInHere(world, menu, keyboard)) return { kind: 'goOn', flags };
        break;
      case 'local': {
        const options = await chooseLocal(menu, places);
        if (options !== undefined)
          return { kind: 'goOn', flags: { ...flags, options: { ...flags.options, ...options } } };
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

async function chooseLocal(
  menu: Menu,
  places: readonly LocalPlace[],
): Promise<Pick<RunFlags['options'], 'provider' | 'baseUrl' | 'model'> | undefined> {
  const servers = await localServers(places);
  if (servers.length === 0) {
    await menu.say(
      'No model server answers on this machine. Start one, load a model, and choose this again.',
    );
    return undefined;
  }
  await menu.say('');
  const choices = servers.flatMap(({ name, baseUrl, models }) =>
    models.map((model) => ({ value: { baseUrl, model }, label: `${model} (${name})` })),
  );
  const chosen = await menu.ask(choices);
  if (chosen === undefined) return undefined;
  const { baseUrl, model } = chosen;
  await menu.say(
    `Next time: turnwright --provider openai-compatible --base-url ${baseUrl} --model ${model}, or in your settings (docs/models.md).`,
  );
  return { provider: 'openai-compatible', baseUrl, model };
}

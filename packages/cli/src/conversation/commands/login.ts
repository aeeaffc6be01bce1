/** `/login` and `/logout`: a key is stored, with which the conversation goes on, or removed. */
import { modelAccess, removeLogin } from '@turnwright/engine';
import { oneLine } from '@turnwright/terminal/text/visible.ts';
import { wrap } from '@turnwright/terminal/text/wrap.ts';
import { type LoginTarget, logIn, loginOf, loginTarget } from '../../run/log-in.ts';
import { UsageError } from '../../usage-error.ts';
import type { ConversationCommandContext } from '../command-context.ts';
import { isWorking } from '../conversation-state.ts';
import { reopenHere } from '../session/reopen-here.ts';
import { CommandMistake, type ConversationCommand } from './command-type.ts';

export const loginCommand: ConversationCommand = {
  name: 'login',
  summary: 'Stores an API key, and goes on with it',
  argument: '[address]',
  async run(address, context) {
    if (isWorking(context.state))
      throw new CommandMistake('The session works. Log in when it has answered, or interrupt it first.');
    try {
      const target = await loginTarget(context, address === '' ? undefined : address);
      // A session has the credentials that it was opened with.
      if (await hasLoggedIn(target, context)) await reopenHere(context);
    } catch (error) {
      throw error instanceof UsageError ? new CommandMistake(error.message) : error;
    }
  },
};

/** True: what is stored is what this session would use. */
async function hasLoggedIn(target: LoginTarget, context: ConversationCommandContext): Promise<boolean> {
  const { askSecret, columns, print } = context;
  const secret = await askSecret(`API key for ${target.address}`);
  if (secret === undefined) return false;
  const { stored, said } = await logIn(loginOf(secret.trim(), {}), target, context);
  print(wrap(oneLine(said), columns));
  return stored && target.overriddenBy === undefined;
}

export const logoutCommand: ConversationCommand = {
  name: 'logout',
  summary: 'Removes the stored key; this session keeps it until it ends',
  argument: '[address]',
  async run(given, context) {
    const { columns, cwd, env, print } = context;
    const { address } = await loginTarget(context, given === '' ? undefined : given);
    const gone = await removeLogin(address, { cwd, env });
    const { apiKeySource } = await modelAccess({ cwd, env, settingSources: ['user'] });
    const said =
      gone.length > 0 ? `Removed what was stored for ${address}.` : `Nothing is stored for ${address}.`;
    const rest = apiKeySource === 'none' ? '' : ` Credentials from ${apiKeySource} are still used.`;
    print(wrap(oneLine(`${said}${rest}`), columns));
  },
};

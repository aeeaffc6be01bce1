/** `turnwright login` and `logout`: credentials of the model for later runs. */
import { modelAccess, removeLogin, storeApiKeyHelper } from '@turnwright/engine';
import { visible } from '@turnwright/terminal/text/visible.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import type { LoginInvocation, LogoutInvocation } from '../flags/login-flags.ts';
import { askSecret } from '../run/ask-secret.ts';
import { logIn, loginOf, loginTarget, TRUST } from '../run/log-in.ts';
import { readPrompt } from '../run/read-prompt.ts';
import type { World } from '../world.ts';

export async function runLoginCommand(world: World, invocation: LoginInvocation): Promise<ExitCode> {
  const { cwd, env } = world;
  const { address, token, helper, check } = invocation;
  const say = (text: string) => world.out.write(`${visible(text)}\n`);
  if (helper !== undefined) {
    const file = await storeApiKeyHelper(helper, { cwd, env });
    await say(
      `apiKeyHelper is set in ${file}. turnwright doctor runs it and says whether its key is accepted.`,
    );
    return EXIT.success;
  }
  const target = await loginTarget(world, address);
  const secret = await readSecret(world, target.address, token);
  if (secret === undefined) {
    await say('Nothing is stored.');
    return EXIT.error;
  }
  const { stored, said } = await logIn(loginOf(secret, { token }), target, world, { check });
  await say(said);
  return stored ? EXIT.success : EXIT.error;
}

/** Piped in, or typed without being shown. */
async function readSecret(
  world: World,
  address: string,
  token: true | undefined,
): Promise<string | undefined> {
  const what = token === true ? 'Token' : 'API key';
  if (world.stdin.isTTY !== true) return readPrompt({ words: [], stdin: world.stdin });
  const typed = await askSecret(
    `${what} for ${visible(address)} (not shown; Esc leaves): `,
    world.stdin,
    world,
  );
  return typed?.trim();
}

export async function runLogoutCommand(world: World, { address, all }: LogoutInvocation): Promise<ExitCode> {
  const { cwd, env } = world;
  const what = all === true ? 'all' : (await loginTarget(world, address)).address;
  const gone = await removeLogin(what, { cwd, env });
  const { apiKeySource } = await modelAccess({ cwd, env, ...TRUST });
  const lines = [
    gone.length > 0
      ? `Removed what was stored for ${gone.join(', ')}.`
      : `Nothing is stored${what === 'all' ? '' : ` for ${what}`}.`,
    ...(apiKeySource === 'none' ? [] : [`Credentials from ${apiKeySource} are still used.`]),
  ];
  await world.out.write(`${lines.map(visible).join('\n')}\n`);
  return EXIT.success;
}

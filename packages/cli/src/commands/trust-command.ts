/** `turnwright trust`: trusts a folder's settings, without a question. */
import { realpath } from 'node:fs/promises';
import { resolve } from 'node:path';
import { projectTrust, revokeTrust, trustedFolders, trustProject } from '@turnwright/engine';
import { visible } from '@turnwright/terminal/text/visible.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import type { TrustInvocation } from '../flags/trust-flags.ts';
import { describeItems } from '../run/trust-question.ts';
import type { World } from '../world.ts';

export async function runTrustCommand(world: World, invocation: TrustInvocation): Promise<ExitCode> {
  const { cwd, env } = world;
  const say = (lines: readonly string[]) => world.out.write(`${lines.join('\n')}\n`);
  if (invocation.list === true) {
    const folders = await trustedFolders({ cwd, env });
    await say(
      folders.length === 0
        ? ['No folder is trusted.']
        : folders.map(({ root, trustedAt }) => `${visible(root)}  since ${trustedAt}`),
    );
    return EXIT.success;
  }
  if (invocation.revoke !== undefined) {
    const named = invocation.revoke === true ? cwd : resolve(cwd, invocation.revoke);
    // A removed folder is recorded under its former path.
    const root = await realpath(named).catch(() => named);
    const was = await revokeTrust(root, { cwd, env });
    await say([was ? `${visible(root)} is no longer trusted.` : `${visible(root)} was not trusted.`]);
    return was ? EXIT.success : EXIT.error;
  }
  const trust = await projectTrust({ cwd, env });
  if (trust.problem !== undefined) await world.err.write(`turnwright: ${visible(trust.problem)}\n`);
  await say(describeItems(trust));
  if (invocation.show === true) return EXIT.success;
  await trustProject(trust, { cwd, env });
  await say([`${visible(trust.root)} is trusted until something of this changes.`]);
  return EXIT.success;
}

/** Mistakes of the first hour: each gets a sentence that says what to do. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Options, query, tool } from '@turnwright/engine';
import { against, bareEnv, rehearse, temporaryFolder } from '@turnwright/test/cli/bin.ts';
import { commandLine } from '@turnwright/test/cli/command-line.ts';
import { reply } from '@turnwright/testing/rehearsal';
import { expect, test } from 'vitest';

/** All flags of Claude Code that this command line does not have. */
const FOREIGN =
  '--autocompact --background --bare --bg --brief --chrome --cloud --desktop --environment --exclude-dynamic-system-prompt-sections --file --from-pr --ide --no-chrome --plugin-url --remote-control --remote-control-session-name-prefix --restricted --safe-mode --system-prompt-snapshot --teleport --tmux'.split(
    ' ',
  );

test.each(FOREIGN)('the flag %s is named, with what to use', async (flag) => {
  const ran = await commandLine(['-p', flag, 'hi']);
  expect(ran).toMatchObject({ code: 2, stdout: '' });
  expect(ran.stderr).toContain(`${flag} is a flag of Claude Code that Turnwright does not have. `);
});

test('--permission-mode auto says what it means', async () => {
  const server = await rehearse(reply('Done.'));
  const ran = await commandLine(['-p', '--permission-mode', 'auto', 'hi'], { env: against(server) });
  expect(ran).toMatchObject({ code: 0, stdout: 'Done.\n' });
  expect(ran.stderr).toContain('The permission mode "auto" means "default" here');
});

/** A home below a file: nobody can make a folder there, root included. */
function withoutHome(): Record<string, string> {
  const file = join(temporaryFolder(), 'file');
  writeFileSync(file, '');
  return { TURNWRIGHT_HOME: join(file, 'home') };
}

test('where nothing can be written, a new session is answered, and a warning says that it is not kept', async () => {
  const server = await rehearse(reply('Done.'));
  const env = { ...against(server), ...withoutHome() };
  const ran = await commandLine(['-p', 'hi'], { env });
  expect(ran).toMatchObject({ code: 0, stdout: 'Done.\n' });
  expect(ran.stderr).toMatch(/Nothing of this session is kept\. The lock of session .* cannot be written/);
  const quiet = await commandLine(['-p', '--no-session-persistence', 'hi'], {
    env: { ...env, ...against(await rehearse(reply('Done.'))) },
  });
  expect(quiet).toMatchObject({ code: 0, stdout: 'Done.\n', stderr: '' });
});

test('a library that keeps sessions is refused there', async () => {
  const server = await rehearse(reply('Done.'));
  const env = { ...bareEnv(against(server)), ...withoutHome() };
  await expect(lastOf({ env })).rejects.toThrow(/cannot be written/);
});

async function lastOf(options: Options) {
  let last: unknown;
  for await (const message of query({ prompt: 'hi', options })) last = message;
  return last;
}

test.each([
  [
    () => query({ prompt: 'x', options: { permisionMode: 'plan' } as never }),
    /did you mean "permissionMode"/,
  ],
  [() => query({ prompt: 'x', options: { alowedTools: [] } as never }), /did you mean "allowedTools"/],
  [() => query('text' as never), /query\(\{ prompt: "…" \}\)/],
  [() => query({ promt: 'x' } as never), /Is "promt" meant to be "prompt"/],
  [() => tool('bad name!', '', {}, async () => ({ content: [] })), /"bad name!" cannot be the name/],
])('a mistake in a program is told what was meant: %#', (mistake, said) => {
  expect(mistake).toThrow(said);
});

test('an unknown hook event lists those that there are', async () => {
  const server = await rehearse(reply('Done.'));
  const hooks = { PreTool: [{ hooks: [async () => ({})] }] } as never;
  await expect(lastOf({ env: bareEnv(against(server)), hooks })).rejects.toThrow(
    /no hook event "PreTool"\. There are PreToolUse, /,
  );
});

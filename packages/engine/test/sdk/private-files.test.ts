/** What a session, its agents and the functions about sessions leave in the configuration home is for its owner alone. */
import { mkdirSync, mkdtempSync, readdirSync, realpathSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { reply, startRehearsal, toolUse } from '@turnwright/testing/rehearsal';
import { expect, it } from 'vitest';
import { archiveSession, forkSession, query, type SDKMessage } from '../../src/index.ts';

/** Files and folders that others than their owner can use in some way. */
function openBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true })
    .map(String)
    .filter((name) => (statSync(join(folder, name)).mode & 0o077) !== 0);
}

it.skipIf(process.platform === 'win32')('GHSA-q5f5: no file in the home is open to others', async () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'turnwright-private-')));
  const cwd = join(folder, 'project');
  const home = join(folder, 'home');
  mkdirSync(cwd);
  const agent = { description: 'Dig', prompt: 'Dig.', subagent_type: 'digger', run_in_background: true };
  const server = await startRehearsal({
    scenario: {
      name: 'private files',
      replies: [
        reply([toolUse('Agent', agent), toolUse('Read', { file_path: join(folder, 'other', 'file') })]),
        reply(toolUse('ExitPlanMode', { plan: 'Write it.' })),
        reply('Found.'),
        ...['Done.', 'Noted.', 'Again.', 'Again.'].map((text) => reply(text)),
      ],
    },
  });
  const env = { ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: 'k', TURNWRIGHT_HOME: home };
  const said: SDKMessage[] = [];
  /** What was there while the session ran. */
  const during: string[] = [];
  const options = {
    cwd,
    env,
    permissionMode: 'plan',
    agents: { digger: { description: 'digs', prompt: 'Dig.' } },
    canUseTool: async (name: string, input: object) => {
      during.push(...readdirSync(home, { recursive: true }).map(String));
      expect(openBelow(home)).toEqual([]);
      return {
        behavior: 'allow',
        updatedInput: input,
        ...(name === 'Read' && {
          updatedPermissions: [
            { type: 'addDirectories', directories: [join(folder, 'other')], destination: 'localSettings' },
          ],
        }),
      };
    },
  } as const;
  for await (const message of query({ prompt: 'Go.', options: options as object })) said.push(message);
  const id = said[0]?.session_id as string;
  await archiveSession(id, { env });
  await forkSession(id, { env });
  const names = readdirSync(home, { recursive: true }).join('\n');
  for (const kind of [
    /^granted-directories[.]json$/m,
    /^plans\/.+[.]md$/m,
    /archived[.]json$/m,
    /tasks\/.+[.]output$/m,
    /subagents\/.+[.]meta[.]json$/m,
    /subagents\/.+[.]jsonl$/m,
  ])
    expect(names).toMatch(kind);
  expect(names.match(/[.]jsonl$/gm)).toHaveLength(3);
  expect(during.join()).toMatch(/lock/);
  expect(openBelow(home)).toEqual([]);
  await server.close();
});

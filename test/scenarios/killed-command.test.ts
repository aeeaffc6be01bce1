/** kill -9 in the middle of a command's work: what holds for its submission holds when another process carries it on. */
import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Options, query, type SDKMessage, type SDKResultMessage } from '@turnwright/engine';
import { reply, toolUse } from '@turnwright/testing/rehearsal';
import { expect, it } from 'vitest';
import { envOf, killedQuery } from './killed-query.ts';
import { until } from './processes.ts';
import { serve } from './rehearse.ts';
import { tempFolder } from './temp-folder.ts';

const bash = (command: string, id: string) => toolUse('Bash', { command }, id);

it('rules that a command and a skill lent, and what an agent was denied, are carried on', async () => {
  const server = await serve({
    name: 'killed',
    replies: [
      reply(toolUse('Skill', { skill: 'press' }, 'call_skill'), { when: { lastMessage: 'Work on it' } }),
      reply(toolUse('Agent', { description: 'dig', prompt: 'Dig.', subagent_type: 'worker' }, 'call_agent'), {
        when: { lastMessage: 'Press on' },
      }),
      reply(bash('rm -r gold', 'call_rm'), { when: { lastMessage: 'Dig[.]' } }),
      reply('There was a rule.', { when: { lastMessage: 'rm -r gold' } }),
      reply('Never.', { when: { lastMessage: 'There was a rule' }, timing: { headersMs: 3_600_000 } }),
      reply([bash('touch touched', 'call_touch'), bash('mkdir made', 'call_mkdir')], {
        when: { lastMessage: 'There was a rule' },
      }),
      reply('Done.', { when: { lastMessage: 'completed with no output' } }),
      reply(bash('touch later', 'call_later'), { when: { lastMessage: 'And now' } }),
      reply('Well.', { when: { lastMessage: 'touch later' } }),
    ],
  });
  const cwd = tempFolder();
  const home = tempFolder();
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(home, path)), { recursive: true });
    writeFileSync(join(home, path), text);
  };
  write('commands/work.md', '---\nallowed-tools: Bash(touch:*), Edit, Skill, Agent\n---\nWork on it.');
  write(
    'skills/press/SKILL.md',
    '---\nname: press\ndescription: Presses.\nallowed-tools: Bash(mkdir:*)\n---\nPress on.',
  );
  const options = {
    cwd,
    sessionId: randomUUID(),
    settingSources: ['user'],
    disallowedTools: ['Bash(rm:*)'],
    agents: { worker: { description: 'Works.', prompt: 'You work.' } },
    env: envOf(server, home),
  } as const satisfies Options;
  await killedQuery({ prompt: '/work', options }, () =>
    until(() => server.requests.some(({ body }) => JSON.stringify(body).includes('There was a rule'))),
  );

  const { sessionId: resume, ...later } = options;
  const result = await resultOf(query({ options: { ...later, resume } }));
  expect(result).toMatchObject({ subtype: 'success', result: 'Done.' });
  expect(result?.permission_denials).toEqual([
    { tool_name: 'Bash', tool_use_id: 'call_rm', tool_input: { command: 'rm -r gold' } },
  ]);
  expect(existsSync(join(cwd, 'touched'))).toBe(true);
  expect(existsSync(join(cwd, 'made'))).toBe(true);

  const next = await resultOf(query({ prompt: 'And now?', options: { ...later, resume } }));
  expect(next?.permission_denials).toMatchObject([{ tool_use_id: 'call_later' }]);
  expect(existsSync(join(cwd, 'later'))).toBe(false);
});

async function resultOf(messages: AsyncIterable<SDKMessage>): Promise<SDKResultMessage | undefined> {
  let result: SDKResultMessage | undefined;
  for await (const message of messages) if (message.type === 'result') result = message;
  return result;
}

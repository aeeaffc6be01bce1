import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { tempFolder } from '@turnwright/test/scenarios/temp-folder.ts';
import {
  agentsUnderTest,
  answersIn,
  startAgent,
  WORKER,
} from '@turnwright/test/subagents/agents-under-test.ts';
import { callTool, fakeTool, say } from '@turnwright/testing';
import { expect, it } from 'vitest';
import { getSubagentMessages, listSubagents } from '../../src/index.ts';

it('SubagentStart adds to what the agent knows; a SubagentStop that blocks sends it round again', async () => {
  const seen: Readonly<Record<string, unknown>>[] = [];
  const { run, asked } = agentsUnderTest(
    { main: [startAgent('dig'), say('Done.')], dig: [say('Gold?'), say('Gold, certainly.')] },
    {
      hooks: {
        SubagentStart: [
          {
            matcher: 'worker',
            hooks: [
              async (input) => {
                seen.push(input);
                return {
                  hookSpecificOutput: { hookEventName: 'SubagentStart', additionalContext: 'Bring a lamp.' },
                };
              },
            ],
          },
        ],
        SubagentStop: [
          {
            hooks: [
              async (input) => {
                seen.push(input);
                return input['stop_hook_active'] === true
                  ? {}
                  : { decision: 'block', reason: 'Are you sure?' };
              },
            ],
          },
        ],
        Stop: [{ hooks: [async () => ({})] }],
      },
    },
  );
  const [answer] = answersIn(await run());
  expect(answer).toMatchObject({ text: 'Gold, certainly.', isError: false });
  expect(JSON.stringify(asked('dig')[0]?.view)).toContain('Bring a lamp.');
  expect(JSON.stringify(asked('dig')[1]?.view)).toContain('Are you sure?');
  const whose = { agent_id: answer?.data['agentId'], agent_type: 'worker' };
  expect(seen).toMatchObject([
    { hook_event_name: 'SubagentStart', ...whose },
    { hook_event_name: 'SubagentStop', ...whose, last_assistant_message: 'Gold?' },
    { hook_event_name: 'SubagentStop', ...whose, stop_hook_active: true },
  ]);
});

it('a mode of its own holds where it is stricter than the session, and never where it is looser', async () => {
  const verdictOf = async (session: 'bypassPermissions' | 'dontAsk', own: 'plan' | 'bypassPermissions') => {
    const burn = fakeTool({ name: 'Burn' });
    const { run } = agentsUnderTest(
      { main: [startAgent('dig'), say('Done.')], dig: [callTool('Burn'), say('Well.')] },
      { tools: [burn], agents: [{ ...WORKER, permissionMode: own }], permissionMode: session },
    );
    await run();
    return burn.calls.length;
  };
  expect(await verdictOf('bypassPermissions', 'plan')).toBe(0);
  expect(await verdictOf('dontAsk', 'bypassPermissions')).toBe(0);
  expect(await verdictOf('bypassPermissions', 'bypassPermissions')).toBe(1);
});

it('its conversation is kept beside the session, as readers of sessions expect it', async () => {
  const home = tempFolder();
  const { run, engine } = agentsUnderTest(
    { main: [startAgent('dig', { id: 'toolu_dig' }), say('Done.')], dig: [say('Gold.')] },
    { store: undefined, home, sessionsDirectory: join(home, 'projects', '-work') },
  );
  const [answer] = answersIn(await run());
  await engine.close();
  const folder = join(home, 'projects', '-work', engine.sessionId, 'subagents');
  const name = `agent-${answer?.data['agentId']}`;
  expect(readdirSync(folder).sort()).toEqual([`${name}.jsonl`, `${name}.meta.json`]);
  expect(JSON.parse(readFileSync(join(folder, `${name}.meta.json`), 'utf8'))).toEqual({
    agentType: 'worker',
    description: 'do dig',
    toolUseId: 'toolu_dig',
    spawnDepth: 1,
  });
  const records = readFileSync(join(folder, `${name}.jsonl`), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>)
    .filter(({ type }) => type === 'user' || type === 'assistant');
  // The last block of an answer is written once more, with what the answer cost in the end.
  expect(new Set(records.map(({ uuid }) => uuid)).size).toBe(2);
  for (const record of records)
    expect(record).toMatchObject({
      sessionId: engine.sessionId,
      isSidechain: true,
      agentId: answer?.data['agentId'],
    });
  const env = { CLAUDE_CONFIG_DIR: home };
  const agents = await listSubagents(engine.sessionId, { dir: '/work', env });
  expect(JSON.stringify(agents)).toContain(String(answer?.data['agentId']));
  const kept = await getSubagentMessages(engine.sessionId, String(answer?.data['agentId']), {
    dir: '/work',
    env,
  });
  expect(kept.map(({ type }) => type)).toEqual(['user', 'assistant']);
});

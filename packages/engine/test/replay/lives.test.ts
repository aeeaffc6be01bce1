/** Sessions of several processes and agents: parked, taken up after a kill, forked, and of other programs. */

import { engineUnderTest } from '@turnwright/test/engine/engine-under-test.ts';
import { allowing, lives, silentHost } from '@turnwright/test/engine/parking/lives.ts';
import { agentsUnderTest, startAgents } from '@turnwright/test/subagents/agents-under-test.ts';
import { callTool, fakeTool, replay, reply, say } from '@turnwright/testing';
import { describe, expect, it } from 'vitest';
import type { Options } from '../../src/index.ts';
import type { JournalEntry } from '../../src/protocol/session/journal.ts';
import type { ReplayReport } from '../../src/protocol/session/replay-report.ts';

const same = ({ difference, notRecorded }: ReplayReport) => {
  expect(difference && { ...difference, records: undefined }).toBeUndefined();
  expect(notRecorded).toEqual([]);
};

describe('a replay', () => {
  it('goes on with a session that was parked for a question', async () => {
    const session = lives();
    const { canUseTool } = silentHost();
    const tools = () => [fakeTool({ name: 'Touch' }), fakeTool({ name: 'Look', readOnly: true })];
    const script = [reply([callTool('Look', {}), callTool('Touch', {})]), say('Done.')];
    await session.run({ prompt: 'Go.', script: script.slice(0, 1), tools: tools(), options: { canUseTool } });
    await session.run({ script: script.slice(1), tools: tools(), options: { canUseTool: allowing } });
    const entries = session.store.entries(session.sessionId);
    expect(JSON.stringify(entries)).toContain('"kind":"park"');
    const report = await replay(entries);
    expect(report.runs).toBe(2);
    same(report);
  });

  it('goes on with one that was killed as it was parked, with what hooks had said before', async () => {
    const session = lives();
    const { canUseTool } = silentHost();
    const tools = () => [fakeTool({ name: 'Touch' }), fakeTool({ name: 'Look', readOnly: true })];
    const hooks: Options['hooks'] = {
      PostToolUse: [
        {
          matcher: 'Look',
          hooks: [
            async () => ({
              hookSpecificOutput: { hookEventName: 'PostToolUse', additionalContext: 'It is wet.' },
            }),
          ],
        },
      ],
    };
    const script = [reply([callTool('Look', {}), callTool('Touch', {})]), say('Done.')];
    const options = { canUseTool, hooks };
    await session.run({ prompt: 'Go.', script: script.slice(0, 1), tools: tools(), options });
    const parked = session.store.entries(session.sessionId).length;
    await session.run({
      script: script.slice(1),
      tools: tools(),
      options: { canUseTool: allowing, hooks },
    });
    const entries = session.store.entries(session.sessionId);
    expect(JSON.stringify(entries)).toContain('It is wet.');
    same(await replay(entries));
    for (let length = 1; length <= parked; length++) same(await replay(entries.slice(0, length)));
  });

  it('replays agents from their own journals', async () => {
    const run = agentsUnderTest(
      {
        main: [startAgents('dig', 'fill'), say('Done.')],
        dig: [callTool('Look', {}), say('Found it.')],
        fill: [say('Filled.')],
      },
      { tools: [fakeTool({ name: 'Look', readOnly: true })] },
    );
    await run.run();
    const main = run.store.entries(run.engine.sessionId);
    same(await replay(main));
    const ids = JSON.stringify(main).match(/agentId":"([^"]+)/g) ?? [];
    const names = [...new Set(ids.map((id) => `agent-${id.split('"').at(-1)}`))];
    const journals = names.map((name) => run.store.entries(name)).filter(({ length }) => length > 0);
    expect(journals.length).toBeGreaterThan(0);
    for (const journal of journals) {
      const report = await replay(journal, { isAgent: true });
      same(report);
      expect(report.iterations).toBeGreaterThan(0);
    }
  });

  it('replays what a killed process had decided, and how another one went on', async () => {
    const first = engineUnderTest([callTool('Look', {}), callTool('Look', {})], {
      tools: [fakeTool({ name: 'Look', readOnly: true, effectClass: 'pure' })],
      maxTurns: 2,
    });
    await first.run('Go.');
    const whole = first.store.entries(first.engine.sessionId);
    for (let length = 1; length <= whole.length; length++) same(await replay(whole.slice(0, length)));
  });

  it('replays a transcript of another program as far as it goes, and names what is not there', async () => {
    const entry = (seq: number, more: object) =>
      ({
        v: 0,
        seq,
        epoch: 0,
        sessionId: 's',
        cwd: '/',
        timestamp: '2026-01-01T00:00:00.000Z',
        ...more,
      }) as JournalEntry;
    const answer = (seq: number, id: string, parentUuid: string, content: object) =>
      entry(seq, {
        type: 'assistant',
        uuid: `a${seq}`,
        parentUuid,
        message: {
          id,
          role: 'assistant',
          model: 'claude-opus-5-5',
          content: [content],
          usage: { input_tokens: 9, output_tokens: 2 },
        },
      });
    const entries = [
      entry(1, { type: 'user', uuid: 'u1', parentUuid: null, message: { role: 'user', content: 'Hello.' } }),
      answer(2, 'm1', 'u1', { type: 'tool_use', id: 't1', name: 'Read', input: { file_path: 'a' } }),
      entry(3, {
        type: 'user',
        uuid: 'u3',
        parentUuid: 'a2',
        message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't1', content: 'A.' }] },
      }),
      answer(4, 'm2', 'u3', { type: 'text', text: 'It says A.' }),
    ];
    const report = await replay(entries);
    expect(report.difference).toBeUndefined();
    expect(report.iterations).toBe(2);
    expect(report.notRecorded.join()).toContain('decision records');
  });
});

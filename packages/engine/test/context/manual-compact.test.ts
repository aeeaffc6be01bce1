import { deferred } from '@turnwright/testing';
import { describe, expect, it } from 'vitest';
import type { HookEvent } from '../../src/protocol/tools/hook.ts';
import {
  done,
  lookAt,
  refusal,
  rehearsedEngine,
  resultOf,
  SUMMARY,
  script,
  systemWords,
} from './rehearsed-engine.ts';

const main = [lookAt(500), lookAt(500), done('First.'), done('Second.')];

describe('/compact', () => {
  it('compacts with its instructions, yields the boundary and no request of the main loop', async () => {
    const seen: unknown[] = [];
    const hook = async (input: { readonly hook_event_name: HookEvent }) => {
      seen.push(input);
      return input.hook_event_name === 'SessionStart' && seen.length > 1
        ? {
            hookSpecificOutput: {
              hookEventName: 'SessionStart' as const,
              additionalContext: 'Mind the gap.',
            },
          }
        : {};
    };
    const hooks = Object.fromEntries(
      (['PreCompact', 'PostCompact', 'SessionStart'] as const).map((event) => [event, [{ hooks: [hook] }]]),
    );
    const run = await rehearsedEngine({ reply: script(main), config: { hooks, maxBudgetUsd: 10 } });
    await run.run('Look around.');
    const messages = await run.run('/compact Keep the colours.');
    expect(run.sent('main')).toHaveLength(3);
    expect(run.sent('compaction')).toHaveLength(1);
    expect(JSON.stringify(run.sent('compaction')[0]?.messages)).toContain('Keep the colours.');
    expect(systemWords(messages)).toEqual(['status:compacting', 'status:null', 'compact_boundary']);
    expect(JSON.stringify(messages)).toContain('"trigger":"manual"');
    const result = resultOf(messages);
    expect(result).toMatchObject({ subtype: 'success', is_error: false, num_turns: 0 });
    expect(result).not.toHaveProperty('terminal_reason');
    expect(result.total_cost_usd).toBeGreaterThan(0);
    expect(seen.slice(1)).toMatchObject([
      { hook_event_name: 'PreCompact', trigger: 'manual', custom_instructions: 'Keep the colours.' },
      { hook_event_name: 'SessionStart', source: 'compact' },
      { hook_event_name: 'PostCompact', trigger: 'manual', compact_summary: 'The gist.' },
    ]);

    await run.run('And now?');
    const sent = JSON.stringify(run.sent('main').at(-1)?.messages);
    expect(sent).toContain('The gist.');
    expect(sent).toContain('Mind the gap.');
    expect(sent).toContain('Look around.');
    expect(sent).not.toContain('wide wide');
    expect(run.server.report().rejected).toEqual([]);
  });

  it('says so when it fails, and leaves the conversation as it was', async () => {
    const run = await rehearsedEngine({ reply: script(main, () => refusal(500)) });
    await run.run('Look around.');
    const messages = await run.run('/compact');
    expect(resultOf(messages)).toMatchObject({
      subtype: 'success',
      result: expect.stringContaining('not compacted'),
    });
    await run.run('And now?');
    expect(JSON.stringify(run.sent('main').at(-1)?.messages)).toContain('wide wide');
  });

  it('has nothing to do in a new session', async () => {
    const run = await rehearsedEngine({ reply: script([]) });
    const messages = await run.run('/compact');
    expect(resultOf(messages)).toMatchObject({ result: expect.stringContaining('kept tail') });
    expect(run.server.requests).toEqual([]);
  });

  it('F18: an interrupt leaves nothing half done', async () => {
    const asked = deferred<void>();
    const slow = () => {
      asked.resolve();
      return { ...SUMMARY, timing: { headersMs: 3_600_000 } };
    };
    const run = await rehearsedEngine({ reply: script(main, slow) });
    await run.run('Look around.');
    const running = run.run('/compact');
    await asked.promise;
    run.engine.interrupt();
    expect(resultOf(await running)).toMatchObject({ result: expect.stringContaining('aborted') });
    const entries = run.store.entries(run.engine.sessionId);
    expect(entries.some((entry) => entry.type === 'boundary')).toBe(false);
  });

  it("is announced, and is replaced by a host's own command of that name", async () => {
    const run = await rehearsedEngine({ reply: script([]) });
    expect((await run.run('/compact'))[0]).toMatchObject({
      slash_commands: expect.arrayContaining(['compact']),
    });
    const own = {
      name: 'compact',
      description: 'Ours.',
      run: () => ({ messages: [], shouldQuery: false, resultText: 'Ours.' }),
    };
    const other = await rehearsedEngine({ reply: script([]), config: { commands: [own] } });
    expect(resultOf(await other.run('/compact'))).toMatchObject({ result: 'Ours.' });
  });
});

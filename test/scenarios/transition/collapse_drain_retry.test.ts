import { systemClock } from '@turnwright/base/clock.ts';
import type { RecoveryOutcome, StepInput } from '@turnwright/engine/protocol/model/context.ts';
import { idleContext, loopDeps, loopParams, recorder, runLoop, userMessage } from '@turnwright/testing';
import { reply } from '@turnwright/testing/rehearsal';
import { describe, expect, it } from 'vitest';
import { queryLoop } from '../../../packages/engine/src/loop/query-loop.ts';
import { createModelClient } from '../../../packages/engine/src/model/create-model-client.ts';
import { decided } from '../outline.ts';
import { KEY, MODEL, serve } from '../rehearse.ts';
import { bodies, wholeText } from '../sent.ts';

/** Holds one staged collapse. */
function oneStagedCollapse() {
  let staged = 1;
  return {
    ...idleContext,
    recovery: {
      ...idleContext.recovery,
      drainCollapses:
        ({ view }: StepInput) =>
        (): RecoveryOutcome => {
          const uuid = view.at(0)?.uuid;
          if (staged === 0 || uuid === undefined) return { kind: 'none', why: 'no collapse is staged' };
          staged -= 1;
          const item = userMessage('Summary of what was said before.', { uuid });
          return {
            kind: 'edits',
            source: 'collapse',
            edits: [{ kind: 'replace', uuid, item }],
            tokensFreed: 9_000,
            compacted: false,
          };
        },
    },
  };
}

describe('collapse_drain_retry', () => {
  it('the API refuses a prompt as too long, a staged collapse makes room, the refusal is never seen', async () => {
    const server = await serve([reply('Fits.')], { windows: { [MODEL]: 6_000 } });
    const client = createModelClient({
      baseUrl: server.url,
      apiKey: KEY,
      clock: systemClock,
      random: () => 0,
    });
    const journal = recorder();
    const { messages, terminal } = await runLoop(
      queryLoop,
      loopParams({ model: MODEL, prompt: 'word '.repeat(8_000), maxOutputTokens: 1_000 }),
      loopDeps({
        callModel: client.call,
        context: oneStagedCollapse(),
        recorder: journal,
        clock: systemClock,
      }),
    );
    await client.close();

    expect(terminal.reason).toBe('completed');
    const decisions = journal.ofType('decision').map(({ record }) => record);
    expect(decided(decisions)).toEqual(['collapse_drain_retry', 'stop completed']);
    expect(decisions[1]?.in).toBe('collapse_drain_retry');
    expect(messages.filter((message) => message.type === 'assistant')).toHaveLength(1);
    expect(server.report().rejected.map(({ rule }) => rule)).toEqual(['prompt-too-long']);
    expect(wholeText(bodies(server)[1])).toContain('Summary of what was said before.');
    expect(journal.bodies.map((body) => body.type)).toContain('collapse');
  });
});

import { callTool, fakeTool, type ScriptStep, say } from '@turnwright/testing';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { agentsUnderTest, answersIn, resultIn, startAgent } from '../../subagents/agents-under-test.ts';

const send = (text: string, more: object = {}) =>
  callTool('SendMessage', { to: 'digger', message: text, ...more });

/** What an agent may do in a run: a good end, a call, a call that the rules deny, an end without words. */
const STEP = fc.constantFrom<ScriptStep>(say('Gold.'), callTool('Look', {}), callTool('Burn', {}));

it('no sequence of messages runs a denied call, starts more than it may, or ends without one result', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.boolean(), { minLength: 1, maxLength: 4 }),
      fc.array(STEP, { maxLength: 8 }),
      fc.integer({ min: 1, max: 4 }),
      async (messages, steps, maxSubagents) => {
        const burn = fakeTool({ name: 'Burn' });
        const test = agentsUnderTest(
          {
            main: [
              startAgent('dig', { name: 'digger' }),
              ...messages.map((inBackground) => send('More.', { run_in_background: inBackground })),
              // Each end in the background begins another turn.
              ...Array.from({ length: 12 }, () => say('Done.')),
            ],
            dig: [...steps, ...Array.from({ length: 12 }, () => say('Enough.'))],
          },
          { tools: [fakeTool({ name: 'Look' }), burn], maxSubagents, denyRules: ['Burn'] },
        );
        const seen = await test.run();
        expect(burn.calls).toEqual([]);
        expect(seen.filter(({ type }) => type === 'result')).toHaveLength(1);
        const { subagent_stats: stats } = resultIn(seen);
        expect(stats?.spawned).toBeLessThanOrEqual(maxSubagents);
        expect(answersIn(seen)).toHaveLength(messages.length + 1);
      },
    ),
    { numRuns: 15 },
  );
});

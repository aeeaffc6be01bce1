/** A session that was recorded is played again from its record alone, without a model. */

import type { JournalEntry } from '@turnwright/engine/protocol/session/journal.ts';
import { block, callTool, fakeTool, reply, type ScriptStep, say } from '@turnwright/testing';
import { expect, it } from 'vitest';
import { engineUnderTest, resultIn } from '../../engine/engine-under-test.ts';

const tools = () => [fakeTool({ name: 'Look', answer: 'src/main.ts:12', readOnly: true })];
const PROMPT = 'Where is the loop?';

/** The answers on record, one step each. `checked`: what was asked must be what was asked then. */
function stepsOf(entries: readonly JournalEntry[], prompts: readonly string[]): ScriptStep[] {
  const answers = new Map<string, { content: unknown[]; usage: object; stopReason: string | null }>();
  for (const entry of entries) {
    if (entry.type === 'assistant') {
      const { id, content, usage, stop_reason: stopReason } = entry.message;
      const answer = answers.get(id) ?? { content: [], usage, stopReason };
      answer.content.push(...content);
      answers.set(id, answer);
    }
    if (entry.type === 'response') {
      const answer = [...answers.values()].at(-1);
      if (answer !== undefined) Object.assign(answer, { usage: entry.usage, stopReason: entry.stopReason });
    }
  }
  return [...answers.values()].map(({ content, usage, stopReason }, at) => (request) => {
    const asked = JSON.stringify([...request.view].map((message) => 'message' in message && message.message));
    const miss = firstDifference(asked, prompts[at] ?? '');
    if (miss !== undefined) throw new Error(`Request ${at + 1} is another: ${miss}.`);
    return reply(
      content.map((each) => block(each as never)),
      { usage: usage as object, ...(stopReason !== null && { stopReason: stopReason as 'end_turn' }) },
    );
  });
}

/** In words, with what stands around it; undefined: there is none. */
function firstDifference(asked: string, recorded: string): string | undefined {
  if (asked === recorded) return undefined;
  let at = 0;
  while (asked[at] === recorded[at]) at++;
  const around = (text: string) => text.slice(Math.max(0, at - 20), at + 20);
  return `"${around(asked)}" instead of "${around(recorded)}"`;
}

const views = (model: ReturnType<typeof engineUnderTest>['model']) =>
  model.requests.map(({ view }) =>
    JSON.stringify([...view].map((each) => 'message' in each && each.message)),
  );

async function recorded() {
  const first = engineUnderTest([callTool('Look', { word: 'loop' }), say('In main.ts.')], { tools: tools() });
  const messages = await first.run(PROMPT);
  const entries = first.store.entries(first.engine.sessionId);
  return { messages, entries, steps: stepsOf(entries, views(first.model)) };
}

it('F167 the same decisions are made, and the record is the same to the last field', async () => {
  const { messages, entries, steps } = await recorded();
  const again = engineUnderTest(steps, { tools: tools() });
  expect(await again.run(PROMPT)).toEqual(messages);
  const repeated = again.store.entries(again.engine.sessionId);
  expect(repeated.filter(({ type }) => type === 'decision')).toEqual(
    entries.filter(({ type }) => type === 'decision'),
  );
  expect(repeated).toEqual(entries);
  again.model.assertComplete();
});

it('F167 another prompt is a miss that names the first difference', async () => {
  const { steps } = await recorded();
  const again = engineUnderTest(steps, { tools: tools() });
  const result = resultIn(await again.run('Where is the ledger?'));
  expect(result).toMatchObject({
    is_error: true,
    errors: [
      expect.stringMatching(
        /Request 1 is another: ".*Where is the ledger.*" instead of ".*Where is the loop/,
      ),
    ],
  });
  // No tool ran on what was recorded.
  expect(again.store.entries(again.engine.sessionId).some(({ type }) => type === 'intent')).toBe(false);
});

it('F167 a tool that answers differently is a miss at the request that says so', async () => {
  const { steps } = await recorded();
  const other = [fakeTool({ name: 'Look', answer: 'src/main.ts:99', readOnly: true })];
  const again = engineUnderTest(steps, { tools: other });
  expect(resultIn(await again.run(PROMPT))).toMatchObject({
    is_error: true,
    errors: [expect.stringMatching(/Request 2 is another: ".*main.ts:99.*" instead of ".*main.ts:12/)],
  });
});

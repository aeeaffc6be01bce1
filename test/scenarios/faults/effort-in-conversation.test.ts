/** Another effort leaves the cached conversation alone where the model takes changes inside it. */

import type { EffortLevel } from '@turnwright/engine';
import { reply } from '@turnwright/testing/rehearsal';
import { describe, expect, it } from 'vitest';
import { rehearse } from '../rehearse.ts';
import type { SentBody } from '../sent.ts';

const changes = (body: SentBody | undefined) =>
  (body?.messages ?? []).flatMap((message, at) =>
    'output_config' in message ? [[at, (message.output_config as { effort: string }).effort]] : [],
  );
const top = (body: SentBody | undefined) =>
  (body as unknown as { output_config: { effort: string } }).output_config.effort;

/** Three processes, the second one with another effort. */
async function threeTimes(model: string, again: EffortLevel = 'low') {
  const first = await rehearse({ replies: [reply('One.')], options: { model, effort: 'high' } });
  const sent = [first.sent[0]];
  for (const effort of [again, again]) {
    const run = await rehearse({
      place: first,
      prompt: 'Go on.',
      replies: [reply('Two.')],
      options: { model, effort, resume: first.sessionId },
    });
    sent.push(run.sent[0]);
  }
  return sent;
}

describe('another effort', () => {
  it('is said where it begins, and stays said there', async () => {
    const sent = await threeTimes('claude-opus-5-5');
    expect(sent.map(top)).toEqual(['high', 'high', 'high']);
    expect(sent.map(changes)).toEqual([[], [[3, 'low']], [[3, 'low']]]);
  });

  it('is that of the request for a model that takes no changes', async () => {
    const sent = await threeTimes('claude-sonnet-5');
    expect(sent.map(top)).toEqual(['high', 'low', 'low']);
    expect(sent.map(changes)).toEqual([[], [], []]);
  });
});

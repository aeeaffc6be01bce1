/**
 * A worker whose answers are streamed word by word: each word is its number in the block and the time at which it was
 * made, `12@1700000000000 `. Each round calls a tool; the last one says that it is done.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { StreamEvent } from '@turnwright/engine';
import type { CallModel } from '@turnwright/engine/protocol/model/model.ts';
import { callTool, reply, type ScriptStep, say } from '@turnwright/testing';
import { alwaysAnswering, callsIn, note, roundOf, scriptedTools, scriptedWorker } from './scripted.ts';

interface Talk {
  readonly rounds: number;
  readonly words: number;
  readonly wordMs: number;
}

const talk = JSON.parse(process.env['SCENARIO'] ?? '') as Talk;

/** Of the prompt: rounds are counted anew for each. */
const answer: ScriptStep = (request) => {
  const { called } = callsIn(request);
  const prompts = request.view
    .slice()
    .filter((message) => message.type === 'user' && message.kind === 'prompt');
  const round = roundOf(called);
  const words = say('0'.repeat(talk.words), { chunkChars: 1 });
  if (round > talk.rounds * prompts.length) return words;
  return reply([words, callTool('Look', { round }, { id: `${request.sessionId}.${round}.pure` })], {
    chunkChars: 1,
  });
};

const model = alwaysAnswering(answer);

/** Word by word, with the time at which each is made. */
const callModel: CallModel = async function* (request, call) {
  const playing = model.callModel(request, call);
  call.signal.addEventListener('abort', () => note(request.sessionId, 'aborted'), { once: true });
  let number = 0;
  while (true) {
    const next = await playing.next();
    if (next.done === true) return next.value;
    if (next.value.kind !== 'events') {
      yield next.value;
      continue;
    }
    for (const event of next.value.events) {
      if (event.type === 'content_block_start') number = 0;
      if (event.type !== 'content_block_delta' || event.delta.type !== 'text_delta') {
        yield { ...next.value, events: [event] };
        continue;
      }
      await sleep(talk.wordMs);
      if (call.signal.aborted) return { kind: 'aborted', retry: call.retry, attempts: [] };
      const delta = { ...event.delta, text: `${number++}@${Date.now()} ` };
      yield { ...next.value, events: [{ ...event, delta } as StreamEvent] };
    }
  }
};

await scriptedWorker(answer, {
  options: {
    settingSources: [],
    includePartialMessages: true,
    allowedTools: ['Look'],
    engine: {
      callModel,
      tools: scriptedTools({ rounds: talk.rounds, modelMs: 0, toolMs: 5 }),
      home: process.env['HOME_FOLDER'] ?? '',
    },
  },
});

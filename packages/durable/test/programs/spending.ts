/**
 * A worker under a strict budget of $1.50, whose answers cost $0.24 each and call a tool until the money is used up.
 * `DIE_IN`: the round whose tool ends the process.
 */
import { callTool, fakeTool, type ScriptStep } from '@turnwright/testing';
import { callsIn, note, roundOf, scriptedWorker } from './scripted.ts';

/** Opus: $20 for a million output tokens. */
const OUTPUT_TOKENS = 12_000;

const answer: ScriptStep = (request) => {
  const round = roundOf(callsIn(request).called);
  note(request.sessionId, 'asked', round, request.maxTokens);
  const id = `${request.sessionId}.${round}.unsafe`;
  return callTool('Effect', { round }, { id, usage: { output_tokens: OUTPUT_TOKENS } });
};

const effect = fakeTool({
  name: 'Effect',
  answer(_, { toolUseId }) {
    if (toolUseId.split('.')[1] === process.env['DIE_IN']) process.kill(process.pid, 'SIGKILL');
    return 'done';
  },
});

await scriptedWorker(
  answer,
  { engine: { tools: [effect], maxOutputTokens: OUTPUT_TOKENS } },
  { tools: [], systemPrompt: 'Spend.', maxBudgetUsd: 1.5, strictBudget: true },
);

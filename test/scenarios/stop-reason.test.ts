import { randomUUID } from 'node:crypto';
import { createSdkMcpServer, type SDKResultMessage, tool } from '@turnwright/engine';
import { reply, toolUse } from '@turnwright/testing/rehearsal';
import { describe, expect, it } from 'vitest';
import { filesThatFill } from '../faulty-files.ts';
import { spoken } from './outline.ts';
import { rehearse, resultOf, type Setup } from './rehearse.ts';

interface Row {
  readonly word: string | null;
  readonly subtype: SDKResultMessage['subtype'];
  readonly how: string;
  readonly setup: Setup;
}

const finish = tool('finish', 'Ends the turn.', {}, async () => ({
  content: [{ type: 'text', text: 'Finished.' }],
  _meta: { 'claude/endTurn': true },
}));
const schema = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] } as const;
const read = () => toolUse('Read', { file_path: 'a.txt' });
const files = { 'a.txt': 'x' };
/** Records that hold `word`: the one of this number is not written. */
function failingAt(word: string, number: number) {
  let seen = 0;
  return filesThatFill((text) => {
    if (!text.includes(word)) return false;
    seen += 1;
    return seen === number;
  });
}
const costly = { usage: { output_tokens: 100_000 } };

/** The six values of the published table, then one row per subtype. */
const ROWS: readonly Row[] = [
  { word: 'end_turn', subtype: 'success', how: 'a plain answer', setup: { replies: [reply('Hi.')] } },
  {
    word: 'max_tokens',
    subtype: 'error_max_budget_usd',
    how: 'a cut answer that used the budget up',
    setup: { replies: [reply('so on '.repeat(8_000))], options: { maxBudgetUsd: 0.001 } },
  },
  {
    word: 'stop_sequence',
    subtype: 'success',
    how: 'a stop sequence',
    setup: { replies: [reply('Up to here', { stop_reason: 'stop_sequence', stop_sequence: 'END' })] },
  },
  {
    word: 'refusal',
    subtype: 'success',
    how: 'a refusal, which is an answer and no error',
    setup: { replies: [reply('I will not.', { faults: ['refusal'] })] },
  },
  {
    word: 'tool_use',
    subtype: 'success',
    how: 'a tool that ends the turn',
    setup: {
      replies: [reply(toolUse('mcp__host__finish'))],
      options: { mcpServers: { host: createSdkMcpServer({ name: 'host', tools: [finish] }) } },
    },
  },
  {
    word: null,
    subtype: 'error_during_execution',
    how: 'an error before any request',
    setup: { replies: [], options: { resume: randomUUID() } },
  },
  {
    word: 'tool_use',
    subtype: 'error_max_turns',
    how: 'the turn limit, after a call',
    setup: { files, replies: [reply(read())], options: { maxTurns: 1 } },
  },
  {
    word: 'end_turn',
    subtype: 'error_max_budget_usd',
    how: 'the budget, after an answer',
    setup: { replies: [reply('Dear.', costly)], options: { maxBudgetUsd: 0.001 } },
  },
  {
    word: 'end_turn',
    subtype: 'error_max_structured_output_retries',
    how: 'plain text five times',
    setup: {
      replies: [reply('Three.', { times: 5 })],
      options: { outputFormat: { type: 'json_schema', schema } },
    },
  },
  {
    word: 'tool_use',
    subtype: 'error_during_execution',
    how: 'a host that interrupts',
    setup: {
      replies: [reply(toolUse('Bash', { command: 'touch here' }))],
      options: {
        permissionMode: 'default',
        canUseTool: async () => ({ behavior: 'deny', message: 'No.', interrupt: true }),
      },
    },
  },
  {
    word: 'max_tokens',
    subtype: 'error_max_turns',
    how: 'the turn limit, after a cut answer with a whole call in it',
    setup: { files, replies: [reply([read(), 'so on '.repeat(8_000)])], options: { maxTurns: 1 } },
  },
  {
    word: 'max_tokens',
    subtype: 'error_during_execution',
    how: 'an interrupt while a cut answer is asked for again',
    setup: {
      replies: [reply('so on '.repeat(8_000)), reply(['First.', 'never'], { faults: ['stall'] })],
      partial: true,
      onMessage: (message, { query }) => {
        if (spoken([message]).includes('First.')) void query.interrupt();
      },
    },
  },
  {
    word: 'tool_use',
    subtype: 'error_during_execution',
    how: 'an interrupt in the middle of a second answer',
    setup: {
      files,
      replies: [reply(read()), reply(['First.', 'never'], { faults: ['stall'] })],
      onMessage: (message, { query }) => {
        if (spoken([message]).includes('First.')) void query.interrupt();
      },
    },
  },
  {
    word: null,
    subtype: 'error_during_execution',
    how: 'something that throws before any answer',
    setup: {
      replies: [reply('never')],
      partial: true,
      options: { engine: { files: failingAt('"request"', 1) } },
    },
  },
  {
    word: 'tool_use',
    subtype: 'error_during_execution',
    how: 'something that throws after an answer',
    setup: {
      files,
      replies: [reply(read()), reply('never')],
      partial: true,
      options: { engine: { files: failingAt('"request"', 2) } },
    },
  },
  {
    word: 'stop_sequence',
    subtype: 'success',
    how: 'a failure of the API, which is shown as an answer of its own',
    setup: { replies: [reply('never', { faults: [{ name: 'http-status', status: 400 }] })] },
  },
  {
    word: 'pause_turn',
    subtype: 'success',
    how: 'an answer that was paused more often than it is continued',
    setup: { replies: [reply('Wait.', { faults: ['pause-turn'], times: 11 })] },
  },
];

describe('stop_reason of a result (L7.1)', () => {
  it.each(ROWS)('$word on $subtype: $how', async ({ word, subtype, setup }) => {
    expect(resultOf(await rehearse(setup))).toMatchObject({ stop_reason: word, subtype });
  });

  it('without a query there was no response: null, and no terminal reason', async () => {
    const run = await rehearse({
      prompt: '/version',
      replies: [],
      options: {
        engine: {
          commands: [
            {
              name: 'version',
              description: 'Says it.',
              run: async () => ({ messages: ['1'], shouldQuery: false, resultText: '1' }),
            },
          ],
        },
      },
    });
    expect(resultOf(run)).toMatchObject({ subtype: 'success', stop_reason: null, num_turns: 0, result: '1' });
    expect(resultOf(run)).not.toHaveProperty('terminal_reason');
  });
});

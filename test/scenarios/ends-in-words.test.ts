/** What is left of an end: its result, its notices, and the results of calls that did not run. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createSdkMcpServer, tool } from '@turnwright/engine';
import { reply, toolUse } from '@turnwright/testing/rehearsal';
import { describe, expect, it } from 'vitest';
import { until } from './processes.ts';
import { rehearse, type Setup, successOf } from './rehearse.ts';
import { wholeText } from './sent.ts';

const counting = (events: string[], output = {}) => {
  const hook = (event: string) => [
    {
      hooks: [
        async () => {
          events.push(event);
          return event === 'Stop' ? output : {};
        },
      ],
    },
  ];
  return { Stop: hook('Stop'), StopFailure: hook('StopFailure') };
};

const outputFormat = {
  type: 'json_schema' as const,
  schema: { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] },
};

describe('a refusal', () => {
  it.each([
    ['a call', [toolUse('Bash', { command: 'echo bad >> ran' })]],
    ['a text and a call', ['Hm.', toolUse('Bash', { command: 'echo bad >> ran' })]],
    ['a text', ['No.']],
    ['nothing', ['']],
  ] as const)('of %s is the end: no Stop hook is asked, and it is announced', async (_what, said) => {
    const events: string[] = [];
    const run = await rehearse({
      replies: [reply([...said] as never, { stop_reason: 'refusal' })],
      options: { hooks: counting(events, { decision: 'block', reason: 'Again.' }) },
    });
    expect(successOf(run)).toMatchObject({ stop_reason: 'refusal', is_error: false });
    expect(run.sent).toHaveLength(1);
    expect(events).toEqual(['StopFailure']);
    expect(
      run.messages.filter((m) => 'subtype' in m && m.subtype === 'model_refusal_no_fallback'),
    ).toHaveLength(1);
  });
});

describe('with outputFormat', () => {
  it('Stop hooks run once when the value is accepted, and do not undo it', async () => {
    const events: string[] = [];
    const run = await rehearse({
      replies: [reply(toolUse('StructuredOutput', { n: 1 }))],
      options: { outputFormat, hooks: counting(events, { decision: 'block', reason: 'Not yet.' }) },
    });
    expect(successOf(run)).toMatchObject({ structured_output: { n: 1 }, terminal_reason: 'completed' });
    expect(events).toEqual(['Stop']);
  });

  it('a Stop hook that prevents ends the run that owes the value, which is no success', async () => {
    const run = await rehearse({
      replies: [reply('Three.')],
      partial: true,
      options: { outputFormat, hooks: counting([], { continue: false, stopReason: 'WHY-IT' }) },
    });
    const result = run.messages.findLast(({ type }) => type === 'result');
    expect(result).toMatchObject({
      subtype: 'error_max_structured_output_retries',
      terminal_reason: 'stop_hook_prevented',
      is_error: true,
    });
    expect(JSON.stringify(run.messages)).toContain('ended the run: WHY-IT');
  });
});

/** What ends a turn that owes a value, and gives none. */
const OWED: Readonly<Record<string, readonly [Setup, string]>> = {
  'a refusal': [{ replies: [reply('No.', { stop_reason: 'refusal' })] }, 'completed'],
  'a tool that ends the turn': [
    {
      replies: [reply(toolUse('mcp__host__leave', {}))],
      options: {
        mcpServers: {
          host: createSdkMcpServer({
            name: 'host',
            tools: [
              tool('leave', 'Leaves.', {}, async () => ({
                content: [{ type: 'text', text: 'Left.' }],
                _meta: { 'claude/endTurn': true },
              })),
            ],
          }),
        },
      },
    },
    'completed',
  ],
  'a PostToolUse hook': [
    {
      replies: [reply(toolUse('Glob', { pattern: '*' }))],
      options: { hooks: { PostToolUse: [{ hooks: [async () => ({ continue: false })] }] } },
    },
    'hook_stopped',
  ],
};

it.each(Object.entries(OWED))(
  '%s does not make a success of a value that is owed',
  async (_what, [setup, why]) => {
    const run = await rehearse({ partial: true, ...setup, options: { ...setup.options, outputFormat } });
    const result = run.messages.findLast(({ type }) => type === 'result');
    expect(result).toMatchObject({
      subtype: 'error_max_structured_output_retries',
      is_error: true,
      terminal_reason: why,
      errors: [expect.any(String)],
    });
    expect(result).not.toHaveProperty('structured_output');
  },
);

it('calls that were cut short by a reader that left say so', async () => {
  const before = await rehearse({
    replies: [
      reply([
        toolUse('Bash', { command: 'touch begun; sleep 30' }, 'call_1'),
        toolUse('Bash', { command: 'echo x' }, 'call_2'),
      ]),
    ],
    partial: true,
    onMessage: async (message, { query, cwd }) => {
      if (message.type !== 'assistant') return;
      await until(() => existsSync(join(cwd, 'begun')));
      await query.return(undefined);
    },
  });
  const after = await rehearse({
    place: before,
    prompt: 'On.',
    replies: [reply('Yes.')],
    options: { continue: true },
  });
  const sent = wholeText(after.sent.at(-1));
  expect(sent).toContain('left it while this tool was running');
  expect(sent).toContain('left it before this call ran');
  expect(sent).not.toContain("doesn't want to proceed");
});

it('calls of a run that the turn limit ended have run, and have no words of a refusal', async () => {
  const before = await rehearse({
    replies: [reply([toolUse('Bash', { command: 'echo one' }), toolUse('Bash', { command: 'echo two' })])],
    partial: true,
    options: { maxTurns: 1 },
  });
  expect(before.results.at(-1)).toMatchObject({ terminal_reason: 'max_turns' });
  const after = await rehearse({
    place: before,
    prompt: 'On.',
    replies: [reply('Yes.')],
    options: { continue: true },
  });
  const sent = wholeText(after.sent.at(-1));
  expect(sent).toMatch(/one[\s\S]*two/);
  expect(sent).not.toMatch(/doesn't want to proceed|did not run|refused/);
});

it('calls that money kept from running say so', async () => {
  const before = await rehearse({
    prompt: 'Go.',
    replies: [reply([toolUse('Bash', { command: 'sleep 5' }), toolUse('Bash', { command: 'echo x' })])],
    partial: true,
    options: { maxBudgetUsd: 0.000001 },
  });
  expect(before.messages.at(-1)).toMatchObject({ subtype: 'error_max_budget_usd' });
  const after = await rehearse({
    place: before,
    prompt: 'Here is more.',
    replies: [reply('Thanks.')],
    options: { continue: true },
  });
  expect(wholeText(after.sent.at(-1))).toContain('The budget of the run was used up');
  expect(wholeText(after.sent.at(-1))).not.toContain("doesn't want to proceed");
});

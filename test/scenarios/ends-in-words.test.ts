/** What is left of an end: its result, its notices, and the results of calls that did not run. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createSdkMcpServer, tool } from '../../src/index.ts';
import { reply, toolUse } from '../../src/rehearsal/index.ts';
import { until } from './processes.ts';
import { type Rehearsed, rehearse, type Setup, successOf } from './rehearse.ts';
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

  /** Its end comes some time behind each of its blocks, in a read of its own. */
  const refusalOf = (calls: readonly ReturnType<typeof toolUse>[]) =>
    reply([...calls], { stop_reason: 'refusal', timing: { blockPauseMs: 60 } });
  const bad = (id = 'call_bad') => toolUse('Bash', { command: 'echo bad >> ran' }, id);
  const announced = ({ messages }: Rehearsed) =>
    messages.filter((m) => 'subtype' in m && m.subtype === 'model_refusal_no_fallback');

  it('its call with effects does not run, though the refusal comes behind the block', async () => {
    const run = await rehearse({ replies: [refusalOf([bad()])] });
    expect(successOf(run)).toMatchObject({ stop_reason: 'refusal', terminal_reason: 'completed' });
    expect(existsSync(join(run.cwd, 'ran'))).toBe(false);
    expect(run.sent).toHaveLength(1);
    expect(announced(run)).toHaveLength(1);
    expect(run.entries.filter(({ type }) => type === 'intent')).toEqual([]);
    expect(JSON.stringify(run.entries)).toContain('ended as a refusal, so it did not run');
  });

  it('a call that only reads has run by then, the one behind it has not', async () => {
    const run = await rehearse({
      files: { 'a.txt': 'inside a' },
      replies: [refusalOf([toolUse('Read', { file_path: 'a.txt' }, 'call_read'), bad()])],
    });
    expect(successOf(run).stop_reason).toBe('refusal');
    expect(existsSync(join(run.cwd, 'ran'))).toBe(false);
    expect(run.entries.filter(({ type }) => type === 'intent')).toHaveLength(1);
  });

  it('a call that runs because the answer went on is stopped by the refusal, and says so', async () => {
    const run = await rehearse({
      replies: [refusalOf([toolUse('Bash', { command: 'echo $$ > begun; sleep 30' }, 'call_long'), bad()])],
    });
    expect(successOf(run).stop_reason).toBe('refusal');
    expect(existsSync(join(run.cwd, 'ran'))).toBe(false);
    expect(JSON.stringify(run.entries)).toContain('ended as a refusal while the tool was running');
  });

  it('in an answer that does not stream', async () => {
    const run = await rehearse({
      replies: [reply('Hm.', { faults: [{ name: 'sse-error', after: 1 }] }), refusalOf([bad()])],
    });
    expect(successOf(run).stop_reason).toBe('refusal');
    expect(run.sent.map(({ stream }) => stream)).toEqual([true, false]);
    expect(existsSync(join(run.cwd, 'ran'))).toBe(false);
    expect(announced(run)).toHaveLength(1);
  });

  it('of a subagent: its call does not run, and the main agent goes on', async () => {
    const start = { description: 'try', prompt: 'Try.', subagent_type: 'general-purpose' };
    const run = await rehearse({
      replies: [reply(toolUse('Agent', start)), refusalOf([bad()]), reply('It was refused.')],
    });
    expect(successOf(run)).toMatchObject({ result: 'It was refused.', stop_reason: 'end_turn' });
    expect(existsSync(join(run.cwd, 'ran'))).toBe(false);
    expect(run.sent).toHaveLength(3);
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

import {
  answerOf,
  callOf,
  drain,
  executorOf,
  gateOf,
  hooksOf,
  once,
  resultsOf,
  toolOf,
} from '@turnwright/test/tools/support.ts';
import { describe, expect, test } from 'vitest';
import type { PermissionResult } from '../../src/protocol/tools/permission.ts';
import type { AnyTool } from '../../src/protocol/tools/tool.ts';
import type { ToolCall } from '../../src/protocol/tools/tool-call.ts';
import { createParser } from '../../src/tools/schema/from-json-schema.ts';

const settle = () => new Promise<void>((resolve) => setImmediate(resolve));

const schema = {
  type: 'object',
  properties: { command: { type: 'string' }, timeout: { type: 'number' } },
  required: ['command'],
  additionalProperties: false,
};

/** Echoes its command; notes what ran. */
function echo(parts: Partial<AnyTool> = {}) {
  const ran: unknown[] = [];
  const tool = toolOf('Echo', {
    aliases: ['OldEcho'],
    inputJsonSchema: schema,
    parse: createParser(schema),
    run: async (input: { command: string }) => {
      ran.push(input);
      return { data: { said: input.command }, content: input.command };
    },
    ...parts,
  });
  return { tool, ran };
}

describe('L5 what the engine refuses before running is wrapped', () => {
  test('F149 unknown tool, with a bounded echo; siblings still run', async () => {
    const { tool, ran } = echo();
    const executor = executorOf([tool]);
    executor.add(callOf('N'.repeat(1000)));
    executor.add(callOf('Echo', { command: 'hi' }));
    const [unknown, sibling] = resultsOf(await drain(executor));
    expect(answerOf(unknown!).text).toMatch(
      /^<tool_use_error>Error: No such tool available: N{200}… \(1000 characters in all\)<\/tool_use_error>$/,
    );
    expect(unknown!.trace.outcome).toBe('unknown_tool');
    expect(answerOf(sibling!)).toMatchObject({ text: 'hi', isError: false });
    expect(ran).toHaveLength(1);
  });

  test.each(['echo', 'ECHO', 'e_cho', 'Ehco'])(
    '%s is answered with the name that it resembles',
    async (name) => {
      const unknown = await once(executorOf([echo().tool]), callOf(name, { command: 'hi' }));
      expect(answerOf(unknown).text).toContain(`No such tool available: ${name}. Did you mean Echo?`);
    },
  );

  test('an alias finds the tool', async () => {
    const result = await once(executorOf([echo().tool]), callOf('OldEcho', { command: 'hi' }));
    expect(answerOf(result).text).toBe('hi');
    expect(result.trace.name).toBe('Echo');
  });

  test.each([
    [{}, 'issue: The required parameter `command` is missing'],
    [
      { command: 1 },
      'issue: The parameter `command` is expected to be of type `string` but was provided as `number`',
    ],
    [
      { cmd: 'x', timeout: 'y' },
      'issues:\nThe required parameter `command` is missing\nAn unexpected parameter `cmd` was provided\nThe parameter `timeout` is expected to be of type `number` but was provided as `string`',
    ],
  ])(
    'F146 invalid input %j is refused with field and expectation, and ends nothing',
    async (input, issue) => {
      const { tool, ran } = echo({ run: async () => ({ data: 1, content: 'x', endsTurn: true }) });
      const result = await once(executorOf([tool]), callOf('Echo', input));
      expect(answerOf(result)).toMatchObject({
        isError: true,
        text: `<tool_use_error>InputValidationError: Echo failed due to the following ${issue}</tool_use_error>`,
      });
      expect(result.message).toMatchObject({
        nonExecution: 'invalid',
        toolUseResult: `Error: InputValidationError: Echo failed due to the following ${issue}`,
      });
      expect(result.endsTurn).toBe(false);
      expect(ran).toEqual([]);
    },
  );

  test.each([
    [[1, 2], 'array'],
    ['text', 'string'],
    [null, 'null'],
  ])('F149 input %j is JSON but no object', async (input, type) => {
    const result = await once(executorOf([echo().tool]), callOf('Echo', input));
    expect(answerOf(result).text).toContain(`expected to be of type \`object\` but is of type \`${type}\``);
  });

  test('F147 a call cut by the output limit does not run', async () => {
    const { tool, ran } = echo();
    const result = await once(
      executorOf([tool]),
      callOf('Echo', {}, { unparsed: { raw: '{"command": "rm -rf /tm', cut: true } }),
    );
    expect(answerOf(result).text).toMatch(
      /^<tool_use_error>.*cut off by the output limit.*did not run.*<\/tool_use_error>$/,
    );
    expect(result.message.nonExecution).toBe('cut');
    expect(ran).toEqual([]);
  });

  test('F149 malformed JSON is echoed within bounds', async () => {
    const raw = `{"command": ${'x'.repeat(5000)}`;
    const result = await once(
      executorOf([echo().tool]),
      callOf('Echo', {}, { unparsed: { raw, cut: false } }),
    );
    const { text } = answerOf(result);
    expect(text).toMatch(/^<tool_use_error>InputValidationError: Echo .*not valid JSON/);
    expect(text).toContain('{"command": xxx');
    expect(text.length).toBeLessThan(500);
  });

  test("the tool's own check is wrapped; a check that throws is the tool's failure", async () => {
    const stale = echo({ validateInput: async () => ({ ok: false, message: 'the file is stale' }) });
    const refused = await once(executorOf([stale.tool]), callOf('Echo', { command: 'x' }));
    expect(answerOf(refused).text).toBe('<tool_use_error>the file is stale</tool_use_error>');
    expect(refused.message.nonExecution).toBe('failed_validation');
    const broken = echo({ validateInput: async () => Promise.reject(new Error('no disk')) });
    expect(answerOf(await once(executorOf([broken.tool]), callOf('Echo', { command: 'x' }))).text).toBe(
      'no disk',
    );
  });

  test('what cannot be recorded does not run', async () => {
    const { tool, ran } = echo();
    const gate = gateOf({ recordIntent: async () => Promise.reject(new Error('disk full')) });
    const result = await once(executorOf([tool], { gate }), callOf('Echo', { command: 'x' }));
    expect(answerOf(result).text).toMatch(/^<tool_use_error>Echo did not run.*disk full<\/tool_use_error>$/);
    expect(ran).toEqual([]);
  });
});

describe("a tool's own failure is bare", () => {
  test('isError output, and what it throws', async () => {
    const failing = echo({ run: async () => ({ data: { code: 3 }, content: 'Exit code 3', isError: true }) });
    const failed = await once(executorOf([failing.tool]), callOf('Echo', { command: 'x' }));
    expect(answerOf(failed)).toMatchObject({ text: 'Exit code 3', isError: true });
    expect(failed.message.toolUseResult).toBe('Error: Exit code 3');
    const throwing = echo({
      run: () => {
        throw new Error('kaput');
      },
    });
    const threw = await once(executorOf([throwing.tool]), callOf('Echo', { command: 'x' }));
    expect(answerOf(threw)).toMatchObject({ text: 'kaput', isError: true });
    expect(threw.message.toolUseResult).toBe('Error: kaput');
  });

  test('a huge error message is bounded', async () => {
    const throwing = echo({ run: async () => Promise.reject(new Error('x'.repeat(1_000_000))) });
    expect(
      answerOf(await once(executorOf([throwing.tool]), callOf('Echo', { command: 'x' }))).text.length,
    ).toBeLessThan(11_000);
  });
});

describe('F09 F08 F83 results of any shape', () => {
  test.each([
    ['', '(no output)'],
    [' \n\t', '(no output)'],
    [[], '(no output)'],
    [[{ type: 'text', text: ' ' }], '(no output)'],
    [
      [
        { type: 'text', text: '' },
        { type: 'text', text: 'a' },
      ],
      '[{"type":"text","text":"a"}]',
    ],
  ])('content %j becomes %s', async (content, expected) => {
    const { tool } = echo({ run: async () => ({ data: null, content: content as string }) });
    expect(answerOf(await once(executorOf([tool]), callOf('Echo', { command: 'x' }))).text).toBe(expected);
  });

  test.each([
    [undefined, '(no output)'],
    [null, '(no output)'],
    [42, '42'],
    ['bare', 'bare'],
    [{ a: 1 }, '{"a":1}'],
    [{ content: 5 }, '{"content":5}'],
  ])('a tool that returns %j instead of an output', async (returned, expected) => {
    const { tool } = echo({ run: (async () => returned) as unknown as AnyTool['run'] });
    expect(answerOf(await once(executorOf([tool]), callOf('Echo', { command: 'x' }))).text).toBe(expected);
  });

  test('the result says what it answers, when, and for whom', async () => {
    const call = callOf('Echo', { command: 'hello' });
    const result = await once(executorOf([echo().tool]), call);
    expect(result.message).toMatchObject({
      type: 'user',
      kind: 'tool_result',
      sourceAssistantUuid: call.assistantUuid,
      toolUseResult: { said: 'hello' },
      message: {
        role: 'user',
        content: [{ type: 'tool_result', tool_use_id: call.block.id, content: 'hello' }],
      },
    });
    expect(result.trace).toMatchObject({
      id: call.block.id,
      name: 'Echo',
      outcome: 'ok',
      inputChars: 19,
      resultChars: 5,
      concurrent: false,
    });
    expect(result.trace.endedMs).toBeGreaterThanOrEqual(result.trace.startedMs!);
    expect(result.trace.startedMs).toBeGreaterThanOrEqual(result.trace.queuedMs);
  });

  test('images, extra messages and the end of the turn pass through', async () => {
    const image = {
      type: 'image',
      source: { type: 'base64', media_type: 'image/png', data: 'AA==' },
    } as const;
    const extra = {
      type: 'user',
      uuid: 'u',
      timestamp: 't',
      message: { role: 'user', content: 'more' },
    } as const;
    const { tool } = echo({
      run: async () => ({ data: 1, content: [image], extraMessages: [extra], endsTurn: true }),
    });
    const result = await once(executorOf([tool]), callOf('Echo', { command: 'x' }));
    expect(result).toMatchObject({ endsTurn: true, extraMessages: [extra] });
    expect(answerOf(result).text).toContain('"image/png"');
  });
});

describe('permission', () => {
  const withAsk = (answer: PermissionResult | { behavior: 'pending'; askId: string }, seen: unknown[] = []) =>
    gateOf({
      decide: async () => ({ kind: 'ask', reasonType: 'mode', message: 'May I?' }),
      ask: async (question) => {
        seen.push(question.input);
        return answer;
      },
    });

  test('a rule that denies: bare text, a denial, not run, and the hook PermissionDenied runs', async () => {
    const { tool, ran } = echo();
    const told: unknown[] = [];
    const gate = gateOf({
      decide: async () => ({
        kind: 'deny',
        reasonType: 'rule',
        message: 'Not here.',
        matched: { source: 'session', value: { toolName: 'Echo' } },
      }),
      hooks: hooksOf({
        PermissionDenied: (call) => {
          told.push(call['reason']);
          return {};
        },
      }),
    });
    const result = await once(executorOf([tool], { gate }), callOf('Echo', { command: 'x' }));
    expect(answerOf(result)).toMatchObject({ text: 'Not here.', isError: true });
    expect(result.denial).toEqual({
      tool_name: 'Echo',
      tool_use_id: result.callId,
      tool_input: { command: 'x' },
    });
    expect(result.trace).toMatchObject({
      outcome: 'denied',
      permission: { verdict: 'deny', source: 'rule' },
    });
    expect(result.message.nonExecution).toBe('denied');
    expect(ran).toEqual([]);
    expect(told).toEqual(['Not here.']);
  });

  test('a host that denies may interrupt', async () => {
    const result = await once(
      executorOf([echo().tool], { gate: withAsk({ behavior: 'deny', message: 'No!', interrupt: true }) }),
      callOf('Echo', { command: 'x' }),
    );
    expect(result).toMatchObject({ interrupt: true, denial: { tool_name: 'Echo' } });
    expect(answerOf(result).text).toBe('No!');
    expect(result.trace.permission).toMatchObject({
      verdict: 'deny',
      source: 'host',
      askedMs: expect.any(Number),
    });
  });

  test("a host's input is validated, run and recorded", async () => {
    const { tool, ran } = echo();
    const recorded: unknown[] = [];
    const gate = {
      ...withAsk({ behavior: 'allow', updatedInput: { command: 'safer' } }),
      recordIntent: async (_c: ToolCall, effect: string, input?: unknown) =>
        void recorded.push([effect, input]),
    };
    await once(executorOf([tool], { gate }), callOf('Echo', { command: 'x' }));
    expect(ran).toEqual([{ command: 'safer' }]);
    expect(recorded).toEqual([['unsafe', { command: 'safer' }]]);
    const bad = withAsk({ behavior: 'allow', updatedInput: { command: 5 } });
    expect(
      answerOf(await once(executorOf([tool], { gate: bad }), callOf('Echo', { command: 'x' }))).text,
    ).toMatch(/InputValidationError/);
    expect(ran).toHaveLength(1);
  });

  test('a host cannot rewrite a call into what a rule denies', async () => {
    const { tool, ran } = echo();
    const gate = gateOf({
      decide: async ({ input }) =>
        input['command'] === 'forbidden'
          ? { kind: 'deny', reasonType: 'rule', message: 'Never.' }
          : { kind: 'ask', reasonType: 'mode', message: '?' },
      ask: async () => ({ behavior: 'allow', updatedInput: { command: 'forbidden' } }),
    });
    expect(answerOf(await once(executorOf([tool], { gate }), callOf('Echo', { command: 'x' }))).text).toBe(
      'Never.',
    );
    expect(ran).toEqual([]);
  });

  test('a host that sends back what it saw has changed nothing; what it was shown is a copy', async () => {
    const { tool } = echo();
    const recorded: unknown[] = [];
    const call = callOf('Echo', { command: 'x' });
    const gate = gateOf({
      decide: async () => ({ kind: 'ask', reasonType: 'mode', message: '?' }),
      async ask(question) {
        const same = { ...question.input };
        (question.input as Record<string, unknown>)['command'] = 'tampered';
        return { behavior: 'allow', updatedInput: same };
      },
      recordIntent: async (_c, _e, input) => void recorded.push(input),
    });
    expect(answerOf(await once(executorOf([tool], { gate }), call)).text).toBe('x');
    expect(call.block.input).toEqual({ command: 'x' });
    expect(recorded).toEqual([undefined]);
  });

  test('a call whose answer is pending has no result: it is parked', async () => {
    const executor = executorOf([echo().tool], { gate: withAsk({ behavior: 'pending', askId: 'ask-7' }) });
    const call = callOf('Echo', { command: 'x' });
    executor.add(call);
    executor.delivered(call.block.id);
    expect(await drain(executor)).toEqual([]);
    expect(executor.waits).toEqual([{ on: 'ask', askId: 'ask-7' }]);
  });

  test('F90 a host that throws, and rules that throw, deny', async () => {
    const host = gateOf({
      decide: async () => ({ kind: 'ask', reasonType: 'mode', message: '?' }),
      ask: async () => Promise.reject(new Error('pipe closed')),
    });
    const asked = await once(executorOf([echo().tool], { gate: host }), callOf('Echo', { command: 'x' }));
    expect(answerOf(asked).text).toMatch(/failed: pipe closed/);
    expect(asked.denial).toBeDefined();
    const rules = gateOf({ decide: async () => Promise.reject(new Error('bad rule')) });
    expect(
      (await once(executorOf([echo().tool], { gate: rules }), callOf('Echo', { command: 'x' }))).denial,
    ).toBeDefined();
  });

  test('observers see derived fields, the tool does not', async () => {
    const seen: unknown[] = [];
    const { tool, ran } = echo({
      backfillObservableInput: (input) => {
        input['derived'] = true;
      },
    });
    await once(
      executorOf([tool], { gate: withAsk({ behavior: 'allow' }, seen) }),
      callOf('Echo', { command: 'x' }),
    );
    expect(seen).toEqual([{ command: 'x', derived: true }]);
    expect(ran).toEqual([{ command: 'x' }]);
    const changed = withAsk({ behavior: 'allow', updatedInput: { command: 'y', derived: true } });
    await once(executorOf([tool], { gate: changed }), callOf('Echo', { command: 'x' }));
    expect(ran.at(-1)).toEqual({ command: 'y' });
  });

  test('what a tool only overwrites for observers is shown as the model wrote it', async () => {
    const seen: unknown[] = [];
    const { tool, ran } = echo({
      backfillObservableInput: (input) => {
        input['command'] = 'something else';
      },
    });
    await once(
      executorOf([tool], { gate: withAsk({ behavior: 'allow' }, seen) }),
      callOf('Echo', { command: 'x' }),
    );
    expect(seen).toEqual([{ command: 'x' }]);
    expect(ran).toEqual([{ command: 'x' }]);
  });
});

describe('hooks', () => {
  test('F92 deny beats an allow rule', async () => {
    const { tool, ran } = echo();
    const gate = gateOf({
      hooks: hooksOf({ PreToolUse: () => ({ permission: 'deny', reason: 'not on Sundays' }) }),
    });
    const result = await once(executorOf([tool], { gate }), callOf('Echo', { command: 'x' }));
    expect(answerOf(result)).toMatchObject({
      text: 'PreToolUse:Echo hook error: not on Sundays',
      isError: true,
    });
    expect(result.denial).toBeDefined();
    expect(result.trace.permission).toEqual({ verdict: 'deny', source: 'hook' });
    expect(ran).toEqual([]);
  });

  test('F93 a rewritten input is validated, judged, run and recorded', async () => {
    const { tool, ran } = echo();
    const judged: unknown[] = [];
    const recorded: unknown[] = [];
    const after: unknown[] = [];
    const hooks = hooksOf({
      PreToolUse: () => ({ updatedInput: { command: 'rewritten' }, additionalContext: ['mind the gap'] }),
      PostToolUse: (call) => {
        after.push(call['tool_input'], call['tool_response']);
        return { additionalContext: ['well done'] };
      },
    });
    const gate = gateOf({
      hooks,
      decide: async ({ input }) => {
        judged.push(input);
        return { kind: 'allow', reasonType: 'mode' };
      },
      recordIntent: async (_c, _e, input) => void recorded.push(input),
    });
    const result = await once(executorOf([tool], { gate }), callOf('Echo', { command: 'original' }));
    for (const list of [ran, judged, recorded]) expect(list).toEqual([{ command: 'rewritten' }]);
    expect(after).toEqual([{ command: 'rewritten' }, { said: 'rewritten' }]);
    expect(result.hookContext).toEqual(['mind the gap', 'well done']);
    const invalid = gateOf({ hooks: hooksOf({ PreToolUse: () => ({ updatedInput: { nonsense: 1 } }) }) });
    expect(
      answerOf(await once(executorOf([tool], { gate: invalid }), callOf('Echo', { command: 'x' }))).text,
    ).toMatch(/InputValidationError/);
    expect(ran).toHaveLength(1);
  });

  test.each([
    ['allow', 'ask', 'other', 'runs'],
    ['allow', 'ask', 'mode', 'asks'],
    ['allow', 'ask', 'rule', 'asks'],
    ['allow', 'ask', 'safetyCheck', 'asks'],
    ['allow', 'deny', 'rule', 'denies'],
    ['ask', 'allow', 'mode', 'asks'],
    ['ask', 'deny', 'mode', 'denies'],
    [undefined, 'allow', 'mode', 'runs'],
  ] as const)(
    'a hook that says %s, rules that say %s (%s): %s',
    async (permission, kind, reasonType, expected) => {
      let asked = 0;
      const gate = gateOf({
        hooks: hooksOf({ PreToolUse: () => (permission === undefined ? {} : { permission }) }),
        decide: async () => (kind === 'allow' ? { kind, reasonType } : { kind, reasonType, message: 'm' }),
        ask: async () => {
          asked += 1;
          return { behavior: 'allow' };
        },
      });
      const result = await once(executorOf([echo().tool], { gate }), callOf('Echo', { command: 'x' }));
      expect({ asked, denied: result.denial !== undefined }).toEqual({
        asked: expected === 'asks' ? 1 : 0,
        denied: expected === 'denies',
      });
    },
  );

  test('continue: false before the call stops it; after the call it only stops the run', async () => {
    const { tool, ran } = echo();
    const stop = { preventContinuation: { stopReason: 'enough', hookName: 'h' } };
    const before = await once(
      executorOf([tool], { gate: gateOf({ hooks: hooksOf({ PreToolUse: () => stop }) }) }),
      callOf('Echo', { command: 'x' }),
    );
    expect(before.preventContinuation).toEqual(stop.preventContinuation);
    expect(ran).toEqual([]);
    const after = await once(
      executorOf([tool], { gate: gateOf({ hooks: hooksOf({ PostToolUse: () => stop }) }) }),
      callOf('Echo', { command: 'x' }),
    );
    expect(after.preventContinuation).toEqual(stop.preventContinuation);
    expect(answerOf(after)).toMatchObject({ text: 'x', isError: false });
  });

  test('a hook may replace the output, and its feedback reaches the model', async () => {
    const gate = gateOf({
      hooks: hooksOf({ PostToolUse: () => ({ updatedOutput: 'redacted', blockingErrors: ['look again'] }) }),
    });
    const result = await once(executorOf([echo().tool], { gate }), callOf('Echo', { command: 'secret' }));
    expect(answerOf(result).text).toBe('redacted');
    expect(result.message.toolUseResult).toBe('redacted');
    expect(result.hookContext).toEqual(['look again']);
  });

  test.each([
    ['text', 'redacted', undefined, 'redacted'],
    [
      'content blocks',
      [{ type: 'text', text: 'redacted' }],
      undefined,
      '[{"type":"text","text":"redacted"}]',
    ],
    [
      'data, as the tool shows it',
      { lines: 2 },
      (data: unknown) => `${Object.keys(data as object)}: 2`,
      'lines: 2',
    ],
    ['data that the tool does not show', { lines: 2 }, undefined, '{"lines":2}'],
    ['a list that is no content', [{ lines: 2 }, null], undefined, '[{"lines":2},null]'],
    [
      'data that the tool cannot show',
      { lines: 2 },
      () => {
        throw new Error('kaput');
      },
      '{"lines":2}',
    ],
    ['what no JSON can be made of', { lines: 2n }, undefined, '[object Object]'],
  ] as const)('the output that a hook gives may be %s', async (_, updatedOutput, renderOutput, text) => {
    const gate = gateOf({ hooks: hooksOf({ PostToolUse: () => ({ updatedOutput }) }) });
    const { tool } = echo({ ...(renderOutput && { renderOutput }) });
    const result = await once(executorOf([tool], { gate }), callOf('Echo', { command: 'secret' }));
    expect(answerOf(result).text).toBe(text);
    expect(result.message.toolUseResult).toBe(updatedOutput);
  });

  test.each([
    [
      'its text blocks',
      [{ type: 'text', text: 'one' }, { type: 'image' }, { type: 'text', text: 'two' }],
      'one\ntwo',
    ],
    ['nothing, if it is blank', ' \n', ''],
  ])('PostToolUseFailure receives of a failure %s', async (_, content, text) => {
    const told: unknown[] = [];
    const gate = gateOf({
      hooks: hooksOf({
        PostToolUseFailure: (call) => {
          told.push(call['error']);
          return {};
        },
      }),
    });
    const failing = echo({ run: async () => ({ data: 1, content: content as never, isError: true }) });
    await once(executorOf([failing.tool], { gate }), callOf('Echo', { command: 'x' }));
    expect(told).toEqual([text]);
  });

  test('failures are passed to PostToolUseFailure', async () => {
    const told: unknown[] = [];
    const gate = gateOf({
      hooks: hooksOf({
        PostToolUseFailure: (call) => {
          told.push(call['error']);
          return {};
        },
        PostToolUse: () => {
          told.push('wrong');
          return {};
        },
      }),
    });
    const throwing = echo({ run: async () => Promise.reject(new Error('kaput')) });
    await once(executorOf([throwing.tool], { gate }), callOf('Echo', { command: 'x' }));
    const failing = echo({ run: async () => ({ data: 1, content: 'Exit code 1', isError: true }) });
    await once(executorOf([failing.tool], { gate }), callOf('Echo', { command: 'x' }));
    expect(told).toEqual(['kaput', 'Exit code 1']);
  });
});

describe('L4.1 outward steps wait until the block was taken', () => {
  test('a call without such a step runs at once', async () => {
    const { tool, ran } = echo();
    const executor = executorOf([tool]);
    executor.add(callOf('Echo', { command: 'x' }));
    await settle();
    expect(ran).toHaveLength(1);
  });

  test('hooks wait; so does the call behind them', async () => {
    const { tool, ran } = echo();
    const hooked: unknown[] = [];
    const executor = executorOf([tool], {
      gate: gateOf({
        hooks: hooksOf({
          PreToolUse: (call) => {
            hooked.push(call['tool_use_id']);
            return {};
          },
        }),
      }),
    });
    const call = callOf('Echo', { command: 'x' });
    executor.add(call);
    await settle();
    expect([hooked, ran]).toEqual([[], []]);
    executor.delivered(call.block.id);
    await settle();
    expect(hooked).toEqual([call.block.id]);
    expect(ran).toHaveLength(1);
  });

  test('asking waits; the intent is recorded before the tool runs', async () => {
    const order: string[] = [];
    const { tool } = echo({
      run: async () => {
        order.push('run');
        return { data: 1, content: 'x' };
      },
    });
    const gate = gateOf({
      decide: async () => {
        order.push('decide');
        return { kind: 'ask', reasonType: 'mode', message: '?' };
      },
      ask: async () => {
        order.push('ask');
        return { behavior: 'allow' };
      },
      recordIntent: async () => void order.push('intent'),
    });
    const executor = executorOf([tool], { gate });
    const call = callOf('Echo', { command: 'x' });
    executor.add(call);
    await settle();
    expect(order).toEqual(['decide']);
    executor.delivered(call.block.id);
    await drain(executor);
    expect(order).toEqual(['decide', 'ask', 'intent', 'run']);
  });

  test('a hook only after the call lets the tool run at once', async () => {
    const { tool, ran } = echo();
    const executor = executorOf([tool], { gate: gateOf({ hooks: hooksOf({ PostToolUse: () => ({}) }) }) });
    const call = callOf('Echo', { command: 'x' });
    executor.add(call);
    await settle();
    expect(ran).toHaveLength(1);
    expect(executor.take()).toEqual([]);
    executor.delivered(call.block.id);
    expect(resultsOf(await drain(executor))).toHaveLength(1);
  });
});

/** Each stage of an iteration: what it reports, what it hands on, and what becomes of what throws in it. */

import {
  block,
  broken,
  type CountingLedger,
  callTool,
  fail,
  idleAttachments,
  idleContext,
  loopParams,
  reply,
  retries,
  say,
  scriptedTools,
  think,
  throws,
  virtualClock,
} from '@turnwright/testing';
import { describe, expect, it } from 'vitest';
import type { LoopDeps } from '../../src/loop/deps.ts';
import type {
  CompactionState,
  ContextStep,
  StepInput,
  StepOutcome,
} from '../../src/protocol/model/context.ts';
import type { AttachmentMessage } from '../../src/protocol/model/messages.ts';
import type { AssistantBlock, StreamEvent } from '../../src/protocol/model/wire.ts';
import type { Wait } from '../../src/protocol/session/parking.ts';
import { type HookCall, type HookVerdict, NO_HOOK_VERDICT } from '../../src/protocol/tools/hook.ts';
import { assistants, outline, run, texts } from './run.ts';

const boom = () => {
  throw new Error('boom');
};
const hooksFor = (event: string, verdict: Partial<HookVerdict> | (() => never)) => {
  const calls: HookCall[] = [];
  const hooks: LoopDeps['hooks'] = {
    has: (asked) => asked === event,
    run: async (call) => {
      calls.push(call as HookCall);
      return { ...NO_HOOK_VERDICT, ...(typeof verdict === 'function' ? verdict() : verdict) };
    },
  };
  return { hooks, calls };
};
const withSteps = (...runs: readonly ContextStep['run'][]) => ({
  ...idleContext,
  steps: runs.map((step, n) => ({ name: `step-${n + 1}`, run: step })),
});

describe('the stages that a host hears of', () => {
  it.each([
    [
      'a call',
      [callTool('T'), say('Done.')],
      'compact_check streaming tools compact_check streaming recovery_check',
    ],
    ['an answer', [say('Done.')], 'compact_check streaming recovery_check'],
    ['a model that throws', [throws(new Error('boom'))], 'compact_check streaming'],
  ] as const)('with %s', async (_, steps, expected) => {
    const stages: string[] = [];
    await run({ steps, tools: { T: 'x' }, deps: { onStage: (stage) => stages.push(stage) } });
    expect(stages.join(' ')).toBe(expected);
  });
});

describe('an error ends the run with its message', () => {
  it.each([
    ['a context step', { context: withSteps(boom) }, 0],
    ['the attachments', { attachments: { ...idleAttachments, collect: boom } }, 1],
    ['the hooks after a batch', { hooks: hooksFor('PostToolBatch', boom).hooks }, 1],
    ['a rule', { hooks: hooksFor('Stop', boom).hooks }, 2],
  ] as const)('of %s', async (_, deps, requested) => {
    const { terminal, requests, messages } = await run({
      steps: [callTool('T'), say('Done.')].slice(0, requested),
      tools: { T: 'x' },
      deps,
    });
    expect(terminal).toMatchObject({ reason: 'model_error', errors: ['boom'] });
    expect(requests).toHaveLength(requested);
    expect(texts(messages).at(-1)).toBe('boom');
  });

  it('of a rule after an abort: the abort decides', async () => {
    const params = loopParams();
    const { hooks } = hooksFor('Stop', () => {
      params.scope.abort('user');
      return boom();
    });
    const { terminal, messages } = await run({ steps: [say('Done.')], params, deps: { hooks } });
    expect(terminal.reason).toBe('aborted_streaming');
    expect(texts(messages)).toEqual(['Done.']);
  });
});

describe('what is asked of the model (L3)', () => {
  it('everything that the parameters say, in each request', async () => {
    const edits = { edits: [{ type: 'clear_tool_uses' }] };
    const { requests } = await run({
      steps: [callTool('T'), say('Done.')],
      tools: { T: 'x' },
      params: {
        agentPath: 'lead/worker',
        querySource: 'agent:worker',
        thinking: { type: 'enabled', budgetTokens: 5_000 },
        effort: 'low',
        betas: ['b-1'],
        speed: 'fast',
        taskBudget: { total: 900 },
        taskBudgetRemaining: 700,
        fallbackModels: ['other'],
        system: ['Be brief.'],
        userContext: ['Today.'],
      },
      deps: {
        context: withSteps(() => ({ kind: 'request', contextManagement: edits, why: 'large' })),
      },
    });
    const { view: _, options: __, ...request } = requests[1]!;
    expect(request).toEqual({
      effectKey: 'submission-1/2',
      model: 'test-model',
      tools: [{ name: 'T', input_schema: { type: 'object' } }],
      maxTokens: 13_000,
      querySource: 'agent:worker',
      foreground: true,
      sessionId: 'session-1',
      agentId: 'worker',
      system: ['Be brief.'],
      userContext: ['Today.'],
      thinking: { type: 'enabled', budgetTokens: 5_000 },
      betas: ['b-1'],
      speed: 'fast',
      stream: true,
      fallsBackOn: ['overloaded', 'stalled', 'model_not_found', 'refusal'],
      refusalCredit: {},
      effort: 'low',
      taskBudget: { total: 900, remaining: 700 },
      contextManagement: edits,
    });
  });

  it('and nothing else', async () => {
    const { requests } = await run({
      steps: [say('Done.')],
      params: { foreground: false, fallbackModels: ['b'] },
    });
    const { view: _, options: __, ...request } = requests[0]!;
    expect(Object.keys(request).sort()).toEqual(
      'effectKey foreground maxTokens model querySource sessionId stream system tools userContext'.split(' '),
    );
  });

  it.each([
    [{ maxOutputTokens: 100 }, 100],
    [{ maxOutputTokens: 100_000 }, 64_000],
    [{ thinking: { type: 'enabled', budgetTokens: 100 } }, 8_100],
    [{ thinking: { type: 'adaptive' } }, 8_000],
    [{ thinking: { type: 'enabled', budgetTokens: 100 }, defaultOutputCap: 9_000 }, 9_000],
  ] as const)('with %j at most %i tokens of output', async (params, expected) => {
    const { requests } = await run({ steps: [say('Done.')], params: params as never });
    expect(requests[0]?.maxTokens).toBe(expected);
  });

  it('another model and effort for the rest of the submission, from the request after a skill asked for it', async () => {
    const switches = [undefined, { model: 'other' }, { effort: 'max' as const }, undefined];
    const { requests } = await run({
      steps: [callTool('T'), callTool('T'), callTool('T'), say('Done.')],
      tools: { T: 'x' },
      params: { effort: 'low' },
      deps: { takeSwitch: () => switches.shift() },
    });
    expect(requests.map(({ model, effort }) => [model, effort])).toEqual([
      ['test-model', 'low'],
      ['other', 'low'],
      ['other', 'max'],
      ['other', 'max'],
    ]);
  });
});

describe('the context steps', () => {
  const compaction: CompactionState = {
    rapidRefills: 1,
    consecutiveFailures: 0,
    switchedOff: false,
    warned: true,
  };
  const kept = {
    type: 'user',
    uuid: 'summary',
    timestamp: '',
    message: { role: 'user', content: 'In short.' },
  } as const;

  it('each sees what those before it have changed; edits are recorded under its name', async () => {
    const inputs: StepInput[] = [];
    const outcomes: StepOutcome[] = [
      {
        kind: 'edits',
        source: 'snip',
        edits: [{ kind: 'remove', uuids: ['prompt-1'] }],
        why: 'old',
        tokensFreed: 2,
      },
      { kind: 'note', compaction, why: 'counted' },
      {
        kind: 'edits',
        source: 'boundary',
        edits: [{ kind: 'reset', head: [kept], keep: [], tail: [] }],
        why: 'full',
        tokensFreed: 50,
        compaction: { ...compaction, rapidRefills: 2 },
      } as StepOutcome,
      { kind: 'skip', why: 'done' },
    ];
    const { requests, decisions, bodies } = await run({
      steps: [say('Done.')],
      deps: {
        context: {
          ...withSteps(
            ...outcomes.map((outcome) => (input: StepInput) => {
              inputs.push(input);
              return outcome;
            }),
          ),
          measure: ({ view }) => ({
            tokens: 10 + view.length,
            overheadTokens: 10,
            factor: 2,
            leastCounted: 3,
          }),
        },
      },
    });
    expect(
      inputs.map(({ view, estimateTokens, compaction: known, compactedInThisPass, fresh }) => [
        view.length,
        estimateTokens,
        known.rapidRefills,
        compactedInThisPass,
        fresh.length,
      ]),
    ).toEqual([
      [1, 11, 0, false, 1],
      [0, 7, 0, false, 0],
      [0, 7, 1, false, 0],
      [1, 11, 2, true, 0],
    ]);
    expect(inputs[0]).toMatchObject({ overheadTokens: 10, tokenFactor: 2, leastCounted: 3, turnCount: 1 });
    expect(inputs[0]).toMatchObject({
      model: 'test-model',
      effectKey: 'submission-1/1/0/step',
      querySource: 'main',
    });
    expect(requests[0]?.view).toEqual([kept]);
    expect(bodies.slice(0, 2)).toMatchObject([
      { type: 'snip', id: 'submission-1/1/0/edit/step-1', why: 'old' },
      { type: 'boundary', id: 'submission-1/1/0/edit/step-3', why: 'full' },
    ]);
    const ran = (step: string, why: string) => ({ step, ran: true, why, ms: expect.any(Number) });
    expect(decisions[0]?.prepare).toEqual([
      { ...ran('step-1', 'old'), tokensBefore: 11, tokensAfter: 7 },
      { ...ran('step-2', 'counted'), tokensBefore: 7 },
      { ...ran('step-3', 'full'), tokensBefore: 7, tokensAfter: 11 },
      { step: 'step-4', ran: false, why: 'done' },
    ]);
    expect(decisions[0]).toMatchObject({
      view: { length: 1, tokens: 11 },
      context: { used: 11, overhead: 10 },
    });
  });

  it('what one announces is shown at once; messages of its edit only once that is recorded', async () => {
    const metadata = { trigger: 'auto', pre_tokens: 300 } as const;
    let passes = 0;
    const { requests, bodies, messages } = await run({
      steps: [callTool('T'), say('Done.')],
      tools: { T: 'x' },
      params: { taskBudget: { total: 900 }, taskBudgetRemaining: 700 },
      deps: {
        context: withSteps(() => async (output) => {
          if (++passes > 1) return { kind: 'skip', why: 'small' };
          await output.emit([
            {
              type: 'system',
              subtype: 'compact_boundary',
              uuid: 'b',
              timestamp: '',
              compact_metadata: metadata,
            },
            kept,
          ] as never);
          return {
            kind: 'edits',
            source: 'boundary',
            edits: [{ kind: 'reset', head: [kept], keep: [], tail: [] }],
            why: 'full',
            tokensFreed: 5,
            compaction,
          } as StepOutcome;
        }),
      },
    });
    expect(bodies.slice(0, 2).map(({ type }) => type)).toEqual(['system', 'boundary']);
    expect(outline(messages).slice(0, 2)).toEqual(['system:compact_boundary', 'user']);
    expect(requests.map(({ taskBudget }) => taskBudget)).toEqual([
      { total: 900, remaining: 400 },
      { total: 900, remaining: 400 },
    ]);
  });

  it('an abort by the last of them ends the run before a request is made', async () => {
    const params = loopParams();
    const stages: string[] = [];
    const { terminal, requests } = await run({
      steps: [],
      params,
      deps: {
        onStage: (stage) => stages.push(stage),
        context: withSteps(() => {
          params.scope.abort('user');
          return { kind: 'skip', why: 'x' };
        }),
      },
    });
    expect([terminal.reason, requests.length]).toEqual(['aborted_streaming', 0]);
    expect(stages).not.toContain('streaming');
  });

  it('an abort between two of them ends the run', async () => {
    const params = loopParams();
    const { terminal, requests } = await run({
      steps: [],
      params,
      deps: {
        context: withSteps(() => {
          params.scope.abort('user');
          return { kind: 'skip', why: 'x' };
        }, boom),
      },
    });
    expect([terminal.reason, requests.length]).toEqual(['aborted_streaming', 0]);
  });
});

describe('the blocks of a response', () => {
  /** A model that sends these events as one read. */
  const sends = (events: readonly StreamEvent[]): LoopDeps['callModel'] =>
    async function* (_, { retry }) {
      const message = { id: 'm', type: 'message', role: 'assistant', model: 'real', content: [] };
      yield {
        kind: 'events',
        events: [
          {
            type: 'message_start',
            message: { ...message, stop_reason: null, stop_sequence: null, usage: { input_tokens: 7 } },
          },
          ...events,
          { type: 'message_delta', delta: { stop_reason: 'end_turn', stop_sequence: null } },
          { type: 'message_stop' },
        ] as never,
      };
      return { kind: 'complete', retry, attempts: [] };
    };
  const start = (index: number, content_block: AssistantBlock) =>
    ({ type: 'content_block_start', index, content_block }) as const;
  const delta = (index: number, given: object) =>
    ({ type: 'content_block_delta', index, delta: given }) as never;
  const end = (index: number) => ({ type: 'content_block_stop', index }) as const;

  it('begin with what their first event holds, and keep citations, signatures and what the server ran', async () => {
    const searched = {
      type: 'server_tool_use',
      id: 's',
      name: 'web_search',
      input: {},
    } as unknown as AssistantBlock;
    const { messages } = await run({
      steps: [],
      deps: {
        callModel: sends([
          start(0, { type: 'thinking', thinking: 'So', signature: 'old' }),
          delta(0, { type: 'thinking_delta', thinking: ' it is.' }),
          end(0),
          start(1, searched),
          end(1),
          start(2, { type: 'text', text: 'A' }),
          delta(2, { type: 'text_delta', text: ' fact.' }),
          delta(2, { type: 'citations_delta', citation: { url: 'u' } }),
          delta(2, { type: 'future_delta' }),
          end(2),
          start(3, { type: 'text', text: '' }),
          ...Array.from({ length: 600 }, (_, n) => delta(3, { type: 'text_delta', text: `${n % 10}` })),
          end(3),
        ]),
      },
    });
    expect(assistants(messages).map(({ message }) => message.content[0])).toEqual([
      { type: 'thinking', thinking: 'So it is.', signature: 'old' },
      searched,
      { type: 'text', text: 'A fact.', citations: [{ url: 'u' }] },
      { type: 'text', text: '0123456789'.repeat(60) },
    ]);
    expect(assistants(messages)[0]?.message).toMatchObject({
      id: 'm',
      model: 'real',
      usage: { input_tokens: 7 },
    });
  });

  it('a call whose input comes with its first event has it, and one without input has none', async () => {
    const tools = scriptedTools({ T: () => ({ content: 'x', endsTurn: true }) });
    await run({
      steps: [],
      deps: {
        tools,
        callModel: sends([
          start(0, { type: 'tool_use', id: 'a', name: 'T', input: { n: 1 } }),
          end(0),
          start(1, { type: 'tool_use', id: 'b', name: 'T' } as never),
          end(1),
          start(2, { type: 'tool_use', id: 'c', name: 'T', input: {} }),
          delta(2, { type: 'input_json_delta', partial_json: '[1]' }),
          end(2),
        ]),
      },
    });
    expect(tools.added.map(({ block: { id, input }, unparsed }) => [id, input, unparsed])).toEqual([
      ['a', { n: 1 }, undefined],
      ['b', {}, undefined],
      ['c', { __unparsedToolInput: { raw: '[1]', len: 3 } }, { raw: '[1]', cut: false }],
    ]);
  });

  it('a call that the output cap cut does not run where complete ones precede it, and says so', async () => {
    const cut = { rawInput: '{"path": "/a', id: 'b' };
    const { tools, requests } = await run({
      steps: [
        reply([callTool('T', {}, { id: 'a' }), callTool('T', {}, cut)], { stopReason: 'max_tokens' }),
        callTool('T', {}, { id: 'c' }),
        say('Done.'),
      ],
      tools: { T: 'x' },
    });
    expect(tools.added.map(({ block: { id }, unparsed }) => [id, unparsed?.cut])).toEqual([
      ['a', undefined],
      ['b', true],
      ['c', undefined],
    ]);
    // One request with a larger cap.
    expect(requests.map(({ maxTokens }) => maxTokens)).toEqual([8_000, 64_000, 8_000]);
  });

  it('a thought says how long it took, and how it is displayed; fields that a tool derives are recorded', async () => {
    let now = 0;
    const clock = { ...virtualClock(), monotonicMs: () => (now += 1.4) };
    const tools = scriptedTools(
      { T: () => ({ content: 'x', endsTurn: true }) },
      { backfill: (call) => ({ ...call, input: { ...call.input, path: '/work/a' } }) },
    );
    const { messages } = await run({
      steps: [reply([think(), callTool('T', { n: 1, path: 'a' }), callTool('T', { path: '/work/a' })])],
      params: { thinking: { type: 'adaptive', display: 'omitted' } as never },
      deps: { clock, tools: { ...tools, mcpOf: () => ({ server: 's' }) as never } },
    });
    const [thought, call, absolute] = assistants(messages);
    expect(thought?.thought).toEqual({ durationMs: expect.any(Number), display: 'omitted' });
    expect(Number.isInteger(thought?.thought?.durationMs)).toBe(true);
    expect(thought?.thought?.durationMs).toBeGreaterThan(0);
    expect(thought?.thought?.durationMs).toBeLessThan(50);
    expect(call).toMatchObject({ derivedInput: { path: '/work/a' }, mcp: { server: 's' } });
    expect(call?.derivedInput).not.toHaveProperty('n');
    expect(absolute).not.toHaveProperty('derivedInput');
    expect(absolute).not.toHaveProperty('thought');
    expect(messages.find(({ type }) => type === 'stream_events')).toMatchObject({
      thinkingDisplay: 'omitted',
      ttftMs: 0,
    });
  });
});

describe('the end of a response', () => {
  const settledBy = ({ ledger }: Pick<LoopDeps, 'ledger'>) => (ledger as CountingLedger).settled;

  it('is paid for and recorded: a complete one as it was reported, a broken one by its characters', async () => {
    const { deps, bodies } = await run({
      steps: [
        broken({ after: [say('x'.repeat(41))], options: { usage: { output_tokens: 0 } } }),
        broken({ after: [say('x'.repeat(41))], options: { usage: { output_tokens: 1 } } }),
        say('Done.', { usage: { output_tokens: 2 } }),
      ],
      params: { depth: 1, querySource: 'agent:worker' },
    });
    const common = { model: 'test-model', main: false, querySource: 'agent:worker' };
    expect(settledBy(deps)).toEqual([
      {
        ...common,
        effectKey: 'submission-1/1/1/model',
        usage: expect.objectContaining({ output_tokens: 11 }),
        wasted: true,
      },
      {
        ...common,
        effectKey: 'submission-1/1/2/model',
        usage: expect.objectContaining({ output_tokens: 11 }),
        wasted: true,
      },
      {
        ...common,
        effectKey: 'submission-1/1/3/model',
        usage: expect.objectContaining({ output_tokens: 2 }),
      },
    ]);
    const responses = bodies.filter(({ type }) => type === 'response');
    const recorded = {
      type: 'response',
      submission: 'submission-1',
      iteration: 1,
      model: 'test-model',
      usage: expect.anything(),
      costUsd: 0,
    };
    expect(responses).toEqual([
      {
        ...recorded,
        id: 'submission-1/1/1/response',
        messageId: 'msg_1',
        stopReason: null,
        broken: true,
        requestId: 'req_1',
      },
      {
        ...recorded,
        id: 'submission-1/1/2/response',
        messageId: 'msg_2',
        stopReason: null,
        broken: true,
        requestId: 'req_2',
      },
      {
        ...recorded,
        id: 'submission-1/1/3/response',
        messageId: 'msg_3',
        stopReason: 'end_turn',
        requestId: 'req_3',
      },
    ]);
    const settled = bodies.flatMap((body) =>
      body.type === 'assistant' && body.settled === true ? [body.iteration] : [],
    );
    expect(settled).toEqual([1, 1]);
  });

  it('an attempt that broke off within a thought is estimated by the thought', async () => {
    const { deps } = await run({
      steps: [
        broken({ after: [think('x'.repeat(40))], options: { usage: { output_tokens: 0 } } }),
        say('Done.'),
      ],
    });
    expect(settledBy(deps)[0]?.usage.output_tokens).toBe(10);
  });

  it('a block that was refused and cannot be replaced is an error of the request, not of an image', async () => {
    const refused = { kind: 'invalid_request', status: 400, block: { at: 0 } } as never;
    const { terminal } = await run({ steps: [fail(refused)] });
    expect(terminal.reason).toBe('api_error');
  });

  it('a call without input at the end of an answer that gives no reason runs all the same', async () => {
    const { tools } = await run({
      steps: [callTool('T', {}, { rawInput: '', stopReason: null }), say('Done.')],
      tools: { T: 'x' },
    });
    expect(tools.added.map(({ block: { input }, unparsed }) => [input, unparsed])).toEqual([[{}, undefined]]);
  });

  it('calibrates the estimates and asks the watch over the prompt cache', async () => {
    const calibrated: unknown[] = [];
    const answered: unknown[] = [];
    const usage = {
      input_tokens: 100,
      cache_read_input_tokens: 20,
      cache_creation_input_tokens: 3,
      output_tokens: 9,
    };
    const report = {
      expectedReadTokens: 40,
      break: { kind: 'tools', tokens: 20, why: 'a tool is new' },
    } as const;
    const { messages, decisions } = await run({
      steps: [say('Done.', { usage, contextManagement: { applied: 1 } })],
      params: { showCacheBreaks: true },
      deps: {
        context: {
          ...withSteps(() => ({ kind: 'edits', source: 'snip', edits: [], why: 'x', tokensFreed: 0 })),
          calibrate: (...given) => void calibrated.push(given),
          appliedEdits: (applied) => ({
            subtype: 'informational',
            level: 'info',
            content: JSON.stringify(applied),
          }),
        },
        cacheWatch: {
          answered: (_, known, editedBy) => {
            answered.push([known.cache_read_input_tokens, editedBy]);
            return report;
          },
        },
      },
    });
    expect(calibrated).toEqual([[1, 123, 'test-model']]);
    expect(answered).toEqual([[20, ['step-1']]]);
    expect(messages.flatMap((message) => (message.type === 'system' ? [message] : []))).toMatchObject([
      { content: '{"applied":1}' },
      {
        subtype: 'informational',
        level: 'info',
        content: 'The prompt cache was missed for 20 tokens: a tool is new.',
      },
    ]);
    expect(decisions[0]?.cache).toEqual({ readTokens: 20, writtenTokens: 3, ...report });
  });

  it('of a request that a recovery made smaller, the watch hears of that', async () => {
    const heard: unknown[] = [];
    const edits = { kind: 'edits', source: 'boundary', edits: [], tokensFreed: 5, compacted: true } as const;
    const passes: boolean[] = [];
    const { decisions } = await run({
      steps: [fail({ kind: 'prompt_too_long', status: 400 }), say('Done.')],
      deps: {
        context: {
          ...withSteps((input) => {
            passes.push(input.compactedInThisPass);
            return { kind: 'skip', why: 'x' };
          }),
          recovery: {
            ...idleContext.recovery,
            reactiveCompact: () => () => edits as never,
          },
        },
        cacheWatch: {
          answered: (_, __, editedBy) => {
            heard.push(editedBy);
            return {};
          },
        },
      },
    });
    expect(decisions.map((record) => record.in)).toEqual([undefined, 'reactive_compact_retry']);
    expect(heard).toEqual([['reactive_compact_retry']]);
    expect(passes).toEqual([false, true]);
  });

  it.each([
    [{}, false],
    [{ isUnlimited: true }, true],
  ])('of a retry it is said whether it has a limit: %o', async (notice, isUnlimited) => {
    const { messages } = await run({ steps: [retries([notice], say('ok'))] });
    const said = messages.find(({ type }) => type === 'system');
    expect(said).toMatchObject({ subtype: 'api_retry' });
    expect('is_unlimited' in (said ?? {})).toBe(isUnlimited);
  });

  it('a retry and each attempt are recorded with what they are about', async () => {
    const { bodies, messages } = await run({ steps: [retries([{}], say('ok'))], params: { attemptBase: 4 } });
    expect(messages.find(({ type }) => type === 'system')).toMatchObject({
      subtype: 'api_retry',
      attempt: 1,
      max_retries: 10,
      retry_delay_ms: 500,
      error_status: 529,
      error: 'overloaded',
      error_message: 'Overloaded',
    });
    expect(bodies.filter(({ type }) => type === 'system')).toEqual(
      messages
        .filter(({ type }) => type === 'system')
        .map((message) => ({ ...message, submission: 'submission-1' })),
    );
    const request = {
      type: 'request',
      submission: 'submission-1',
      iteration: 1,
      model: 'test-model',
      maxTokens: 8_000,
      querySource: 'main',
    };
    expect(bodies.filter(({ type }) => type === 'request')).toEqual([
      { ...request, id: 'submission-1/1/5/request', attempt: 5 },
      { ...request, id: 'submission-1/1/6/request', attempt: 6 },
    ]);
    expect(messages.filter(({ type }) => type === 'stream_request_start')).toHaveLength(2);
  });
});

describe('after the tools', () => {
  const attachment = (type: string, uuid: string): AttachmentMessage =>
    ({ type: 'attachment', uuid, timestamp: '', attachment: { type }, rendered: [] }) as never;

  it('a hook sees the batch with the text of each result; its context goes to the model with that of the calls', async () => {
    const { hooks, calls } = hooksFor('PostToolBatch', { additionalContext: ['of the batch'] });
    const { requests } = await run({
      steps: [reply([callTool('T', { n: 1 }, { id: 'a' }), callTool('U', {}, { id: 'b' })]), say('Done.')],
      tools: {
        T: () => ({ content: [{ type: 'text', text: 'found' }], hookContext: ['of the call'] }),
        U: () => ({ content: '' }),
      },
      deps: { hooks },
    });
    expect(calls).toEqual([
      {
        event: 'PostToolBatch',
        tool_calls: [
          { tool_name: 'T', tool_input: { n: 1 }, tool_use_id: 'a', tool_response: 'found' },
          { tool_name: 'U', tool_input: {}, tool_use_id: 'b', tool_response: '' },
        ],
      },
    ]);
    expect(requests[1]?.view.at(-1)).toMatchObject({
      attachment: { type: 'hook_context', event: 'PostToolUse', content: ['of the call', 'of the batch'] },
      rendered: [{ text: expect.stringContaining('of the call\nof the batch') }],
    });
  });

  it.each([
    [{ blockingErrors: ['enough', 'more'] }, 'enough'],
    [{ preventContinuation: { stopReason: 'policy' }, blockingErrors: ['enough'] }, 'policy'],
  ])('a hook that answers %j ends the run before anything is collected', async (verdict, why) => {
    const { messages, terminal } = await run({
      steps: [callTool('T')],
      tools: { T: 'x' },
      deps: {
        hooks: hooksFor('PostToolBatch', verdict).hooks,
        attachments: { ...idleAttachments, collect: boom },
      },
    });
    expect(terminal.reason).toBe('hook_stopped');
    expect(JSON.stringify(messages.at(-1))).toContain(why);
  });

  it('attachments are collected with the calls and join the next request; a prompt that joined leaves the queue', async () => {
    const inputs: unknown[] = [];
    const consumed = [['q1'], []];
    const { requests, bodies } = await run({
      steps: [callTool('T', {}, { id: 'a' }), callTool('T', {}, { id: 'b' }), say('Done.')],
      tools: { T: 'x' },
      deps: {
        attachments: {
          collect({ toolUses, results, turnCount }) {
            inputs.push([toolUses.map(({ id }) => id), results.length, turnCount]);
            return turnCount === 1 ? [attachment('queued_command', 'joined')] : [];
          },
          acknowledge: () => consumed.shift() ?? [],
        },
      },
    });
    expect(inputs).toEqual([
      [['a'], 1, 1],
      [['b'], 1, 2],
    ]);
    expect(requests[1]?.view.at(-1)?.uuid).toBe('joined');
    expect(
      bodies.flatMap((body) => (body.type === 'inbox' || body.type === 'retract' ? [body] : [])),
    ).toEqual([
      { type: 'inbox', id: 'submission-1/1/1/inbox', submission: 'submission-1', consumed: ['q1'] },
    ]);
  });

  it('a queued prompt that joined is retracted when the run ends after all', async () => {
    const { bodies, terminal } = await run({
      steps: [callTool('T')],
      tools: { T: 'x' },
      params: { maxTurns: 1 },
      deps: {
        attachments: {
          ...idleAttachments,
          collect: () => [attachment('todo', 'other'), attachment('queued_command', 'joined')],
        },
      },
    });
    expect(terminal.reason).toBe('max_turns');
    expect(bodies.filter(({ type }) => type === 'retract')).toEqual([
      {
        type: 'retract',
        id: 'submission-1/1/1/retract/joined',
        submission: 'submission-1',
        uuids: ['joined'],
        reason: 'superseded',
      },
    ]);
  });

  it('nothing is collected after an error, and none of the calls is asked for again', async () => {
    let collected = 0;
    const { terminal, tools } = await run({
      steps: [callTool('T')],
      tools: { T: 'x' },
      deps: {
        context: { ...idleContext, keepResult: boom },
        attachments: { ...idleAttachments, collect: () => [attachment('todo', `${++collected}`)] },
      },
    });
    expect(terminal).toMatchObject({ reason: 'model_error', errors: ['boom'] });
    expect([collected, tools.added.length]).toEqual([0, 1]);
  });

  it('a summary of the calls is started with their results, and shown once it is there', async () => {
    const started: unknown[] = [];
    const taken: string[] = [];
    const summary = { type: 'tool_use_summary', uuid: 's', timestamp: '', summary: 'Looked.' };
    const { messages } = await run({
      steps: [
        callTool('T', {}, { id: 'a' }),
        callTool('T', {}, { id: 'b' }),
        callTool('T', {}, { id: 'c' }),
        say('Done.'),
      ],
      tools: { T: 'x' },
      deps: {
        toolUseSummary: {
          start(toolUses, results) {
            started.push([toolUses.map(({ id }) => id), results.length]);
            return `key-${started.length}`;
          },
          take(key) {
            taken.push(key);
            return key === 'key-2' ? (summary as never) : undefined;
          },
        },
      },
    });
    expect(started).toEqual([
      [['a'], 1],
      [['b'], 1],
      [['c'], 1],
    ]);
    expect(taken).toEqual(['key-1', 'key-2', 'key-3']);
    expect(outline(messages).filter((word) => word === 'tool_use_summary')).toHaveLength(1);
  });

  it('tools are left alone only where a call waits for another run', async () => {
    let left = 0;
    const asked = { on: 'ask', askId: 'q' } as const;
    const waiting = (waits: readonly Wait[]): LoopDeps['tools'] => {
      const tools = scriptedTools({ T: 'x' });
      const open: LoopDeps['tools']['open'] = (input) => {
        const executor = tools.open(input);
        return new Proxy(executor, {
          get(target, name: keyof typeof executor) {
            if (name === 'waits') return waits;
            if (name === 'leave') return () => void left++;
            return target[name];
          },
        });
      };
      return { ...tools, open };
    };
    await run({ steps: [callTool('T'), say('Done.')], deps: { tools: waiting([]) } });
    expect(left).toBe(0);
    await expect(
      run({ steps: [callTool('T')], deps: { tools: waiting([asked]), parking: { isTooLong: () => true } } }),
    ).rejects.toThrow('parked');
    expect(left).toBe(1);
  });

  it('what a Stop hook adds sends the model back, as context and not as a prompt', async () => {
    let stops = 0;
    const { requests } = await run({
      steps: [say('Done.'), say('Really done.')],
      deps: {
        hooks: {
          has: (event) => event === 'Stop',
          run: async () => ({ ...NO_HOOK_VERDICT, additionalContext: stops++ === 0 ? ['Look again.'] : [] }),
        },
      },
    });
    expect(requests[1]?.view.at(-1)).toMatchObject({
      attachment: { type: 'hook_context', event: 'Stop', content: ['Look again.'] },
      rendered: [{ text: expect.stringContaining('Stop hook: Look again.') }],
    });
  });

  it('content that no one can read counts as an answer', async () => {
    const { terminal } = await run({
      steps: [block({ type: 'server_tool_use', id: 's', name: 'n', input: {} } as never)],
    });
    expect(terminal.reason).toBe('completed');
  });
});

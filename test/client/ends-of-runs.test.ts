/**
 * How each run ends: what was said until then, in order, and what the result says (L7.1). One row per ending that the
 * field's own engine was seen to have, through both doors.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ScriptedReply } from '@turnwright/testing/rehearsal';
import { reply, thinking, toolUse } from '@turnwright/testing/rehearsal';
import { expect, it } from 'vitest';
import { everyNth } from '../long-form.ts';
import { wideImage } from '../scenarios/images.ts';
import { outline } from '../scenarios/outline.ts';
import {
  type CaseOptions,
  gather,
  type Message,
  type Prompt,
  prompt,
  prompts,
  type Running,
  throughBothDoors,
} from './doors.ts';

interface Row {
  readonly how: string;
  readonly replies: readonly ScriptedReply[];
  readonly prompt?: Prompt['message']['content'];
  readonly options?: CaseOptions;
  readonly env?: Readonly<Record<string, string>>;
  /** Called with each message. */
  readonly act?: (message: Message, running: Running) => void;
  readonly files?: Readonly<Record<string, string>>;
  readonly requests: number;
  readonly says: readonly string[];
  /** Which comes first is a race that nobody relies on. */
  readonly inAnyOrder?: true;
  /** Exactly these of the fields that tell how it ended. */
  readonly ends: {
    readonly subtype: string;
    readonly is_error: boolean;
    readonly stop_reason: string | null;
    readonly num_turns: number;
    readonly terminal_reason?: string;
    readonly api_error_status?: number | null;
    readonly result?: unknown;
    readonly errors?: unknown;
  };
}

const bash = (command: string, id?: string) => toolUse('Bash', { command }, id);
const echo = (times?: 'any') => reply(bash('echo hi'), times === undefined ? {} : { times });
const failing = (status: number, more: object = {}) =>
  reply('never', { faults: [{ name: 'http-status', status, ...more }], times: 'any' });
const schema = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] };
const asStructured = { outputFormat: { type: 'json_schema', schema } };
const hook = (event: string, answer: unknown) => ({ hooks: { [event]: [{ hooks: [async () => answer] }] } });
const pairs = (count: number, pair: readonly string[]) => Array.from({ length: count }, () => pair).flat();
const CALL = ['tool_use', 'tool_result'];
const some = expect.any(String);

const success = {
  subtype: 'success',
  is_error: false,
  terminal_reason: 'completed',
  stop_reason: 'end_turn',
};
/** A failure that is shown: a success in shape. */
const shown = { subtype: 'success', is_error: true, stop_reason: 'stop_sequence', result: some };

const PLAIN: readonly Row[] = [
  {
    how: 'a plain answer',
    replies: [reply('Hi.')],
    requests: 1,
    says: ['init', 'text', 'result:success'],
    ends: { ...success, num_turns: 1, result: 'Hi.' },
  },
  {
    how: 'one tool',
    replies: [echo(), reply('Done.')],
    requests: 2,
    says: ['init', ...CALL, 'text', 'result:success'],
    ends: { ...success, num_turns: 2, result: 'Done.' },
  },
  {
    how: 'three tools in one answer: each result is a message of its own',
    replies: [reply([bash('echo 1'), bash('echo 2'), bash('echo 3')]), reply('Done.')],
    requests: 2,
    says: ['init', ...CALL, ...CALL, ...CALL, 'text', 'result:success'],
    inAnyOrder: true,
    ends: { ...success, num_turns: 4, result: 'Done.' },
  },
  {
    how: 'thinking alone is asked again once, and then an empty answer',
    replies: [reply(thinking('Hm.')), reply(thinking('Hm.'))],
    requests: 2,
    says: ['init', 'thinking', 'synthetic', 'thinking', 'result:success'],
    ends: { ...success, num_turns: 2, result: '' },
  },
  {
    how: 'a stop sequence',
    replies: [reply('Up to here', { stop_reason: 'stop_sequence', stop_sequence: 'END' })],
    requests: 1,
    says: ['init', 'text', 'result:success'],
    ends: { ...success, stop_reason: 'stop_sequence', num_turns: 1, result: 'Up to here' },
  },
  {
    how: 'a pause: the model goes on, and the answer is whole',
    replies: [reply('Wait.', { faults: ['pause-turn'] }), reply(' Here.')],
    requests: 2,
    says: ['init', 'text', 'synthetic', 'text', 'result:success'],
    ends: { ...success, num_turns: 2, result: 'Wait. Here.' },
  },
  {
    how: 'a refusal, which is an answer (L7.1)',
    replies: [reply('I will not.', { faults: ['refusal'] })],
    requests: 1,
    says: ['init', 'text', 'model_refusal_no_fallback', 'result:success'],
    ends: { ...success, stop_reason: 'refusal', num_turns: 1, result: 'I will not.' },
  },
  {
    how: 'the output cap of a first request: asked again with more room, the cut text is taken back',
    replies: [reply('so on '.repeat(8_000)), reply('All of it.')],
    requests: 2,
    says: ['init', 'text', 'text, supersedes 1', 'result:success'],
    ends: { ...success, num_turns: 1, result: 'All of it.' },
  },
  {
    how: 'the end of the window: the text is kept and the model goes on',
    replies: [reply('Half', { faults: ['model-context-window-exceeded'] }), reply('and half.')],
    requests: 2,
    says: ['init', 'text', 'synthetic', 'text', 'result:success'],
    ends: { ...success, num_turns: 2, result: 'Halfand half.' },
  },
  {
    how: 'the output cap once: the text is kept and the model goes on',
    env: { CLAUDE_CODE_MAX_OUTPUT_TOKENS: '2000' },
    replies: [reply('so on '.repeat(2_000)), reply('and the end.')],
    requests: 2,
    says: ['init', 'text', 'synthetic', 'text', 'result:success'],
    ends: { ...success, num_turns: 2, result: expect.stringMatching(/^so on so on[\s\S]*and the end\.$/) },
  },
];

const LIMITS: readonly Row[] = [
  {
    how: 'maxTurns',
    replies: [echo('any')],
    options: { maxTurns: 2 },
    requests: 2,
    says: ['init', ...CALL, ...CALL, 'result:error_max_turns'],
    ends: {
      subtype: 'error_max_turns',
      is_error: true,
      terminal_reason: 'max_turns',
      stop_reason: 'tool_use',
      num_turns: 3,
      errors: ['Reached maximum number of turns (2)'],
    },
  },
  {
    how: 'maxBudgetUsd, crossed by an answer with a call',
    replies: [echo(), reply(bash('echo hi'), { usage: { output_tokens: 500_000 } })],
    options: { maxBudgetUsd: 1 },
    requests: 2,
    says: ['init', ...CALL, 'tool_use', 'result:error_max_budget_usd'],
    ends: {
      subtype: 'error_max_budget_usd',
      is_error: true,
      terminal_reason: 'budget_exhausted',
      stop_reason: 'tool_use',
      num_turns: 2,
      errors: ['Reached maximum budget ($1)'],
    },
  },
  {
    how: 'a value of the schema',
    replies: [reply(toolUse('StructuredOutput', { n: 3 }))],
    options: asStructured,
    requests: 1,
    says: ['init', ...CALL, 'result:success'],
    ends: { ...success, stop_reason: 'tool_use', num_turns: 2, result: '{"n":3}' },
  },
  {
    how: 'never a value of the schema',
    replies: [reply(toolUse('StructuredOutput', { n: 'three' }), { times: 'any' })],
    options: asStructured,
    requests: 5,
    says: ['init', ...pairs(5, CALL), 'result:error_max_structured_output_retries'],
    ends: {
      subtype: 'error_max_structured_output_retries',
      is_error: true,
      terminal_reason: 'structured_output_retry_exhausted',
      stop_reason: 'tool_use',
      num_turns: 6,
      errors: [some],
    },
  },
];

const FAILURES: readonly Row[] = [
  {
    how: 'the output cap for ever',
    env: { CLAUDE_CODE_MAX_OUTPUT_TOKENS: '2000' },
    replies: [reply('so on '.repeat(2_000), { times: 'any' })],
    requests: 4,
    says: ['init', ...pairs(3, ['text', 'synthetic']), 'text', 'error:max_output_tokens', 'result:success'],
    ends: { ...shown, terminal_reason: 'api_error', num_turns: 4, api_error_status: null },
  },
  ...[529, 500, 503, 429, 408, 409].map(
    (status): Row => ({
      how: `${status} until the retries are used up`,
      env: { CLAUDE_CODE_MAX_RETRIES: '1' },
      replies: [failing(status)],
      requests: 2,
      says: ['init', 'api_retry', `error:${kindOf(status)}`, 'result:success'],
      ends: { ...shown, terminal_reason: 'api_error', num_turns: 1, api_error_status: status },
    }),
  ),
  ...[401, 402, 403, 404, 400].map(
    (status): Row => ({
      how: `${status}, which asking again does not mend`,
      replies: [failing(status, { message: 'no such thing' })],
      requests: 1,
      says: ['init', `error:${kindOf(status)}`, 'result:success'],
      ends: { ...shown, terminal_reason: 'api_error', num_turns: 1, api_error_status: status },
    }),
  ),
  {
    how: 'a call announced three times and never made',
    replies: [reply('I will look.', { stop_reason: 'tool_use', times: 'any' })],
    requests: 3,
    says: [
      'init',
      ...['text', 'synthetic, retracts 1'],
      ...['text, supersedes 1', 'synthetic, retracts 1'],
      'text, supersedes 1',
      'error:server_error',
      'result:success',
    ],
    ends: { ...shown, terminal_reason: 'malformed_tool_use_exhausted', num_turns: 3, api_error_status: null },
  },
  {
    how: 'a prompt that is too long by itself',
    replies: [
      failing(400, {
        type: 'invalid_request_error',
        message: 'prompt is too long: 210000 tokens > 200000 maximum',
      }),
    ],
    requests: 1,
    says: ['init', 'error:invalid_request', 'result:success'],
    ends: { ...shown, terminal_reason: 'prompt_too_long', num_turns: 1, api_error_status: 400 },
  },
  {
    how: 'the window nearly full and compaction off',
    env: { DISABLE_AUTO_COMPACT: '1' },
    replies: [reply(bash('echo hi'), { usage: { input_tokens: 990_000 } })],
    requests: 1,
    says: ['init', ...CALL, 'informational', 'error:invalid_request', 'result:success'],
    ends: { ...shown, terminal_reason: 'blocking_limit', num_turns: 2, api_error_status: null },
  },
];

const FULL: readonly Row[] = [
  {
    how: 'full again right after each of three compactions',
    env: { CLAUDE_CODE_AUTO_COMPACT_WINDOW: '20000' },
    files: { 'large.txt': 'seven words stand on each line here\n'.repeat(700) },
    replies: [
      reply('<summary>large.txt was read.</summary>', { when: { kind: 'compaction' }, times: 3 }),
      reply(toolUse('Read', { file_path: 'large.txt' }), { times: 'any' }),
    ],
    requests: 8,
    says: [
      'init',
      ...CALL,
      'informational',
      ...CALL,
      ...pairs(3, ['status:compacting', 'status:null', 'compact_boundary', 'synthetic', ...CALL]),
      'error:invalid_request',
      'result:success',
    ],
    ends: { ...shown, terminal_reason: 'rapid_refill_breaker', num_turns: 9, api_error_status: null },
  },
  {
    how: 'refused as too long after three rounds, although all of it seems to fit',
    replies: [
      reply('<summary>They greeted.</summary>', { when: { kind: 'compaction' } }),
      ...[echo(), echo(), echo()],
      reply('never', {
        faults: [
          { name: 'http-status', status: 400, type: 'invalid_request_error', message: 'prompt is too long' },
        ],
      }),
      reply('Done.'),
    ],
    requests: 6,
    says: [
      'init',
      ...pairs(3, CALL),
      ...['status:compacting', 'status:null', 'compact_boundary', 'synthetic'],
      ...['text', 'result:success'],
    ],
    ends: { ...success, num_turns: 5, result: 'Done.' },
  },
  {
    how: 'an image that is refused, taken out, and the request refused again',
    prompt: [{ type: 'text', text: 'What is this?' }, wideImage(100)],
    replies: [
      failing(400, {
        type: 'invalid_request_error',
        message: 'messages.0.content.1.image: image exceeds 5 MB maximum',
      }),
    ],
    requests: 2,
    says: ['init', 'error:invalid_request', 'result:success'],
    ends: { ...shown, terminal_reason: 'image_error', num_turns: 1, api_error_status: 400 },
  },
];

function kindOf(status: number): string {
  if (status === 401 || status === 403) return 'authentication_failed';
  if (status === 402) return 'billing_error';
  if (status === 404) return 'model_not_found';
  if (status === 429) return 'rate_limit';
  return status >= 500 ? 'server_error' : 'unknown';
}

const HOOKS: readonly Row[] = [
  {
    how: 'a Stop hook that ends it',
    replies: [reply('Hi.')],
    options: hook('Stop', { continue: false, stopReason: 'Enough.' }),
    requests: 1,
    says: ['init', 'text', 'informational', 'result:success'],
    ends: { ...success, terminal_reason: 'stop_hook_prevented', num_turns: 1, result: 'Hi.' },
  },
  {
    how: 'a Stop hook that blocks for ever with the same words is overridden at the ninth block',
    replies: [reply('Done.', { times: 'any' })],
    options: hook('Stop', { decision: 'block', reason: 'Keep going.' }),
    requests: 9,
    says: ['init', ...pairs(8, ['text', 'synthetic']), 'text', 'informational', 'result:success'],
    ends: { ...success, num_turns: 9, result: 'Done.' },
  },
  {
    how: 'a PostToolUse hook that ends it',
    replies: [echo()],
    options: hook('PostToolUse', { continue: false, stopReason: 'Enough.' }),
    requests: 1,
    says: ['init', ...CALL, 'informational', 'result:success'],
    ends: { ...success, terminal_reason: 'hook_stopped', stop_reason: 'tool_use', num_turns: 2, result: '' },
  },
  {
    how: 'a prompt that a hook blocks',
    replies: [],
    options: hook('UserPromptSubmit', { decision: 'block', reason: 'Not that.' }),
    requests: 0,
    says: ['init', 'informational', 'result:success'],
    ends: { subtype: 'success', is_error: false, stop_reason: null, num_turns: 0, result: some },
  },
  {
    how: 'a slash command that answers by itself',
    prompt: '/cost',
    replies: [],
    requests: 0,
    says: ['init', 'text', 'result:success'],
    ends: { subtype: 'success', is_error: false, stop_reason: null, num_turns: 0, result: some },
  },
];

let interrupted = false;
const interruptAt =
  (type: Message['type']): NonNullable<Row['act']> =>
  (message, running) => {
    if (message.type !== type || interrupted) return;
    interrupted = true;
    void running.interrupt();
  };

const ABORTS: readonly Row[] = [
  {
    how: 'interrupt() while the model answers',
    replies: [reply(['First.', 'x'.repeat(2_000)], { timing: { gapMs: 200 } })],
    act: interruptAt('assistant'),
    requests: 1,
    says: ['init', 'text', 'user', 'result:error_during_execution'],
    ends: {
      subtype: 'error_during_execution',
      is_error: true,
      terminal_reason: 'aborted_streaming',
      stop_reason: null,
      num_turns: 2,
      errors: [some],
    },
  },
  {
    how: 'interrupt() while a tool runs',
    replies: [reply(bash('until [ -e gone ]; do sleep 0.05; done'))],
    options: { permissionMode: 'bypassPermissions', allowDangerouslySkipPermissions: true },
    act: interruptAt('assistant'),
    requests: 1,
    says: ['init', 'tool_use', 'tool_result', 'user', 'result:error_during_execution'],
    ends: {
      subtype: 'error_during_execution',
      is_error: true,
      terminal_reason: 'aborted_tools',
      stop_reason: 'tool_use',
      num_turns: 3,
      errors: [some],
    },
  },
  {
    how: 'a host that denies a call and interrupts',
    replies: [reply(bash('touch here'))],
    options: { canUseTool: async () => ({ behavior: 'deny', message: 'No.', interrupt: true }) },
    requests: 1,
    says: ['init', 'tool_use', 'tool_result', 'user', 'result:error_during_execution'],
    ends: {
      subtype: 'error_during_execution',
      is_error: true,
      terminal_reason: 'aborted_tools',
      stop_reason: 'tool_use',
      num_turns: 3,
      errors: [some],
    },
  },
];

throughBothDoors('endings', (stage) => {
  it.each(everyNth(2, [...PLAIN, ...LIMITS, ...FAILURES, ...FULL, ...HOOKS, ...ABORTS]))(
    '$how',
    async (row) => {
      interrupted = false;
      stage.play(...row.replies);
      for (const [name, content] of Object.entries(row.files ?? {}))
        writeFileSync(join(stage.cwd, name), content);
      const input = prompts();
      input.push({ ...prompt(''), message: { role: 'user', content: row.prompt ?? 'Go.' } });
      const running = stage.start(input, {
        allowedTools: ['Bash(echo:*)'],
        ...row.options,
        env: { ...stage.env, ...row.env },
      });
      const { messages, results, result, error } = await gather(running, (message) => {
        row.act?.(message, running);
        if (message.type === 'result') input.end();
      });
      const said = outline(messages);
      if (row.inAnyOrder === true) expect(said.toSorted()).toEqual(row.says.toSorted());
      else expect(said).toEqual(row.says);
      expect(results).toHaveLength(1);
      expect(messages.at(-1)).toBe(result);
      expect(stage.asked()).toHaveLength(row.requests);
      const { api_error_status: status, ...ends } = row.ends;
      expect(result).toMatchObject({
        ...ends,
        ...(status !== undefined && { api_error_status: status }),
        duration_ms: expect.any(Number),
        duration_api_ms: expect.any(Number),
        total_cost_usd: expect.any(Number),
        usage: { input_tokens: expect.any(Number), output_tokens: expect.any(Number) },
        modelUsage: expect.any(Object),
        permission_denials: expect.any(Array),
        session_id: messages[0]?.session_id,
        uuid: some,
      });
      expect('terminal_reason' in (result ?? {})).toBe('terminal_reason' in row.ends);
      expect('errors' in (result ?? {})).toBe(row.ends.subtype !== 'success');
      expect('result' in (result ?? {})).toBe(row.ends.subtype === 'success');
      // After an error the iterator throws as well, once it has yielded the result.
      expect(error === undefined).toBe(!row.ends.is_error);
    },
  );

  it('an error before there was anything to answer: no reason, no turn', async () => {
    const { messages, result } = await gather(
      stage.start('Go.', { resume: '33333333-3333-4333-8333-333333333333' }),
    );
    expect(outline(messages)).toEqual(['result:error_during_execution']);
    expect(result).toMatchObject({
      is_error: true,
      num_turns: 0,
      stop_reason: null,
      errors: [expect.stringContaining('33333333')],
    });
  });
});

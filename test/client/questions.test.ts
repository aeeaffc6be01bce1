/** What a host is told with a permission question, and what hooks and results say of the same calls. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { reply, toolUse } from '@turnwright/testing/rehearsal';
import { expect, it } from 'vitest';
import { is, throughBothDoors } from './doors.ts';

type Input = Record<string, unknown>;
type Context = Record<string, unknown> & { readonly suggestions?: readonly unknown[] };

throughBothDoors('permission questions', (stage) => {
  const asked: { name: string; input: Input; context: Context }[] = [];
  /** Runs these calls side by side; the host answers each of them so. */
  const questions = async (
    calls: ReturnType<typeof toolUse>[],
    answer: (context: Context) => object,
    more = {},
  ) => {
    asked.length = 0;
    return stage.run([reply(calls), reply('Done.')], {
      canUseTool: async (name: string, input: Input, context: Context) => {
        asked.push({ name, input, context });
        return answer(context);
      },
      ...more,
    });
  };
  const no = () => ({ behavior: 'deny', message: 'No.' });

  it('each says what it is about', async () => {
    const server = stage.door.createSdkMcpServer({
      name: 'box',
      tools: [stage.door.tool('read_file', 'reads', {}, async () => ({ content: [] }))],
    });
    await questions(
      [
        toolUse('Bash', { command: 'npm test' }),
        toolUse('Bash', { command: 'npm test', description: 'runs the tests' }),
        toolUse('Write', { file_path: 'sub/a.txt', content: 'x' }),
        toolUse('Read', { file_path: '../b.txt' }),
        toolUse('WebFetch', { url: 'https://example.com/a', prompt: 'p' }),
        toolUse('mcp__box__read_file', {}),
      ],
      no,
      { mcpServers: { box: server } },
    );
    const about = asked.map(({ context: { displayName, description } }) => [displayName, description]);
    expect(about).toHaveLength(6);
    for (const { context } of asked) expect(context).not.toHaveProperty('blockedPath', expect.anything());
    expect(about).toEqual(
      expect.arrayContaining([
        ['Bash', 'npm test'],
        ['Bash', 'runs the tests'],
        ['Write', join('sub', 'a.txt')],
        ['Read', join(stage.cwd, '../b.txt')],
        ['WebFetch', 'https://example.com/a'],
        ['Read File', undefined],
      ]),
    );
    expect(asked.at(-1)?.context['mcpServer'] ?? asked[0]?.context['mcpServer']).toEqual({
      name: 'box',
      source: 'sdk',
    });
  });

  it('a hook that wants a call confirmed is the reason, and no rule is suggested', async () => {
    const ask = async () => ({
      hookSpecificOutput: {
        hookEventName: 'PreToolUse',
        permissionDecision: 'ask',
        permissionDecisionReason: 'Look first.',
      },
    });
    const calls = [toolUse('Bash', { command: 'touch a' }), toolUse('Bash', { command: 'echo hi' })];
    await questions(calls, no, { hooks: { PreToolUse: [{ hooks: [ask] }] } });
    expect(asked).toHaveLength(2);
    for (const { context } of asked) {
      expect(context).toMatchObject({ decisionReason: 'Look first.', decisionReasonType: 'hook' });
      expect(context.suggestions).toBeUndefined();
    }
  });

  it('a rule that wants a call confirmed is named', async () => {
    await questions(
      [toolUse('Bash', { command: 'npm test' }), toolUse('Write', { file_path: 'a', content: '' })],
      no,
      {
        settings: { permissions: { ask: ['Bash(npm:*)', 'Write'] } },
      },
    );
    const rules = asked.map(({ context }) => [context['decisionReasonType'], context['matchedAskRule']]);
    expect(rules).toEqual([
      ['rule', { source: 'flagSettings', toolName: 'Bash', ruleContent: 'npm:*' }],
      ['rule', { source: 'flagSettings', toolName: 'Write' }],
    ]);
  });

  it('hooks around a call of an MCP tool receive its server, others do not', async () => {
    const heard: unknown[] = [];
    const hook = async ({ hook_event_name, tool_name, mcp_server }: Input) => {
      heard.push([hook_event_name, tool_name, mcp_server]);
      return {};
    };
    const server = stage.door.createSdkMcpServer({
      name: 'box',
      tools: [stage.door.tool('open', 'opens', {}, async () => ({ content: [] }))],
    });
    const events = ['PreToolUse', 'PermissionRequest', 'PostToolUse'];
    await stage.run(
      [reply(toolUse('mcp__box__open', {})), reply(toolUse('Bash', { command: 'pwd' })), reply('Done.')],
      {
        mcpServers: { box: server },
        hooks: Object.fromEntries(events.map((event) => [event, [{ hooks: [hook] }]])),
        canUseTool: async (_name: string, input: Input) => ({ behavior: 'allow', updatedInput: input }),
      },
    );
    expect(heard).toEqual([
      ...events.map((event) => [event, 'mcp__box__open', { name: 'box', source: 'sdk' }]),
      ['PreToolUse', 'Bash', undefined],
      ['PostToolUse', 'Bash', undefined],
    ]);
  });

  it('always, as it is suggested, outlasts the session', async () => {
    const always = ({ suggestions = [] }: Context) => ({
      behavior: 'allow',
      updatedInput: { command: 'true' },
      updatedPermissions: suggestions,
    });
    await questions([toolUse('Bash', { command: 'npm test' })], always, {
      settingSources: ['project', 'local'],
    });
    const file = join(stage.cwd, '.turnwright/settings.local.json');
    expect(existsSync(file)).toBe(true);
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ permissions: { allow: ['Bash(npm test *)'] } });
  });

  it('paths are absolute for the host, for hooks and in permission_denials, and as written on the stream', async () => {
    const hooked: unknown[] = [];
    const hook = async (input: Input) => {
      hooked.push(input['tool_input'] ?? input['tool_calls']);
      return {};
    };
    const { messages, result } = await questions(
      [toolUse('Write', { file_path: './a.txt', content: 'x' })],
      no,
      {
        hooks: { PreToolUse: [{ hooks: [hook] }], PostToolBatch: [{ hooks: [hook] }] },
      },
    );
    const file_path = join(stage.cwd, 'a.txt');
    expect(asked[0]?.input).toEqual({ file_path, content: 'x' });
    expect(hooked).toMatchObject([{ file_path, content: 'x' }, [{ tool_input: { file_path } }]]);
    expect(result?.permission_denials).toMatchObject([{ tool_input: { file_path } }]);
    const call = messages.find(is('assistant'));
    expect(JSON.stringify(call)).toContain('"file_path":"./a.txt"');
    expect(JSON.stringify(stage.asked()[1]?.['messages'])).toContain('"file_path":"./a.txt"');
  });

  it('a host that sends back what it was shown changes nothing', async () => {
    writeFileSync(join(stage.cwd, 'a.txt'), 'one');
    const seen: unknown[] = [];
    await questions(
      [toolUse('Write', { file_path: 'sub/new.txt', content: 'x' })],
      () => ({ behavior: 'allow', updatedInput: asked[0]?.input }),
      {
        hooks: {
          PostToolUse: [
            {
              hooks: [
                async (input: Input) => {
                  seen.push(input['tool_input']);
                  return {};
                },
              ],
            },
          ],
        },
      },
    );
    expect(readFileSync(join(stage.cwd, 'sub/new.txt'), 'utf8')).toBe('x');
    expect(seen).toEqual([{ file_path: join(stage.cwd, 'sub/new.txt'), content: 'x' }]);
  });

  it('without a host to ask, the notice says why the call required confirmation', async () => {
    const calls = [
      toolUse('Bash', { command: 'npm test' }),
      toolUse('Bash', { command: 'make' }),
      toolUse('Write', { file_path: '../a.txt', content: 'x' }),
      toolUse('Write', { file_path: '.git/hooks/a', content: 'x' }),
    ];
    const settings = { permissions: { ask: ['Bash(npm:*)'] } };
    const run = async (more: object) => {
      const { messages } = await stage.run([reply(calls), reply('Done.')], { settings, ...more });
      const notices = messages.filter(is('system', 'permission_denied')) as unknown as Input[];
      const kinds = messages.flatMap((message) =>
        message.type === 'user' ? (message.tool_result_meta ?? []) : [],
      );
      for (const { decision_reason } of notices) expect(decision_reason).toContain('needs approval');
      return {
        reasons: notices.map(({ decision_reason_type }) => decision_reason_type),
        kinds: new Set(kinds.map((kind) => JSON.stringify({ ...kind, id: undefined }))),
      };
    };
    expect(await run({})).toEqual({
      reasons: ['rule', 'other', 'workingDir', 'safetyCheck'],
      kinds: new Set([
        '{"non_execution_kind":"user-rejected","permission_decision":{"decision":"reject","source":"config"}}',
      ]),
    });
    expect(await run({ permissionPrompts: 'none' })).toEqual({
      reasons: Array(4).fill('asyncAgent'),
      kinds: new Set([
        '{"non_execution_kind":"permission-rule","permission_decision":{"decision":"reject","source":"config","reason_type":"asyncAgent"}}',
      ]),
    });
  });

  it('a notice is emitted for denials without a question, and for no other', async () => {
    const calls = [toolUse('Bash', { command: 'rm x' }), toolUse('Bash', { command: 'touch y' })];
    const notices = (messages: readonly unknown[]) =>
      (messages as Input[])
        .filter(({ subtype }) => subtype === 'permission_denied')
        .map(({ decision_reason_type }) => decision_reason_type);
    const disallowedTools = ['Bash(rm:*)'];
    expect(notices((await questions(calls, no, { disallowedTools })).messages)).toEqual(['rule']);
    const alone = await stage.run([reply(calls), reply('Done.')], { disallowedTools });
    expect(notices(alone.messages)).toEqual(['rule', 'other']);
    const hooked = await stage.run([reply(calls), reply('Done.')], {
      hooks: {
        PreToolUse: [
          {
            hooks: [
              async () => ({
                hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'deny' },
              }),
            ],
          },
        ],
      },
    });
    expect(notices(hooked.messages)).toEqual([]);
    expect(hooked.result?.permission_denials).toHaveLength(2);
    const requested = await stage.run([reply(calls), reply('Done.')], {
      disallowedTools,
      hooks: {
        PermissionRequest: [
          {
            hooks: [
              async () => ({
                hookSpecificOutput: {
                  hookEventName: 'PermissionRequest',
                  decision: { behavior: 'deny', message: 'Not that.' },
                },
              }),
            ],
          },
        ],
      },
    });
    expect(notices(requested.messages)).toEqual(['rule', 'hook']);
  });
});

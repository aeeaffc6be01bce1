import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { reply, toolUse } from '@turnwright/testing/rehearsal';
import { expect, it } from 'vitest';
import { stdio, TOOLBOX } from '../mcp/servers-under-test.ts';
import {
  type CaseOptions,
  gather,
  is,
  openPrompt,
  type Prompt,
  prompt,
  type Stage,
  throughBothDoors,
  toolResults,
} from './doors.ts';

type Input = Record<string, unknown>;
type Hook = (input: Input, toolUseId: string | undefined) => Promise<unknown>;
const one = (hook: Hook, more: object = {}) => [{ ...more, hooks: [hook] }];
const bash = (command: string) => toolUse('Bash', { command });

throughBothDoors('hooks', (stage) => {
  const run = (replies: Parameters<Stage['run']>[0], options: CaseOptions) =>
    stage.run(replies, { allowedTools: ['Bash(echo:*)', 'Bash(exit:*)'], ...options });
  const sent = () => JSON.stringify(stage.asked().at(-1)?.['messages']);

  it('PreToolUse sees the call and can deny it', async () => {
    const seen: Input[] = [];
    const { messages, result } = await run([reply(bash('echo hi')), reply('Well.')], {
      hooks: {
        PreToolUse: one(async (input, toolUseId) => {
          seen.push({ ...input, toolUseId });
          return {
            hookSpecificOutput: {
              hookEventName: 'PreToolUse',
              permissionDecision: 'deny',
              permissionDecisionReason: 'No shell today.',
            },
          };
        }),
      },
    });
    expect(seen).toMatchObject([
      {
        hook_event_name: 'PreToolUse',
        tool_name: 'Bash',
        tool_input: { command: 'echo hi' },
        cwd: stage.cwd,
        session_id: result?.session_id,
        permission_mode: 'default',
        toolUseId: expect.stringMatching(/^toolu_/),
      },
    ]);
    expect(toolResults(messages)).toEqual([
      { text: '"PreToolUse:Bash hook error: No shell today."', is_error: true },
    ]);
    expect(result?.permission_denials).toHaveLength(1);
  });

  it('UserPromptSubmit judges a prompt that joins the running turn', async () => {
    stage.play(reply(bash('until [ -e go ]; do sleep 0.05; done; echo went')), reply('Done.'));
    const hook: Hook = async ({ prompt }) =>
      prompt === 'Dig for gold.' ? { decision: 'block', reason: 'Not that.' } : {};
    const prompt = (content: string): Prompt => ({
      type: 'user',
      message: { role: 'user', content },
      parent_tool_use_id: null,
    });
    let working = () => {};
    const works = new Promise<void>((resolve) => {
      working = resolve;
    });
    const input = async function* () {
      yield prompt('Go.');
      await works;
      yield prompt('Dig for gold.');
      yield prompt('Dig for copper.');
      // Answered after what was sent before it.
      await running.mcpServerStatus();
      writeFileSync(join(stage.cwd, 'go'), '');
    };
    const running = stage.start(input(), {
      permissionMode: 'bypassPermissions',
      allowDangerouslySkipPermissions: true,
      hooks: { UserPromptSubmit: one(hook) },
    });
    const notices: object[] = [];
    for await (const message of running) {
      if (message.type === 'assistant') working();
      if (message.type === 'system' && message.subtype === 'informational') notices.push(message);
    }
    const outcome = { kind: 'blocked_by_hook', prompt_kept: false, reason: 'Not that.' };
    expect(notices).toMatchObject([
      {
        content: 'Not that.\nThe prompt was: Dig for gold.',
        level: 'warning',
        prompt_submit_outcome: outcome,
      },
    ]);
    expect(notices[0]).not.toHaveProperty('prevent_continuation');
    expect(stage.asked()).toHaveLength(2);
    expect(sent()).toContain('Dig for copper.');
    expect(sent()).not.toContain('gold');
  });

  it('PreToolUse updatedInput is what runs', async () => {
    const { messages } = await run([reply(bash('echo one')), reply('Done.')], {
      hooks: {
        PreToolUse: one(async () => ({
          hookSpecificOutput: { hookEventName: 'PreToolUse', updatedInput: { command: 'echo two' } },
        })),
      },
    });
    expect(toolResults(messages)).toEqual([{ text: '"two"' }]);
  });

  it('PreToolUse allow spares the question', async () => {
    await run([reply(bash('touch a')), reply('Done.')], {
      hooks: {
        PreToolUse: one(async () => ({
          hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'allow' },
        })),
      },
    });
    expect(existsSync(join(stage.cwd, 'a'))).toBe(true);
  });

  it('a matcher picks the tools', async () => {
    const names: unknown[] = [];
    await run([reply([bash('echo hi'), toolUse('Glob', { pattern: '*' })]), reply('Done.')], {
      hooks: {
        PreToolUse: one(
          async (input) => {
            names.push(input['tool_name']);
            return {};
          },
          { matcher: 'Glob' },
        ),
      },
    });
    expect(names).toEqual(['Glob']);
  });

  it('PostToolUse sees the result and adds context', async () => {
    const seen: Input[] = [];
    await run([reply(bash('echo hi')), reply('Done.')], {
      hooks: {
        PostToolUse: one(async (input) => {
          seen.push(input);
          return {
            hookSpecificOutput: { hookEventName: 'PostToolUse', additionalContext: 'The larch is near.' },
          };
        }),
      },
    });
    expect(seen).toMatchObject([
      { tool_name: 'Bash', tool_response: { stdout: 'hi' }, duration_ms: expect.any(Number) },
    ]);
    expect(sent()).toContain('The larch is near.');
  });

  it('PostToolUseFailure hears of failures', async () => {
    const errors: unknown[] = [];
    await run([reply(bash('exit 7')), reply('Well.')], {
      hooks: {
        PostToolUseFailure: one(async (input) => {
          errors.push(input['error']);
          return {};
        }),
      },
    });
    expect(errors).toEqual([expect.stringContaining('7')]);
  });

  it('PostToolUse continue:false ends the turn as hook_stopped', async () => {
    const { result } = await run([reply(bash('echo hi'))], {
      hooks: { PostToolUse: one(async () => ({ continue: false, stopReason: 'Enough.' })) },
    });
    expect(result).toMatchObject({ subtype: 'success', terminal_reason: 'hook_stopped', is_error: false });
  });

  it('a Stop hook sends the model back once', async () => {
    const active: unknown[] = [];
    const { messages, result } = await run([reply('Done.'), reply('Now really.')], {
      hooks: {
        Stop: one(async (input) => {
          active.push(input['stop_hook_active']);
          return active.length === 1 ? { decision: 'block', reason: 'Add the tests.' } : {};
        }),
      },
    });
    expect(active).toEqual([false, true]);
    expect(JSON.stringify(messages.filter(is('user')))).toContain('Add the tests.');
    expect(result).toMatchObject({ subtype: 'success', result: 'Now really.' });
  });

  it('the context of a Stop hook sends the model back too, and is no message', async () => {
    const active: unknown[] = [];
    const { messages, result } = await run([reply('Done.'), reply('Now really.')], {
      hooks: {
        Stop: one(async (input) => {
          active.push(input['stop_hook_active']);
          return active.length > 1
            ? {}
            : { hookSpecificOutput: { hookEventName: 'Stop', additionalContext: 'The larch is near.' } };
        }),
      },
    });
    expect(active).toEqual([false, true]);
    expect(sent()).toContain('The larch is near.');
    expect(messages.filter(is('user'))).toEqual([]);
    expect(result).toMatchObject({ result: 'Now really.', num_turns: 1 });
  });

  it('SessionEnd runs when the session ends with its input', async () => {
    const reasons: unknown[] = [];
    const { error } = await run([reply('Done.')], {
      hooks: {
        SessionEnd: one(async (input) => {
          reasons.push(input['reason']);
          return {};
        }),
      },
    });
    expect(error).toBeUndefined();
    expect(reasons).toEqual(['other']);
  });

  it.each([
    ['blocked_by_hook', { decision: 'block', reason: 'Not that.' }],
    ['stopped_by_hook', { continue: false, stopReason: 'Not that.' }],
  ])('UserPromptSubmit can keep a prompt back: %s', async (kind, answer) => {
    const { messages, result } = await run([], { hooks: { UserPromptSubmit: one(async () => answer) } });
    expect(messages.filter(is('system', 'informational'))).toMatchObject([
      {
        level: 'warning',
        prevent_continuation: true,
        prompt_submit_outcome: { kind, prompt_kept: false, reason: 'Not that.' },
      },
    ]);
    expect(result).toMatchObject({
      subtype: 'success',
      num_turns: 0,
      result: expect.stringContaining('Not that.'),
    });
    expect(stage.asked()).toEqual([]);
  });

  it('UserPromptSubmit can name the session: hosts and later prompts learn the name', async () => {
    const seen: Input[] = [];
    stage.play(reply('Hi.'), reply('Hi again.'));
    const input = openPrompt('Go.');
    const running = stage.start(input, {
      hooks: {
        UserPromptSubmit: one(async (event) => {
          seen.push(event);
          return { hookSpecificOutput: { hookEventName: 'UserPromptSubmit', sessionTitle: 'Digging' } };
        }),
      },
    });
    let count = 0;
    const { messages } = await gather(running, (message) => {
      if (message.type !== 'result') return;
      count += 1;
      if (count === 1) input.push(prompt('Again.'));
      else input.end();
    });
    expect(seen[0]).not.toHaveProperty('session_title');
    expect(seen[1]).toMatchObject({ session_title: 'Digging' });
    const names = messages.map((message) => ('subtype' in message ? message.subtype : message.type));
    expect(names.indexOf('session_title_changed')).toBeLessThan(names.indexOf('init'));
    expect(messages.find(is('system', 'session_title_changed'))).toMatchObject({ title: 'Digging' });
  });

  it('UserPromptSubmit can add context', async () => {
    await run([reply('Hi.')], {
      hooks: {
        UserPromptSubmit: one(async (input) => ({
          hookSpecificOutput: {
            hookEventName: 'UserPromptSubmit',
            additionalContext: `They said ${String(input['prompt'])}`,
          },
        })),
      },
    });
    expect(sent()).toContain('They said Go.');
  });

  it('a PreToolUse hook that throws denies; onFailure continue lets the call through', async () => {
    const broken = one(async () => {
      throw new Error('The hook broke.');
    });
    const closed = await run([reply(bash('echo hi')), reply('Well.')], { hooks: { PreToolUse: broken } });
    expect(toolResults(closed.messages)).toMatchObject([
      { text: expect.stringContaining('The hook broke.'), is_error: true },
    ]);
    expect(closed.messages.filter(is('system', 'informational'))).toMatchObject([
      { level: 'warning', tag: 'hook_callback_failed' },
    ]);
    const open = await run([reply(bash('echo hi')), reply('Done.')], {
      hooks: { PreToolUse: broken.map((matcher) => ({ ...matcher, onFailure: 'continue' })) },
    });
    expect(toolResults(open.messages)).toEqual([{ text: '"hi"' }]);
  });

  const command = (text: string) => [{ hooks: [{ type: 'command', command: text }] }];

  it('command hooks of settings guard calls, and their context reaches the model', async () => {
    const { messages } = await run([reply(bash('echo hi')), reply('Well.')], {
      settings: {
        hooks: {
          SessionStart: command('echo "The larch is near."'),
          PreToolUse: command('echo "No shell today." >&2; exit 2'),
        },
      },
    });
    expect(toolResults(messages)).toEqual([
      { text: '"PreToolUse:Bash hook error: No shell today."', is_error: true },
    ]);
    expect(sent()).toContain('The larch is near.');
    expect(messages.filter(is('system', 'hook_response'))).toMatchObject([
      { hook_event: 'SessionStart', hook_name: 'SessionStart:startup', exit_code: 0, outcome: 'success' },
    ]);
  });

  it('includeHookEvents shows the runs of all command hooks', async () => {
    const { messages } = await run([reply('Done.')], {
      includeHookEvents: true,
      settings: { hooks: { Stop: command('echo fine') } },
    });
    expect(messages.filter(is('system', 'hook_started'))).toMatchObject([{ hook_event: 'Stop' }]);
    expect(messages.filter(is('system', 'hook_response'))).toMatchObject([
      { hook_event: 'Stop', stdout: 'fine\n', exit_code: 0, outcome: 'success' },
    ]);
  });

  it('F91 a guard that is killed denies, and the user is notified', async () => {
    const { messages } = await run([reply(bash('echo hi')), reply('Well.')], {
      settings: { hooks: { PreToolUse: command('kill -9 $$') } },
    });
    expect(toolResults(messages)).toMatchObject([
      { text: expect.stringContaining('killed by SIGKILL'), is_error: true },
    ]);
    expect(JSON.stringify(messages.filter(is('system', 'informational')))).toContain('killed by SIGKILL');
  });

  it('PermissionRequest answers before the host is asked', async () => {
    await run([reply(bash('touch b')), reply('Done.')], {
      canUseTool: async () => ({ behavior: 'deny', message: 'The host says no.' }),
      hooks: {
        PermissionRequest: one(async () => ({
          hookSpecificOutput: { hookEventName: 'PermissionRequest', decision: { behavior: 'allow' } },
        })),
      },
    });
    expect(existsSync(join(stage.cwd, 'b'))).toBe(true);
  });

  const ASKED = '11111111-1111-4111-8111-111111111111';
  it('PreModelSwitch can keep the session with its model; the host and a person read why', async () => {
    const seen: Input[] = [];
    stage.play(reply('Hi.'), reply('Hi again.'));
    const input = openPrompt('Go.');
    const running = stage.start(input, {
      hooks: {
        PreModelSwitch: one(async (event) => {
          seen.push(event);
          return {
            hookSpecificOutput: {
              hookEventName: 'PreModelSwitch',
              permissionDecision: 'deny',
              permissionDecisionReason: 'Not in mid-work.',
            },
          };
        }),
      },
    });
    let count = 0;
    const { results } = await gather(running, async (message) => {
      if (message.type !== 'result') return;
      count += 1;
      if (count === 1) {
        const refused = 'Model switch blocked by a PreModelSwitch hook: Not in mid-work.';
        await expect(running.setModel('haiku')).rejects.toThrow(refused);
        input.push(prompt('/model haiku', { uuid: ASKED }));
      } else if (count === 2) input.push(prompt('Again.'));
      else input.end();
    });
    for (const event of seen) expect(event).not.toHaveProperty('permission_mode');
    expect(seen).toMatchObject([
      { source: 'sdk', context_tokens: expect.any(Number), prompt_cache_warm: true },
      { source: 'command', requested_model: 'haiku', prompt_id: ASKED },
    ]);
    expect(JSON.stringify(results[1])).toContain('Not in mid-work.');
    const models = stage.asked().map(({ model }) => model);
    expect(models[1]).toBe(models[0]);
  });

  const ask = toolUse('mcp__box__ask', {
    params: { message: 'Which?', requestedSchema: { type: 'object', properties: {} } },
  });
  const asked = async (hooks: object, more: CaseOptions = {}) => {
    const persons: unknown[] = [];
    const { messages } = await stage.run([reply(ask), reply('Done.')], {
      mcpServers: { box: stdio(TOOLBOX) },
      allowedTools: ['mcp__box'],
      hooks,
      onElicitation: async (request: { message: string }) => {
        persons.push(request.message);
        return { action: 'accept', content: { colour: 'red' } };
      },
      ...more,
    });
    const [{ text = '' } = {}] = toolResults(messages);
    const [block] = JSON.parse(text);
    return { persons, server: JSON.parse(block.text), messages };
  };
  const says = (hookEventName: string, fields: object) =>
    one(async () => ({ hookSpecificOutput: { hookEventName, ...fields } }));

  it('Elicitation answers an MCP server before the host is asked', async () => {
    const { persons, server } = await asked({
      Elicitation: says('Elicitation', { action: 'accept', content: { colour: 'blue' } }),
    });
    expect({ persons, server }).toEqual({
      persons: [],
      server: { action: 'accept', content: { colour: 'blue' } },
    });
  });

  it('ElicitationResult has the last word, on the person’s answer too', async () => {
    const changed = await asked({
      ElicitationResult: says('ElicitationResult', { content: { colour: 'green' } }),
    });
    expect(changed).toMatchObject({
      persons: ['Which?'],
      server: { action: 'accept', content: { colour: 'green' } },
    });
    const blocked = await asked({ ElicitationResult: one(async () => ({ decision: 'block' })) });
    expect(blocked).toMatchObject({ persons: ['Which?'], server: { action: 'decline' } });
    expect(blocked.server.content).toBeUndefined();
  });

  it('of several answers to an MCP server the most reserved holds; one that is none leaves it to the person', async () => {
    const { persons, server } = await asked({
      Elicitation: [
        ...says('Elicitation', { action: 'decline' }),
        ...says('Elicitation', { action: 'accept', content: { colour: 'blue' } }),
      ],
    });
    expect({ persons, server }).toEqual({ persons: [], server: { action: 'decline' } });
    const left = await asked({ Elicitation: says('Elicitation', { action: 'maybe' }) });
    expect(left).toMatchObject({ persons: ['Which?'], server: { content: { colour: 'red' } } });
    expect(JSON.stringify(left.messages.filter(is('system', 'informational')))).toContain(
      'hookSpecificOutput.action must be',
    );
  });

  it('a command answers an MCP server without a host to ask', async () => {
    const answer =
      '{"hookSpecificOutput":{"hookEventName":"Elicitation","action":"accept","content":{"n":1}}}';
    const { server } = await asked(
      {},
      { onElicitation: undefined, settings: { hooks: { Elicitation: command(`echo '${answer}'`) } } },
    );
    expect(server).toEqual({ action: 'accept', content: { n: 1 } });
  });

  it('PostToolBatch block ends the turn as hook_stopped', async () => {
    const { result } = await run([reply(bash('echo hi'))], {
      hooks: { PostToolBatch: one(async () => ({ decision: 'block', reason: 'Enough.' })) },
    });
    expect(result).toMatchObject({ subtype: 'success', terminal_reason: 'hook_stopped' });
  });

  it('a systemMessage is shown', async () => {
    const { messages } = await run([reply('Done.')], {
      hooks: { Stop: one(async () => ({ systemMessage: 'All quiet.' })) },
    });
    expect(messages.filter(is('system', 'informational'))).toMatchObject([
      { content: 'Stop says: All quiet.' },
    ]);
  });

  it('a systemMessage comes before the result of its call, one of a hook after the call behind it', async () => {
    const says = (text: string) => one(async () => ({ systemMessage: text }));
    const { messages } = await run([reply([bash('echo hi'), bash('exit 3')]), reply('Done.')], {
      hooks: {
        PreToolUse: says('before'),
        PostToolUse: says('after'),
        PostToolUseFailure: says('failed'),
        PostToolBatch: says('all'),
      },
    });
    const said = messages.flatMap((message) =>
      message.type === 'system' && message.subtype === 'informational'
        ? [message.content]
        : is('user')(message)
          ? toolResults([message]).map(({ text }) => text)
          : [],
    );
    const before = 'PreToolUse:Bash says: before';
    // Both calls run at the same time.
    const rest = said.filter((text) => text !== before);
    const [hi, failed] = [rest.indexOf('"hi"'), rest.indexOf('"Exit code 3"')];
    expect(rest.slice(hi, hi + 2)).toEqual(['"hi"', 'PostToolUse:Bash says: after']);
    expect(rest.slice(failed, failed + 2)).toEqual(['"Exit code 3"', 'PostToolUseFailure:Bash says: failed']);
    expect(rest.slice(4)).toEqual(['PostToolBatch says: all']);
    expect(said[0]).toBe(before);
    expect(said.slice(1, said.lastIndexOf('"Exit code 3"') + 1)).toContain(before);
  });

  it('what inputs hold: effort, mode, crons, ids, what the model reads of a call', async () => {
    const seen: Input[] = [];
    const note = one(async (input, toolUseId) => {
      seen.push({ ...input, toolUseId });
      return {};
    });
    const names = [
      'SessionStart',
      'PreToolUse',
      'PostToolUse',
      'PostToolUseFailure',
      'PostToolBatch',
      'Stop',
    ];
    await run([reply([bash('echo hi'), bash('exit 3')]), reply('Done.')], {
      model: 'claude-sonnet-5',
      hooks: Object.fromEntries(names.map((name) => [name, note])),
    });
    const of = (name: string) => seen.find((input) => input['hook_event_name'] === name);
    expect(seen.every(({ toolUseId }) => typeof toolUseId === 'string')).toBe(true);
    expect(of('SessionStart')).not.toHaveProperty('permission_mode');
    expect(of('SessionStart')).not.toHaveProperty('effort');
    expect(of('PreToolUse')).toMatchObject({ permission_mode: 'default', effort: { level: 'high' } });
    expect(of('PostToolUseFailure')).toMatchObject({ error: 'Exit code 3', is_interrupt: false });
    expect(of('PostToolBatch')).toMatchObject({
      tool_calls: [{ tool_response: 'hi' }, { tool_response: 'Exit code 3' }],
    });
    expect(of('Stop')).toMatchObject({ background_tasks: [], session_crons: [], effort: { level: 'high' } });
  });
});

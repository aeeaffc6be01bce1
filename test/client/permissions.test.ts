import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { reply, toolUse } from '@turnwright/testing/rehearsal';
import { expect, it } from 'vitest';
import { gather, is, openPrompt, prompt, throughBothDoors, toolResults } from './doors.ts';

type Input = Record<string, unknown>;
interface Context {
  readonly signal: AbortSignal;
  readonly toolUseID: string;
  readonly requestId: string;
  readonly suggestions?: readonly { readonly type: string }[];
  readonly requiresUserInteraction?: boolean;
}
const touch = (name: string) => toolUse('Bash', { command: `touch ${name}`, description: 'make it' });

throughBothDoors('canUseTool', (stage) => {
  const made = (name: string) => existsSync(join(stage.cwd, name));

  it('allow runs the call; the callback knows what is asked', async () => {
    const seen: { name: string; input: Input; context: Context }[] = [];
    const { result } = await stage.run([reply(touch('a')), reply('Done.')], {
      canUseTool: async (name: string, input: Input, context: Context) => {
        seen.push({ name, input, context });
        return { behavior: 'allow', updatedInput: input };
      },
    });
    expect(made('a')).toBe(true);
    expect(seen).toMatchObject([
      {
        name: 'Bash',
        input: { command: 'touch a' },
        context: {
          toolUseID: expect.stringMatching(/^toolu_/),
          requestId: expect.any(String),
          displayName: 'Bash',
          description: 'make it',
        },
      },
    ]);
    expect(seen[0]?.context.requiresUserInteraction).toBeUndefined();
    expect(seen[0]?.context.suggestions?.length).toBeGreaterThan(0);
    expect(result?.permission_denials).toEqual([]);
  });

  it('deny tells the model exactly the message', async () => {
    const { messages, result } = await stage.run([reply(touch('a')), reply('Well.')], {
      canUseTool: async () => ({ behavior: 'deny', message: 'Not on a Sunday.' }),
    });
    expect(made('a')).toBe(false);
    expect(toolResults(messages)).toEqual([{ text: '"Not on a Sunday."', is_error: true }]);
    expect(result).toMatchObject({ subtype: 'success', permission_denials: [{ tool_name: 'Bash' }] });
  });

  it('deny with interrupt ends the turn as aborted_tools', async () => {
    const { result, error } = await stage.run([reply(touch('a'))], {
      canUseTool: async () => ({ behavior: 'deny', message: 'Stop.', interrupt: true }),
    });
    expect(result).toMatchObject({ subtype: 'error_during_execution', terminal_reason: 'aborted_tools' });
    expect(error).toMatchObject({ message: expect.stringContaining('returned an error result') });
  });

  it('updatedInput is what runs', async () => {
    await stage.run([reply(touch('a')), reply('Done.')], {
      canUseTool: async () => ({ behavior: 'allow', updatedInput: { command: 'touch b' } }),
    });
    expect([made('a'), made('b')]).toEqual([false, true]);
  });

  it('updatedPermissions of the session hold at once', async () => {
    let asked = 0;
    await stage.run([reply(touch('a')), reply(touch('b')), reply('Done.')], {
      canUseTool: async (_name: string, input: Input) => {
        asked += 1;
        const rules = [{ toolName: 'Bash', ruleContent: 'touch:*' }];
        const update = { type: 'addRules', rules, behavior: 'allow', destination: 'session' };
        return { behavior: 'allow', updatedInput: input, updatedPermissions: [update] };
      },
    });
    expect(asked).toBe(1);
    expect([made('a'), made('b')]).toEqual([true, true]);
  });

  it('a callback that throws denies', async () => {
    const { messages, result } = await stage.run([reply(touch('a')), reply('Well.')], {
      canUseTool: async () => {
        throw new Error('The dialog broke.');
      },
    });
    expect(made('a')).toBe(false);
    expect(toolResults(messages)).toMatchObject([
      { text: expect.stringContaining('The dialog broke.'), is_error: true },
    ]);
    expect(result).toMatchObject({ subtype: 'success' });
  });

  it('an interrupt withdraws the question', async () => {
    stage.play(reply(touch('a')), reply('Later.'));
    const input = openPrompt('Go.');
    let withdrawn: AbortSignal | undefined;
    const running = stage.start(input, {
      canUseTool: (_name: string, _input: Input, { signal }: Context) =>
        new Promise((_resolve, reject) => {
          withdrawn = signal;
          signal.addEventListener('abort', () => reject(new Error('gone')), { once: true });
          void running.interrupt();
        }),
    });
    let count = 0;
    const { results } = await gather(running, (message) => {
      if (message.type !== 'result') return;
      count += 1;
      if (count === 1) input.push(prompt('Again.'));
      else input.end();
    });
    expect(withdrawn?.aborted).toBe(true);
    expect(results).toMatchObject([
      { subtype: 'error_during_execution', terminal_reason: 'aborted_tools' },
      { subtype: 'success', result: 'Later.' },
    ]);
  });

  it('mode auto is default here: the host is asked', async () => {
    const { messages, result } = await stage.run(
      [reply(toolUse('Bash', { command: 'touch x' })), reply('Well.')],
      {
        permissionMode: 'auto',
        canUseTool: async () => ({ behavior: 'deny', message: 'No.' }),
      },
    );
    expect(messages[0]).toMatchObject({ permissionMode: 'default' });
    expect(result?.permission_denials).toHaveLength(1);
  });

  it('is not asked about what a rule allows, nor about reading in the folder', async () => {
    const calls = [toolUse('Bash', { command: 'echo hi' }), toolUse('Glob', { pattern: '*.none' })];
    const { messages } = await stage.run([reply(calls), reply('Done.')], {
      allowedTools: ['Bash(echo:*)'],
      canUseTool: async () => {
        throw new Error('should not be asked');
      },
    });
    expect(messages.filter(is('system', 'permission_denied'))).toEqual([]);
    expect(toolResults(messages).some(({ is_error }) => is_error)).toBe(false);
  });
});

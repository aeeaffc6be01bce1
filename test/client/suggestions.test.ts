import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { query, type SDKMessage } from '@turnwright/engine';
import { virtualClock } from '@turnwright/testing';
import { type RehearsalServer, reply, startRehearsal, toolUse } from '@turnwright/testing/rehearsal';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Line, startHost } from '../cli/control-host.ts';
import { passTimeUntil } from '../scenarios/virtual-time.ts';
import { type CaseOptions, gather, is, openPrompt, prompt, throughBothDoors } from './doors.ts';
import { temporary } from './host-process.ts';

const guess = (text: string) => reply(text, { when: { kind: 'helper' }, times: 'any' });

throughBothDoors('prompt suggestions', (stage) => {
  const three = async (options: CaseOptions) => {
    stage.play(guess('Run the tests.'), reply('1'), reply('2'), reply('3'));
    const input = openPrompt('Write it.');
    let results = 0;
    const on = (wanted: boolean) => (message: Message) => {
      if (message.type === 'result') {
        results += 1;
        if (results === 1) input.push(prompt('And its docs.'));
        else if (results === 3) input.end();
        else if (!wanted) input.push(prompt('Third.'));
      }
      if (message.type === 'prompt_suggestion') input.push(prompt('Third.'));
    };
    return gather(
      stage.start(input, options),
      on(options['promptSuggestions'] === true && options['env'] === undefined),
    );
  };
  type Message = Parameters<NonNullable<Parameters<typeof gather>[1]>>[0];

  it('after the second turn the likely next prompt is emitted, and counted', async () => {
    const { messages, results } = await three({ promptSuggestions: true });
    const order = messages
      .map(({ type }) => type)
      .filter((type) => type === 'result' || type === 'prompt_suggestion');
    expect(order.slice(0, 3)).toEqual(['result', 'result', 'prompt_suggestion']);
    expect(messages.find(is('prompt_suggestion'))).toMatchObject({
      suggestion: 'Run the tests.',
      session_id: results[0]?.session_id,
    });
    expect(Object.keys(results[2]?.modelUsage ?? {})).toContain('claude-haiku-5-5');
    const asked = stage.server.requests.find(({ kind }) => kind === 'helper');
    expect(JSON.stringify(asked?.body)).toContain('Person: And its docs.');
    expect(JSON.stringify(asked?.body)).toContain('Agent: 2');
  });

  it('not unless it is asked for, nor where the environment says no', async () => {
    for (const options of [
      {},
      { promptSuggestions: true, env: { ...stage.env, CLAUDE_CODE_ENABLE_PROMPT_SUGGESTION: 'false' } },
    ]) {
      const { messages } = await three(options);
      expect(messages.filter(is('prompt_suggestion'))).toEqual([]);
      expect(stage.server.requests.some(({ kind }) => kind === 'helper')).toBe(false);
    }
  });
});

describe('progress of agents', () => {
  let server: RehearsalServer;
  let cwd: string;
  beforeEach(async () => {
    cwd = temporary();
    server = await startRehearsal({
      scenario: {
        name: 'agents',
        replies: [
          guess('Waiting for go'),
          reply(toolUse('Agent', { description: 'Wait', prompt: 'Wait for go.' })),
          reply(toolUse('Bash', { command: 'until [ -e go ]; do sleep 0.02; done' }, 'call_wait')),
          reply('It went.'),
          reply('Done.'),
        ],
      },
    });
  });
  afterEach(() => server.close());
  const options = () => ({
    cwd,
    env: { ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: 'k', PATH: process.env['PATH'] },
    permissionMode: 'bypassPermissions' as const,
    allowDangerouslySkipPermissions: true,
    persistSession: false,
  });
  const told = {
    subtype: 'task_progress',
    description: 'Wait',
    subagent_type: 'general-purpose',
    summary: 'Waiting for go',
    last_tool_name: 'Bash',
    usage: { tool_uses: 1, total_tokens: expect.any(Number), duration_ms: expect.any(Number) },
  };
  const isSummary = (each: object) =>
    'subtype' in each && each.subtype === 'task_progress' && 'summary' in each;

  it('our own query(): a few words each half minute while something happens', async () => {
    const clock = virtualClock();
    const messages: SDKMessage[] = [];
    const running = query({
      prompt: 'Go.',
      options: { ...options(), agentProgressSummaries: true, engine: { clock } },
    });
    const read = (async () => {
      for await (const message of running) messages.push(message);
    })();
    await passTimeUntil(clock, () => messages.some(isSummary));
    // Nothing has happened since: nothing is asked.
    await clock.advance(120_000);
    writeFileSync(join(cwd, 'go'), '');
    await read;
    expect(messages.filter(isSummary)).toMatchObject([told]);
    expect(messages.at(-1)).toMatchObject({ type: 'result', result: 'Done.' });
    expect(server.requests.filter(({ kind }) => kind === 'helper')).toHaveLength(1);
  });

  it('the lines of the protocol: asked for by initialize', async () => {
    const clock = virtualClock();
    const host = startHost(server, { options: { ...options(), engine: { clock } } });
    await host.ask('initialize', { agentProgressSummaries: true });
    host.prompt('Go.');
    await passTimeUntil(clock, () => host.lines.some(isSummary));
    writeFileSync(join(cwd, 'go'), '');
    const result: Line = await host.until(({ type }) => type === 'result');
    expect(result).toMatchObject({ result: 'Done.' });
    expect(host.lines.filter(isSummary)).toMatchObject([told]);
    host.end();
    expect(await host.ended).toBe(0);
  });
});

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { journalFile } from '@turnwright/test/scenarios/journal.ts';
import { killedInCommand } from '@turnwright/test/scenarios/killed-query.ts';
import { rehearse, serve, successOf } from '@turnwright/test/scenarios/rehearse.ts';
import { reply, toolUse } from '@turnwright/testing/rehearsal';
import { expect, it } from 'vitest';
import { getSubagentMessages, listSubagents } from '../../src/index.ts';

const call = (more: object) =>
  toolUse(
    'Agent',
    { description: 'dig', prompt: 'Dig for gold.', subagent_type: 'general-purpose', ...more },
    'call_agent',
  );

/** Kills the process while the command of an agent runs. */
async function killedInAgent(more: object) {
  const server = await serve({
    name: 'killed',
    replies: [
      reply(call(more), { when: { lastMessage: '^Go\\.$' } }),
      reply(['I dig.', toolUse('Bash', { command: 'echo $$ > pid; sleep 60' }, 'call_dig')], {
        when: { lastMessage: 'Dig for gold' },
      }),
      reply('I started it.', { when: { lastMessage: 'works in the background' } }),
    ],
  });
  return killedInCommand(server, 'Go.');
}

const kinds = [
  ['in the foreground', {}, 'did not complete (lost)'],
  ['in the background', { run_in_background: true }, 'works in the background'],
] as const;

it.each(kinds)(
  'kill -9 while an agent works %s: nothing runs twice, what it did and cost is known',
  async (_, more, told) => {
    const place = await killedInAgent(more);
    const run = await rehearse({
      place,
      prompt: 'What happened?',
      replies: [reply('It was interrupted.')],
      options: { continue: true },
    });
    expect(successOf(run)).toMatchObject({ session_id: place.sessionId, result: 'It was interrupted.' });
    expect(run.sent).toHaveLength(1);
    expect(JSON.stringify(run.sent[0])).toContain(told);

    const where = { dir: place.cwd, env: { TURNWRIGHT_HOME: place.home } };
    const [agent = ''] = await listSubagents(place.sessionId, where);
    const kept = await getSubagentMessages(place.sessionId, agent, where);
    expect(JSON.stringify(kept)).toContain('call_dig');

    const all = Object.values(successOf(run).modelUsage).reduce((sum, usage) => sum + usage.outputTokens, 0);
    const main = journalFile(place);
    const own = join(main.replace(/\.jsonl$/, ''), 'subagents', `agent-${agent}.jsonl`);
    expect(answeredTokens(own)).toBeGreaterThan(0);
    expect(all).toBe(answeredTokens(main) + answeredTokens(own));
  },
);

it.each([{}, { run_in_background: true }])(
  'kill -9 while an agent goes on (%o): it goes on once more, no call runs twice, nothing is said twice',
  async (more) => {
    const first = call({ name: 'digger' });
    const again = (text: string, id: string, input: object = {}) =>
      toolUse('SendMessage', { to: 'digger', message: text, ...input }, id);
    const server = await serve({
      name: 'killed',
      replies: [
        reply(first, { when: { lastMessage: '^Go\\.$' } }),
        reply('Gold lies here.', { when: { lastMessage: 'Dig for gold' } }),
        reply(again('Weigh the gold.', 'call_again', more), { when: { lastMessage: 'Gold lies here' } }),
        reply(toolUse('Bash', { command: 'echo $$ > pid; sleep 60' }, 'call_weigh'), {
          when: { lastMessage: 'Weigh the gold' },
        }),
        reply('It weighs.', { when: { lastMessage: 'works in the background' } }),
      ],
    });
    const place = await killedInCommand(server, 'Go.');
    const run = await rehearse({
      place,
      prompt: 'What now?',
      replies: [
        reply(again('Say what it weighs.', 'call_third', { run_in_background: false }), {
          when: { lastMessage: 'What now' },
        }),
        reply('Two pounds.', { when: { lastMessage: 'Say what it weighs' } }),
        reply('It is two pounds.', { when: { lastMessage: 'Two pounds' } }),
      ],
      options: { continue: true },
    });
    expect(successOf(run)).toMatchObject({ result: 'It is two pounds.' });
    const [asked, agent] = run.sent.map((each) => JSON.stringify(each));
    expect(asked).toContain('lost');
    // What it knew is there once, and the call that ran is answered, not run.
    expect(agent?.split('Dig for gold').length).toBe(2);
    expect(agent?.split('Weigh the gold').length).toBe(2);
    expect(agent).toMatch(/Gold lies here.*Weigh the gold.*outcome unknown.*Say what it weighs/);
    expect(run.sent).toHaveLength(3);
    const [id = '', ...others] = await listSubagents(place.sessionId, {
      dir: place.cwd,
      env: { TURNWRIGHT_HOME: place.home },
    });
    expect(others).toEqual([]);
    const own = join(journalFile(place).replace(/\.jsonl$/, ''), 'subagents', `agent-${id}.jsonl`);
    const all = Object.values(successOf(run).modelUsage).reduce((sum, usage) => sum + usage.outputTokens, 0);
    expect(all).toBe(answeredTokens(journalFile(place)) + answeredTokens(own));
  },
);

/** What all answers on record in this file came to. */
function answeredTokens(path: string): number {
  return readFileSync(path, 'utf8')
    .trim()
    .split('\n')
    .map(
      (line) =>
        JSON.parse(line) as {
          readonly type: string;
          readonly message?: { readonly usage: { output_tokens: number } };
        },
    )
    .reduce(
      (sum, { type, message }) => (type === 'response' ? sum + (message?.usage.output_tokens ?? 0) : sum),
      0,
    );
}

/** F58: agents of one session share the wait of a rate limit, and the calls that may run at a time. */

import { type Options, query, type SDKMessage } from '@turnwright/engine';
import { createAdmission, type ServerAnswer } from '@turnwright/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { settle, skippingClock } from '../../model/skipping-clock.ts';
import { startMessagesServer } from '../../model/wires/messages-server.ts';
import { tempFolder } from '../temp-folder.ts';

const AGENTS = 10;
const says = (text: string): ServerAnswer => ({ kind: 'message', parts: [{ kind: 'text', text }] });
const callsOf = (count: number, name: string, input: (n: number) => object): ServerAnswer => ({
  kind: 'message',
  parts: Array.from({ length: count }, (_, n) => ({
    kind: 'call',
    id: `toolu_${name}_${n}`,
    name,
    input: { ...input(n) },
  })),
});
const STARTS = callsOf(AGENTS, 'Agent', (n) => ({
  description: `part ${n}`,
  prompt: `Look at part ${n}.`,
  subagent_type: 'general-purpose',
}));
const LOOKS = callsOf(1, 'Glob', () => ({ pattern: '*.nothing' }));

async function started(more: Options['engine'] = {}) {
  const server = await startMessagesServer();
  onTestFinished(() => server.close());
  const messages: SDKMessage[] = [];
  const run = async () => {
    const options: Options = {
      cwd: tempFolder(),
      env: { ANTHROPIC_API_KEY: 'key', ANTHROPIC_BASE_URL: server.url, TURNWRIGHT_HOME: tempFolder() },
      permissionMode: 'bypassPermissions',
      allowDangerouslySkipPermissions: true,
      engine: { random: () => 0, ...more },
    };
    for await (const message of query({ prompt: 'Go.', options })) messages.push(message);
    return messages.at(-1);
  };
  return { server, run };
}

describe('F58 ten agents at once', () => {
  it('F58 a 429 that one of them meets holds up the others, and none of them asks before it is over', async () => {
    const clock = skippingClock({ holdSleeps: true });
    const { server, run } = await started({ clock });
    server.answerWith(
      STARTS,
      { kind: 'refusal', reason: 'rate_limited', headers: { 'retry-after': '7' } },
      ...Array.from({ length: AGENTS - 1 }, () => LOOKS),
      ...Array.from({ length: AGENTS + 1 }, () => says('Done.')),
    );
    const running = run();
    // With the one that was refused wait those that go on after their tool, and those that come too late to ask.
    while (clock.sleeps.length < AGENTS) await settle();
    const asked = server.received.length;
    await clock.advance(6_900);
    expect(server.received).toHaveLength(asked);
    await clock.advance(200);
    expect(await running).toMatchObject({ subtype: 'success', result: 'Done.' });
    // The main agent twice; nine agents twice, and the refused one once more.
    expect(server.received).toHaveLength(2 + AGENTS + AGENTS);
    expect(clock.sleeps.every((ms) => ms <= 7_000)).toBe(true);
  });

  it('F58 parents that wait for their agents hold no place: one call at a time is enough for all', async () => {
    const admission = createAdmission({ maxConcurrent: 1 });
    const { server, run } = await started({ admission });
    server.answerWith(STARTS, ...Array.from({ length: AGENTS + 1 }, () => says('Done.')));
    expect(await run()).toMatchObject({ subtype: 'success', result: 'Done.' });
    expect(server.received).toHaveLength(AGENTS + 2);
  });
});

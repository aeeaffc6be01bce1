/** What an answer allows for the session holds in all runs of a session that may park. */

import { type Lives, lives, parkedIn, silentHost } from '@turnwright/test/engine/parking/lives.ts';
import { callTool, fakeTool, say } from '@turnwright/testing';
import { expect, it } from 'vitest';
import type { PermissionUpdate } from '../../../src/index.ts';
import type { JournalBody } from '../../../src/protocol/session/journal.ts';
import type { CanUseTool } from '../../../src/protocol/tools/can-use-tool.ts';

const touch = () => fakeTool({ name: 'Touch' });
const other = () => fakeTool({ name: 'Other' });

const allowTouch: PermissionUpdate = {
  type: 'addRules',
  rules: [{ toolName: 'Touch' }],
  behavior: 'allow',
  destination: 'session',
};

/** Allows each call, and gives these updates with it. */
const givingAway =
  (...updatedPermissions: readonly PermissionUpdate[]): CanUseTool =>
  async (_, updatedInput) => ({ behavior: 'allow', updatedInput, updatedPermissions });

const silentDenial: CanUseTool = async () => ({ behavior: 'deny', message: 'no' });

/** Tools that a further prompt asks about, when the model calls both. */
async function askedAbout(session: Lives, options: { readonly parkAfterMs?: number | undefined } = {}) {
  const host = silentHost();
  const canUseTool: CanUseTool = (...call) => {
    void host.canUseTool(...call);
    return Promise.resolve({ behavior: 'deny', message: 'no' });
  };
  await session.run({
    prompt: 'Again.',
    script: [
      callTool('Touch', {}, { id: 'again-1' }),
      callTool('Other', {}, { id: 'again-2' }),
      say('Done.'),
    ],
    tools: [touch(), other()],
    options: { canUseTool, ...options },
  });
  return host.asked.map(({ tool }) => tool);
}

const first = (session: Lives, canUseTool: CanUseTool, options = {}) =>
  session.run({
    prompt: 'Go.',
    script: [callTool('Touch'), say('Done.')],
    tools: [touch()],
    options: { canUseTool, ...options },
  });

it('a rule is not asked for again by a later prompt in another process', async () => {
  const session = lives();
  await first(session, givingAway(allowTouch));
  expect(await askedAbout(session)).toEqual(['Other']);
});

it('a rule that was removed again is asked for', async () => {
  const session = lives();
  await first(session, givingAway(allowTouch, { ...allowTouch, type: 'removeRules' }));
  expect(await askedAbout(session)).toEqual(['Touch', 'Other']);
});

it('a rule of a session that does not park is not recorded', async () => {
  const session = lives();
  await first(session, givingAway(allowTouch), { parkAfterMs: undefined });
  expect(await askedAbout(session)).toEqual(['Touch', 'Other']);
  expect(session.store.entries(session.sessionId).map(({ type }) => type)).not.toContain(
    'session-permissions',
  );
});

it('without parking, rules of earlier runs are not taken up', async () => {
  const session = lives();
  await first(session, givingAway(allowTouch));
  expect(await askedAbout(session, { parkAfterMs: undefined })).toEqual(['Touch', 'Other']);
});

it('a rule that an answer brings to a parked run holds in that run and the next ones', async () => {
  const session = lives();
  parkedIn(await first(session, silentHost().canUseTool));
  const asked: string[] = [];
  await session.run({
    script: [callTool('Touch', {}, { id: 'later' }), say('Done.')],
    tools: [touch()],
    options: {
      canUseTool: async (tool, updatedInput) => {
        asked.push(tool);
        return { behavior: 'allow', updatedInput, updatedPermissions: [allowTouch] };
      },
    },
  });
  expect(asked).toEqual(['Touch']);
  expect(await askedAbout(session)).toEqual(['Other']);
});

it('a mode that was given for the session holds', async () => {
  const session = lives();
  await first(session, givingAway({ type: 'setMode', mode: 'plan', destination: 'session' }));
  const { query, ended } = session.start({ prompt: 'Again.', script: [say('Done.')] });
  const messages = await session.clock.runUntil(ended);
  void query;
  expect(messages.find((message) => message.type === 'system' && message.subtype === 'init')).toMatchObject({
    permissionMode: 'plan',
  });
});

it.each([
  ['is no list', 'Touch'],
  ['is missing', undefined],
  ['holds something else', [null, 7, { type: 'addRules', rules: 'all', behavior: 'allow' }, allowTouch]],
])('a recorded list that %s is passed over with a warning, and the session opens', async (_, updates) => {
  const session = lives();
  await first(session, silentDenial);
  const { epoch, head } = await session.store.takeOver(session.sessionId);
  await session.store.append(session.sessionId, epoch, head, [
    { type: 'session-permissions', id: 'damaged', submission: 's', updates } as unknown as JournalBody,
  ]);
  const warnings: string[] = [];
  const { messages } = await session.run({
    prompt: 'Again.',
    script: [say('Done.')],
    options: { stderr: (line) => warnings.push(line) },
  });
  expect(messages.at(-1)).toMatchObject({ type: 'result', subtype: 'success', result: 'Done.' });
  expect(warnings.join('\n')).toContain(
    'A permission that was given for the session is not carried on: This permission update cannot be read',
  );
  expect(await askedAbout(session)).toEqual(typeof updates === 'object' ? ['Other'] : ['Touch', 'Other']);
});

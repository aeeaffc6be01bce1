import { existsSync, watch } from 'node:fs';
import { join } from 'node:path';
import * as acp from '@agentclientprotocol/sdk';
import { reply, toolUse } from '@turnwright/testing/rehearsal';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Desk, type Editor, openDesk, said } from './editor.ts';

let desk: Desk;
beforeEach(async () => {
  desk = await openDesk();
});
afterEach(() => desk.close());

const begin = (editor: Editor) =>
  editor.agent.request(acp.methods.agent.session.new, { cwd: desk.cwd, mcpServers: [] });
const asked = () =>
  desk.server.requests
    .filter(({ path }) => path === '/v1/messages')
    .map(({ body }) => body as { readonly model: string; readonly messages: unknown });

test('an answer arrives as text, and the turn ends', async () => {
  desk.server.setScenario({ name: 'answer', replies: [reply('Hello from the rehearsal.')] });
  const editor = await desk.open();
  const { sessionId } = await begin(editor);
  const { stopReason } = await editor.prompt(sessionId, 'Hello.');
  expect(stopReason).toBe('end_turn');
  expect(said(editor.updates)).toBe('Hello from the rehearsal.');
});

test('a permission is asked and granted: the tool runs, and the editor sees its call', async () => {
  const path = join(desk.cwd, 'gate');
  desk.server.setScenario({
    name: 'write',
    replies: [reply(toolUse('Write', { file_path: path, content: 'green\n' })), reply('Painted.')],
  });
  const editor = await desk.open();
  const { sessionId } = await begin(editor);
  expect(await editor.prompt(sessionId, 'Paint the gate.')).toMatchObject({ stopReason: 'end_turn' });
  expect(editor.questions).toHaveLength(1);
  expect(existsSync(path)).toBe(true);
  expect(editor.updates).toContainEqual(
    expect.objectContaining({ sessionUpdate: 'tool_call_update', status: 'completed' }),
  );
});

test('a permission that is refused: the tool does not run, and the session goes on', async () => {
  const path = join(desk.cwd, 'gate');
  desk.server.setScenario({
    name: 'refused',
    replies: [
      reply(toolUse('Write', { file_path: path, content: 'green\n' })),
      reply('As you wish.'),
      reply('Yes?'),
    ],
  });
  const editor = await desk.open({ answer: 'reject_once' });
  const { sessionId } = await begin(editor);
  await editor.prompt(sessionId, 'Paint the gate.');
  expect(existsSync(path)).toBe(false);
  expect(await editor.prompt(sessionId, 'Still there?')).toMatchObject({ stopReason: 'end_turn' });
});

test('a cancel ends the running tool and the turn; the next prompt is answered', async () => {
  desk.server.setScenario({
    name: 'cancel',
    replies: [reply(toolUse('Bash', { command: 'touch started; sleep 30' })), reply('Here.')],
  });
  const editor = await desk.open();
  const { sessionId } = await begin(editor);
  const folder = watch(desk.cwd, () => {
    if (existsSync(join(desk.cwd, 'started')))
      void editor.agent.notify(acp.methods.agent.session.cancel, { sessionId });
  });
  expect(await editor.prompt(sessionId, 'Wait.')).toMatchObject({ stopReason: 'cancelled' });
  folder.close();
  expect(await editor.prompt(sessionId, 'There?')).toMatchObject({ stopReason: 'end_turn' });
  expect(said(editor.updates)).toContain('Here.');
});

test('another model is asked once it was chosen', async () => {
  desk.server.setScenario({ name: 'models', replies: [reply('One.'), reply('Two.')] });
  const editor = await desk.open();
  const { sessionId, configOptions } = await begin(editor);
  expect(configOptions?.map(({ id }) => id)).toContain('model');
  await editor.prompt(sessionId, 'One?');
  await editor.agent.request(acp.methods.agent.session.setConfigOption, {
    sessionId,
    configId: 'model',
    value: 'haiku',
  });
  await editor.prompt(sessionId, 'Two?');
  const models = asked().map(({ model }) => model);
  expect(models[0]).not.toBe(models[1]);
  expect(models[1]).toContain('haiku');
});

test('an earlier session is loaded by another process, with what was said', async () => {
  desk.server.setScenario({ name: 'load', replies: [reply('The word is larch.'), reply('Larch.')] });
  const first = await desk.open();
  const { sessionId } = await begin(first);
  await first.prompt(sessionId, 'Say a word.');
  await first.close();

  const second = await desk.open();
  await second.agent.request(acp.methods.agent.session.load, { sessionId, cwd: desk.cwd, mcpServers: [] });
  expect(said(second.updates)).toBe('The word is larch.');
  await second.prompt(sessionId, 'Which word was it?');
  expect(JSON.stringify(asked().at(-1)?.messages)).toContain('The word is larch.');
});

/** Questions of MCP servers that are open for too long: parked only where the call may run again (L4.1). */
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { callTool, deferred, say } from '@turnwright/testing';
import { describe, expect, it } from 'vitest';
import type { Options } from '../../../src/index.ts';
import type { ElicitationAnswer, ElicitationRequest } from '../../../src/protocol/tools/mcp.ts';
// Loading them takes real time, in which the virtual clock would run out.
import '../../../src/mcp/connect/host-connection.ts';
import '../../../src/mcp/servers/server-tools.ts';
import '../../../src/engine/mcp/elicitations.ts';
import { lives, parkedIn, resultIn } from '@turnwright/test/engine/parking/lives.ts';

const FORM = { type: 'object' as const, properties: { size: { type: 'string' as const } } };

/** Servers with a tool that asks what `asks` names, one question after the other. Each run needs its own. */
function desk(asks: readonly string[], annotations: { readOnlyHint?: boolean; idempotentHint?: boolean }) {
  const calls: unknown[] = [];
  const open = (): Options => {
    const instance = new McpServer({ name: 'desk', version: '1.0.0' });
    instance.registerTool('order', { description: 'Asks, and orders.', annotations }, async () => {
      calls.push({});
      const answers: unknown[] = [];
      for (const message of asks)
        answers.push(await instance.server.elicitInput({ message, requestedSchema: FORM }));
      return { content: [{ type: 'text', text: JSON.stringify(answers) }] };
    });
    return {
      mcpServers: { desk: { type: 'sdk', name: 'desk', instance } },
      allowedTools: ['mcp__desk__order'],
    };
  };
  return { calls, open };
}

type Asked = ElicitationRequest & { readonly askId: string };

/** A host that answers the questions named here, and no other. */
function host(answers: Readonly<Record<string, ElicitationAnswer>>) {
  const asked: Asked[] = [];
  const reasons: unknown[] = [];
  const onElicitation: Options['onElicitation'] = async (request, { askId, signal }) => {
    asked.push({ ...request, askId });
    const answer = answers[request.message];
    if (answer !== undefined) return answer;
    signal.addEventListener('abort', () => reasons.push(signal.reason));
    return new Promise(() => {});
  };
  return { asked, reasons, onElicitation };
}

const call = () => callTool('mcp__desk__order', {});
const small: ElicitationAnswer = { action: 'accept', content: { size: 'small' } };
const resultText = (messages: readonly unknown[]) => JSON.stringify(messages);

describe('of a call that only reads', () => {
  it('is parked: the call is made again, and the same question has the same id', async () => {
    const session = lives();
    const server = desk(['Which size?'], { readOnlyHint: true });
    const silent = host({});
    const first = await session.run({
      prompt: 'Order.',
      script: [call()],
      options: { ...server.open(), onElicitation: silent.onElicitation },
    });
    expect(parkedIn(first)).toMatchObject({ on: 'ask', ask_ids: [silent.asked[0]?.askId] });
    expect(silent.reasons).toEqual(['parked']);

    const answering = host({ 'Which size?': small });
    const second = await session.run({
      script: [say('Done.')],
      options: { ...server.open(), onElicitation: answering.onElicitation },
    });
    expect(resultIn(second)).toMatchObject({ subtype: 'success', result: 'Done.' });
    expect(answering.asked.map(({ askId }) => askId)).toEqual(parkedIn(first).ask_ids);
    expect(server.calls).toHaveLength(2);
    expect(resultText(second.messages)).toContain('small');
    const asks = session.store.entries(session.sessionId).filter(({ type }) => type === 'ask');
    expect(asks, 'recorded once').toHaveLength(1);
  });

  it('an answer that came before is used when the call is made again', async () => {
    const session = lives();
    const server = desk(['Which size?', 'Which colour?'], { idempotentHint: true });
    const half = host({ 'Which size?': small });
    const first = await session.run({
      prompt: 'Order.',
      script: [call()],
      options: { ...server.open(), onElicitation: half.onElicitation },
    });
    expect(parkedIn(first).ask_ids).toEqual([half.asked[1]?.askId]);
    const rest = host({ 'Which colour?': { action: 'decline' } });
    const second = await session.run({
      script: [say('Done.')],
      options: { ...server.open(), onElicitation: rest.onElicitation },
    });
    expect(resultIn(second)).toMatchObject({ result: 'Done.' });
    expect(rest.asked.map(({ message }) => message)).toEqual(['Which colour?']);
    expect(resultText(second.messages)).toContain('small');
  });
});

it('of a call that must not be made twice is waited for', async () => {
  const session = lives();
  const server = desk(['Which size?'], {});
  const asked = deferred<(given: ElicitationAnswer) => void>();
  const running = session.start({
    prompt: 'Order.',
    script: [call(), say('Done.')],
    options: {
      ...server.open(),
      onElicitation: () => new Promise((resolve) => asked.resolve(resolve)),
    },
  });
  const answer = await asked.promise;
  await session.clock.advance(600_000);
  answer(small);
  const messages = await session.clock.runUntil(running.ended);
  expect(resultIn({ messages })).toMatchObject({ result: 'Done.' });
  expect(server.calls).toHaveLength(1);
});

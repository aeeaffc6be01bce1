/** A whole session in a home of its own, whose model is rehearsed and whose commands run in the sandbox. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { reply, startRehearsal, toolUse } from '@turnwright/testing/rehearsal';
import { onTestFinished } from 'vitest';
import { type Options, query, type SDKMessage } from '../../src/index.ts';

export interface HomeFolder {
  /** `HOME`. */
  readonly home: string;
  readonly cwd: string;
}

/** They go with the test. */
export function homeFolder(): HomeFolder {
  const home = mkdtempSync(join(tmpdir(), 'turnwright-home-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const cwd = join(home, 'work');
  mkdirSync(cwd);
  return { home, cwd };
}

export interface Session {
  readonly messages: readonly SDKMessage[];
  /** What the model was told of each call, in order. */
  readonly results: readonly string[];
}

/** The model makes the calls, one after the other. */
export async function sessionOf(
  { home, cwd }: HomeFolder,
  calls: readonly (readonly [tool: string, input: Readonly<Record<string, unknown>>])[],
  options: Options = {},
): Promise<Session> {
  const server = await startRehearsal();
  onTestFinished(() => server.close());
  const replies = [...calls.map(([tool, input]) => reply([toolUse(tool, input)])), reply('Done.')];
  server.setScenario({ name: 'calls', replies });
  const env = { PATH: process.env['PATH'] ?? '', HOME: home, TURNWRIGHT_HOME: join(home, 'config') };
  const messages: SDKMessage[] = [];
  const all: Options = {
    cwd,
    settingSources: [],
    ...options,
    env: { ...env, ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: 'sk-test', ...options.env },
  };
  for await (const message of query({ prompt: 'Go.', options: all })) messages.push(message);
  const results = messages.flatMap((message) => {
    const content = message.type === 'user' ? message.message.content : [];
    return typeof content === 'string'
      ? []
      : content.flatMap((block) => (block.type === 'tool_result' ? [JSON.stringify(block.content)] : []));
  });
  return { messages, results };
}

/** Edits of a rehearsed model in a folder with language servers, and what their results say. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { mkdtemp, realpath } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Options, query, type SDKMessage } from '@turnwright/engine';
import type { ScriptStep } from '@turnwright/testing';
import { scriptedModel } from '@turnwright/testing';

export const TSC = fileURLToPath(new URL('../../node_modules/typescript/bin/tsc', import.meta.url));
/** The language server that TypeScript is itself. */
export const TYPESCRIPT = {
  command: process.execPath,
  args: [TSC, '--lsp', '--stdio'],
  extensionToLanguage: { '.ts': 'typescript' },
};

export async function makeProject(files: Readonly<Record<string, string>>): Promise<string> {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'languages-')));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), text);
  }
  return root;
}

export interface Worked {
  readonly messages: readonly SDKMessage[];
  /** Texts of the tool results, by the ids of their calls. */
  readonly results: Readonly<Record<string, string>>;
  readonly requests: ReturnType<typeof scriptedModel>['requests'];
  readonly stderr: readonly string[];
}

export async function work(
  cwd: string,
  script: readonly ScriptStep[],
  options: Options = {},
): Promise<Worked> {
  const model = scriptedModel(script);
  const messages: SDKMessage[] = [];
  const stderr: string[] = [];
  const given: Options = {
    cwd,
    permissionMode: 'acceptEdits',
    persistSession: false,
    env: { PATH: process.env['PATH'] },
    stderr: (line) => stderr.push(line),
    ...options,
    engine: { callModel: model.callModel, ...options.engine },
  };
  for await (const message of query({ prompt: 'Go.', options: given })) messages.push(message);
  const results: Record<string, string> = {};
  for (const message of messages) {
    if (message.type !== 'user' || typeof message.message.content === 'string') continue;
    for (const block of message.message.content)
      if (block.type === 'tool_result')
        results[block.tool_use_id] =
          typeof block.content === 'string' ? block.content : JSON.stringify(block.content);
  }
  return { messages, results, requests: model.requests, stderr };
}

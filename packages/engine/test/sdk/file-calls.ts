/** Calls of the file tools through `query()` and the real loop: what the model is answered, and who was asked. */
import { mkdir, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gather } from '@turnwright/test/sdk/query-under-test.ts';
import { type RehearsalServer, reply, startRehearsal, toolUse } from '@turnwright/testing/rehearsal';
import { type CanUseTool, type Options, query } from '../../src/index.ts';

export interface FileCalls {
  /** Beside the project: what no call may reach. */
  readonly outside: string;
  readonly cwd: string;
  readonly server: RehearsalServer;
  /** A path in the project. */
  at(name: string): string;
  /** Makes the calls one after the other and answers with their results. */
  answers(
    calls: readonly ReturnType<typeof toolUse>[],
    options?: Options & { readonly prompt?: string },
  ): Promise<readonly Answer[]>;
  /** Everything the model was sent. */
  sent(): string;
  close(): Promise<void>;
}

export interface Answer {
  readonly text: string;
  readonly isError: boolean;
}

export const FILE_TOOLS = ['Read', 'Write', 'Edit', 'NotebookEdit', 'Grep', 'Glob'];

export async function fileCalls(): Promise<FileCalls> {
  const server = await startRehearsal();
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'turnwright-file-calls-')));
  const cwd = join(folder, 'project');
  const outside = join(folder, 'outside');
  await mkdir(cwd);
  await mkdir(outside);
  return {
    cwd,
    outside,
    server,
    at: (name) => join(cwd, name),
    async answers(calls, { prompt = 'Go.', ...options } = {}) {
      server.setScenario({ name: 'files', replies: [...calls.map((call) => reply(call)), reply('Done.')] });
      const env = {
        ANTHROPIC_BASE_URL: server.url,
        ANTHROPIC_API_KEY: 'k',
        PATH: process.env['PATH'],
        HOME: folder,
      };
      const { error } = await gather(
        query({
          prompt,
          options: { cwd, env, tools: FILE_TOOLS, persistSession: false, ...options },
        }),
      );
      if (error !== undefined) throw error;
      return resultsIn(server.requests.at(-1)?.body);
    },
    sent: () => JSON.stringify(server.requests.map(({ body }) => body)),
    async close() {
      await server.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Says yes to everything, after `meanwhile`. */
export const yesAfter =
  (meanwhile: () => void | Promise<void>): CanUseTool =>
  async (_, input) => {
    await meanwhile();
    return { behavior: 'allow', updatedInput: input };
  };

function resultsIn(body: unknown): Answer[] {
  const { messages } = body as { messages: readonly { role: string; content: unknown }[] };
  return messages.flatMap(({ role, content }) =>
    role === 'user' && Array.isArray(content)
      ? content.flatMap((block) =>
          block.type === 'tool_result'
            ? [
                {
                  text: typeof block.content === 'string' ? block.content : JSON.stringify(block.content),
                  isError: block.is_error === true,
                },
              ]
            : [],
        )
      : [],
  );
}

export const call = toolUse;

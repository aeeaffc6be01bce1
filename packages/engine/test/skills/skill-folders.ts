/** Real folders with real skills, and a rehearsed model to tell them to. */
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type RehearsalServer, type Reply, startRehearsal } from '@turnwright/testing/rehearsal';
import { expect, onTestFinished } from 'vitest';
import { type Options, query, type SDKMessage } from '../../src/index.ts';

export interface SkillStage {
  readonly server: RehearsalServer;
  /** The project. */
  readonly cwd: string;
  /** The configuration home. */
  readonly home: string;
  /** Writes a file below the folder that holds both. */
  write(path: string, text: string): Promise<string>;
  /** Plays these replies and gives everything that was said. */
  run(replies: readonly Reply[], options?: Options, prompt?: string): Promise<readonly SDKMessage[]>;
  options(more?: Options): Options;
  /** The messages of a request, as JSON; the last one without a number. */
  sent(at?: number): string;
  /** Names of the tools in the last request. */
  tools(): readonly string[];
}

export async function skillStage(): Promise<SkillStage> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'turnwright-skills-')));
  const server = await startRehearsal();
  onTestFinished(async () => {
    await server.close();
    await rm(folder, { recursive: true, force: true });
  });
  const cwd = join(folder, 'work');
  const home = join(folder, 'home');
  await mkdir(cwd);
  await mkdir(home);
  const bodies = () =>
    server.requests.filter(({ path }) => path === '/v1/messages').map(({ body }) => body as Body);
  const options = (more: Options = {}): Options => ({
    cwd,
    env: {
      PATH: process.env['PATH'],
      HOME: folder,
      TURNWRIGHT_HOME: home,
      ANTHROPIC_BASE_URL: server.url,
      ANTHROPIC_API_KEY: 'k',
    },
    settingSources: ['user', 'project'],
    ...more,
  });
  return {
    server,
    cwd,
    home,
    options,
    async write(path, text) {
      const file = join(folder, path);
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, text);
      return file;
    },
    async run(replies, more, prompt = 'Go.') {
      server.setScenario({ name: 'skills', replies });
      const messages: SDKMessage[] = [];
      for await (const message of query({ prompt, options: options(more) })) messages.push(message);
      expect(server.report()).toMatchObject({ rejected: [], unanswered: [], unusedReplies: [] });
      return messages;
    },
    sent: (at = -1) => JSON.stringify(bodies().at(at)?.messages),
    tools: () => (bodies().at(-1)?.tools ?? []).map(({ name }) => name),
  };
}

interface Body {
  readonly messages: unknown;
  readonly tools?: readonly { readonly name: string }[];
}

/** A SKILL.md. */
export function skill(name: string, description: string, body: string, more = ''): string {
  return `---\nname: ${name}\ndescription: ${description}\n${more}---\n\n${body}\n`;
}

/** One session with a prompt for each of these; before each prompt, what is to happen first. */
export async function session(
  stage: SkillStage,
  replies: readonly Reply[],
  before: readonly (() => Promise<unknown>)[],
  options = {},
): Promise<readonly SDKMessage[]> {
  stage.server.setScenario({ name: 'session', replies });
  let next = () => {};
  const prompts = async function* () {
    for (const [at, first] of before.entries()) {
      await first();
      const ended = new Promise<void>((resolve) => {
        next = resolve;
      });
      yield {
        type: 'user' as const,
        message: { role: 'user' as const, content: `Prompt ${at}.` },
        parent_tool_use_id: null,
      };
      await ended;
    }
  };
  const messages: SDKMessage[] = [];
  for await (const message of query({ prompt: prompts(), options: stage.options(options) })) {
    messages.push(message);
    if (message.type === 'result') next();
  }
  expect(stage.server.report()).toMatchObject({ rejected: [], unanswered: [] });
  return messages;
}

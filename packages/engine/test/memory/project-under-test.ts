/** A project on disk, a home, and `query()` against a rehearsed model: what is asserted is what was sent. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type RehearsalServer, reply, type Scenario, startRehearsal } from '@turnwright/testing/rehearsal';
import { onTestFinished } from 'vitest';
import {
  type Options,
  query,
  type SDKMessage,
  type SDKResultMessage,
  type SDKUserMessage,
} from '../../src/index.ts';

export interface Project {
  /** Holds the project and the home. */
  readonly folder: string;
  readonly cwd: string;
  readonly home: string;
  readonly server: RehearsalServer;
  /** By path, from the project's folder or absolute. */
  write(files: Readonly<Record<string, string>>): void;
  at(path: string): string;
  /** Runs the prompts in one session, each after the result of the one before. */
  run(options: RunOptions): Promise<Ran>;
}

export interface RunOptions {
  readonly replies?: Scenario['replies'];
  /** Plays on what the server has. Default false. */
  readonly keep?: boolean;
  readonly prompt: string | readonly string[];
  readonly options?: Options;
  readonly env?: Readonly<Record<string, string>>;
}

export interface Ran {
  readonly messages: readonly SDKMessage[];
  readonly results: readonly SDKResultMessage[];
  /** Bodies of the requests to the model, as JSON. */
  readonly sent: readonly string[];
}

export async function projectUnderTest(files: Readonly<Record<string, string>> = {}): Promise<Project> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'turnwright-project-')));
  const cwd = join(folder, 'work');
  const home = join(folder, 'home');
  mkdirSync(join(cwd, '.git'), { recursive: true });
  mkdirSync(home);
  const server = await startRehearsal();
  onTestFinished(async () => {
    await server.close();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  });
  const at = (path: string) => join(path.startsWith('/') ? '' : cwd, path);
  const write: Project['write'] = (more) => {
    for (const [path, text] of Object.entries(more)) {
      mkdirSync(dirname(at(path)), { recursive: true });
      writeFileSync(at(path), text);
    }
  };
  write(files);
  return {
    folder,
    cwd,
    home,
    server,
    write,
    at,
    async run({ replies = [reply('Done.')], keep = false, prompt, options = {}, env = {} }) {
      if (!keep) server.setScenario({ name: 'project', replies });
      const before = server.requests.length;
      const messages: SDKMessage[] = [];
      const waiting = typeof prompt === 'string' ? [prompt] : [...prompt];
      let next = () => {};
      async function* input(): AsyncGenerator<SDKUserMessage> {
        for (const content of waiting) {
          const answered = new Promise<void>((resolve) => (next = resolve));
          yield { type: 'user', message: { role: 'user', content }, parent_tool_use_id: null };
          await answered;
        }
      }
      const running = query({
        prompt: input(),
        options: {
          cwd,
          env: {
            PATH: process.env['PATH'],
            HOME: folder,
            TURNWRIGHT_HOME: home,
            ANTHROPIC_BASE_URL: server.url,
            ANTHROPIC_API_KEY: 'sk-test',
            ...env,
          },
          settingSources: ['user', 'project', 'local'],
          ...options,
        },
      });
      try {
        for await (const message of running) {
          messages.push(message);
          if (message.type === 'result') next();
        }
      } catch (error) {
        if (messages.at(-1)?.type !== 'result') throw error;
      }
      const asked = server.requests.slice(before).filter(({ path }) => path === '/v1/messages');
      return {
        messages,
        results: messages.filter((message) => message.type === 'result'),
        sent: asked.map(({ body }) => JSON.stringify(body)),
      };
    },
  };
}

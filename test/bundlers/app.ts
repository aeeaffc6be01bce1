/** An app with the packed package, and a rehearsed model for it. */
import { execFile, execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type RehearsalServer, reply, startRehearsal, toolUse } from '@turnwright/testing/rehearsal';
import { expect } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
export const HERE = fileURLToPath(new URL('.', import.meta.url));
/** Outside of the repository, whose packages would be found otherwise. */
export const WORK = mkdtempSync(join(tmpdir(), 'turnwright-bundlers-'));
export const APP = join(WORK, 'app');

/** What every bundler builds: an agent that searches. */
const AGENT = `import { query } from 'turnwright';

async function main() {
  const searched = [];
  const options = { cwd: process.env.AGENT_CWD, tools: ['Grep'], allowedTools: ['Grep'], persistSession: false };
  for await (const message of query({ prompt: 'Where is alpha?', options })) {
    if (message.type === 'user') searched.push(...message.message.content.map(({ content }) => content));
    if (message.type === 'result') console.log(JSON.stringify({ result: message.result, searched }));
  }
}

void main();
`;

interface Outcome {
  readonly result: string;
  readonly searched: readonly string[];
}

/** Lays out the app: the package as npm would install it, with ripgrep. */
export function layOut(): void {
  const modules = join(APP, 'node_modules');
  mkdirSync(join(modules, 'turnwright'), { recursive: true });
  const [packed] = JSON.parse(
    execFileSync('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', WORK], {
      cwd: root,
      encoding: 'utf8',
    }),
  );
  execFileSync('tar', [
    '-xzf',
    join(WORK, packed.filename),
    '-C',
    join(modules, 'turnwright'),
    '--strip-components=1',
  ]);
  for (const name of ['@vscode', 'zod'])
    cpSync(join(root, 'node_modules', name), join(modules, name), { recursive: true });
  writeFileSync(join(APP, 'package.json'), '{ "private": true, "type": "module" }');
  writeFileSync(join(APP, 'agent.mjs'), AGENT);
  mkdirSync(join(WORK, 'searched'));
  writeFileSync(join(WORK, 'searched', 'notes.txt'), 'alpha is here\n');
}

export const startModel = (): Promise<RehearsalServer> => startRehearsal({ scenario: answers() });

export const answers = () => ({
  name: 'search',
  replies: [reply(toolUse('Grep', { pattern: 'alpha' })), reply('In notes.txt.')],
});

/** Variables of a program that asks the rehearsed model, with nothing of this machine but `path`. */
export const variables = (server: RehearsalServer, path = ''): Record<string, string> => ({
  PATH: path,
  HOME: WORK,
  AGENT_CWD: join(WORK, 'searched'),
  ANTHROPIC_BASE_URL: server.url,
  ANTHROPIC_API_KEY: 'rehearsal',
});

export const build = async (bundler: string, out: string): Promise<string> =>
  (
    await run(
      process.execPath,
      [join(HERE, 'build.mjs'), bundler, join(APP, 'agent.mjs'), out],
      process.env,
      HERE,
    )
  ).stdout;

export const run = (program: string, args: readonly string[], env: NodeJS.ProcessEnv, cwd: string) =>
  promisify(execFile)(program, args, { env, cwd, maxBuffer: 1 << 24 });

/** What a search says that found no ripgrep. */
export const WITHOUT = /Searched without ripgrep, which is slower/;

/** Runs the agent as this program, and returns what it searched. */
export async function searchedBy(
  program: string,
  args: readonly string[],
  server: RehearsalServer,
  path?: string,
): Promise<string> {
  const { stdout, stderr } = await run(program, args, variables(server, path), dirname(args.at(-1) ?? WORK));
  expect(stderr).toBe('');
  const { result, searched } = JSON.parse(stdout) as Outcome;
  expect(result).toBe('In notes.txt.');
  expect(searched.join()).toContain('notes.txt');
  return searched.join();
}

export const bin = (name: string) => join(HERE, 'node_modules', '.bin', name);

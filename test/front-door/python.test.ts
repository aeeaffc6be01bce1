/**
 * The programs of docs/python.md, with the official Python SDK where it is installed (`pip install claude-agent-sdk`, or its
 * folder in PYTHONPATH). Without it they are only parsed.
 */
import { execFile, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import {
  type RecordedRequest,
  type Reply,
  reply,
  startRehearsal,
  toolUse,
} from '@turnwright/testing/rehearsal';
import { describe, expect, it, onTestFinished } from 'vitest';
import { codeBlocks } from '../code-blocks.ts';
import { ROOT } from './page.ts';

const run = promisify(execFile);
const python = (code: string) => spawnSync('python3', ['-c', code], { encoding: 'utf8' });
const hasPython = python('').status === 0;
const hasSdk = hasPython && python('import claude_agent_sdk').status === 0;

const blocks = codeBlocks('python');
const titleOf = (text: string) => /^# (.*)/.exec(text)?.[1] ?? '';

interface Expected {
  readonly replies: readonly Reply[];
  readonly prints: RegExp;
  readonly check?: (folder: string, requests: readonly RecordedRequest[]) => void;
}

interface Body {
  readonly messages: readonly unknown[];
  readonly tools?: readonly { readonly name: string }[];
}
const bodyOf = (request: RecordedRequest | undefined) => request?.body as Body;
const resultsIn = (request: RecordedRequest | undefined) => JSON.stringify(bodyOf(request).messages.at(-1));
const once = [reply('Hello.')];

/** By the title of a program: what the model answers, and what the program prints. */
const PROGRAMS: Readonly<Record<string, Expected>> = {
  'A prompt, and what comes of it.': { replies: once, prints: /^Hello\.\nsuccess 1 0\.\d+\n$/ },
  'Two tools, nothing else, and a limit of money that is never exceeded.': {
    replies: once,
    prints: /^Hello\.\n$/,
    check: (_, [first]) => expect(bodyOf(first).tools?.map(({ name }) => name)).toEqual(['Grep', 'Read']),
  },
  'Each call is asked about: an answer allows it, changes its input, or denies it with a reason.': {
    replies: [reply([toolUse('Bash', { command: 'rm notes.txt' })]), reply('It stays.')],
    prints: /'tool_name': 'Bash'/,
    check(folder, requests) {
      expect(existsSync(join(folder, 'notes.txt'))).toBe(true);
      expect(resultsIn(requests[1])).toContain('Nothing is deleted here.');
    },
  },
  'A hook sees every call before the rules do, and after it what came of it.': {
    replies: [reply([toolUse('Read', { file_path: '.env' })]), reply('I may not.')],
    prints: /^I may not\.\n$/,
    check: (_, requests) => expect(resultsIn(requests[1])).toContain('Secrets stay where they are.'),
  },
  'A function of this program is a tool of the model.': {
    replies: [reply([toolUse('mcp__sums__add', { a: 2, b: 3 })]), reply('It is 5.')],
    prints: /^It is 5\.\n$/,
    check: (_, requests) => expect(resultsIn(requests[1])).toContain('"text":"5"'),
  },
  'Two prompts of one conversation.': {
    replies: [reply('Hello.'), reply('Hello again.')],
    prints: /^(\S+) Hello\.\n\1 Hello again\.\n$/,
  },
  'The words as they come.': { replies: once, prints: /^Hello\.\n$/ },
  'A session goes on in another process, and a fork of it leaves it as it was.': {
    replies: [reply('Hello.'), reply('Hello again.'), reply('Hello again.')],
    prints: /^True False\n$/,
    check: (_, requests) =>
      expect(requests.map((request) => bodyOf(request).messages.length)).toEqual([1, 3, 5]),
  },
  'An answer that fits a schema, or a result that says why there is none.': {
    replies: [reply([toolUse('StructuredOutput', { name: 'larch' })]), reply('Done.')],
    prints: /^{'name': 'larch'}\n$/,
  },
  'An agent with tools and a prompt of its own.': {
    replies: [
      reply([
        toolUse('Agent', { subagent_type: 'reviewer', description: 'Review', prompt: 'Look at app.py.' }),
      ]),
      reply('Nothing to mend.'),
      reply('It is fine.'),
    ],
    prints: /^It is fine\.\n$/,
    check: (_, requests) => expect(resultsIn(requests[2])).toContain('Nothing to mend.'),
  },
};

describe('docs/python.md', () => {
  it('has ten programs, each with a title', () => {
    expect(blocks.map(({ text }) => titleOf(text))).toEqual(Object.keys(PROGRAMS));
  });

  it.runIf(hasPython)('has no program with an error of syntax', () => {
    const texts = JSON.stringify(JSON.stringify(blocks.map(({ text }) => text)));
    const parse = `import json\nfor text in json.loads(${texts}): compile(text, 'block', 'exec')`;
    expect(python(parse).stderr).toBe('');
  });

  for (const { text } of blocks)
    it.runIf(hasSdk)(titleOf(text), async () => {
      const { replies, prints, check } = PROGRAMS[titleOf(text)] as Expected;
      const folder = mkdtempSync(join(tmpdir(), 'python-'));
      for (const name of ['notes.txt', '.env', 'app.py']) writeFileSync(join(folder, name), 'x = 1\n');
      writeFileSync(join(folder, 'program.txt'), text);
      const server = await startRehearsal({ scenario: { name: 'python', replies: [...replies] } });
      onTestFinished(() => server.close());
      const { stdout } = await run('python3', ['program.txt'], {
        cwd: folder,
        env: {
          ...process.env,
          PATH: `${join(ROOT, 'dist/bin')}${delimiter}${process.env['PATH']}`,
          HOME: join(folder, 'home'),
          ANTHROPIC_BASE_URL: server.url,
          ANTHROPIC_API_KEY: 'sk-test',
        },
      });
      expect(stdout).toMatch(prints);
      check?.(folder, server.requests);
    });
});

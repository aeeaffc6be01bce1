/** The conversation line by line: every line once, every question a numbered list, no control sequence at all. */
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { configurationHome, sessionsDirectory } from '@turnwright/engine';
import { reply, type ScriptedReply, startRehearsal, toolUse } from '@turnwright/testing/rehearsal';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { ConversationCommandContext } from '../../src/conversation/command-context.ts';
import { listOverlay } from '../../src/conversation/commands/list.ts';
import { questionOverlay } from '../../src/conversation/commands/question.ts';
import type { ConversationClock } from '../../src/conversation/conversation-clock.ts';
import { LineMode } from '../../src/conversation/line-mode/index.ts';
import { wantsLineMode } from '../../src/conversation/line-mode/wants-line-mode.ts';
import { draftPath, readDraft } from '../../src/conversation/session/drafts.ts';
import { PATH_WITH_IDLE_NPM } from './idle-npm.ts';

/** Time goes on by hand; timers that are due then run. */
function handClock() {
  let ms = 0;
  let timers: { readonly atMs: number; readonly callback: () => void }[] = [];
  const clock: ConversationClock = {
    monotonicMs: () => ms,
    nowMs: () => ms,
    sleep: () => new Promise(() => {}),
    timer(afterMs, callback) {
      const timer = { atMs: ms + afterMs, callback };
      timers.push(timer);
      return () => {
        timers = timers.filter((each) => each !== timer);
      };
    },
  };
  return {
    clock,
    pass(more: number) {
      ms += more;
      const due = timers.filter(({ atMs }) => atMs <= ms);
      timers = timers.filter(({ atMs }) => atMs > ms);
      for (const { callback } of due) callback();
    },
  };
}

interface Start {
  readonly prompt?: string;
  readonly runCommand?: (text: string, context: ConversationCommandContext) => Promise<boolean>;
  readonly options?: object;
  readonly askSecret?: (question: string) => Promise<string | undefined>;
  /** Makes files before it begins. */
  readonly prepare?: (cwd: string) => void;
}

async function start(
  replies: readonly ScriptedReply[],
  { prompt, runCommand, options, askSecret, prepare }: Start = {},
) {
  const server = await startRehearsal({ scenario: { name: 'line mode', replies } });
  const cwd = realpathSync(mkdtempSync(join(tmpdir(), 'turnwright-lines-')));
  mkdirSync(join(cwd, 'home'));
  prepare?.(cwd);
  const { clock, pass } = handClock();
  const input = new PassThrough();
  let written = '';
  let wake = () => {};
  const mode = new LineMode({
    launch: {
      options: {
        cwd,
        env: {
          PATH: PATH_WITH_IDLE_NPM,
          HOME: join(cwd, 'home'),
          ANTHROPIC_BASE_URL: server.url,
          ANTHROPIC_API_KEY: 'k',
        },
        includePartialMessages: true,
        settingSources: [],
        ...options,
      },
      target: {},
      prompt,
    },
    runCommand,
    ...(askSecret && { askSecret }),
    clock,
    input,
    isEchoed: false,
    write(text) {
      written += text;
      wake();
    },
  });
  const { left } = mode;
  left.catch(() => undefined);
  onTestFinished(async () => {
    await mode.leave();
    await server.close();
  });
  let seen = 0;
  /** What is written from here on, up to this text. */
  const until = async (text: string): Promise<string> => {
    while (!written.slice(seen).includes(text))
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    const end = written.indexOf(text, seen) + text.length;
    const part = written.slice(seen, end);
    seen = end;
    return part;
  };
  /** Types a line, long enough after what was asked. */
  const type = (line: string) => {
    pass(500);
    input.write(`${line}\n`);
  };
  return { server, cwd, mode, left, input, type, pass, until, all: () => written };
}

/** Where drafts of its sessions are kept. */
const sessionsOf = (cwd: string) =>
  sessionsDirectory(configurationHome({ HOME: join(cwd, 'home') }, cwd) ?? '', cwd);

const ready = '> ';
const unasked = { permissionMode: 'bypassPermissions', allowDangerouslySkipPermissions: true };

test('a task with an edit and a command: each line is written once, and nothing but text', async () => {
  const { cwd, type, until, all, left, input } = await start([
    reply(['I read it.\nThen I mend it.', toolUse('Read', { file_path: 'add.js' })]),
    reply(toolUse('Edit', { file_path: 'add.js', old_string: 'a - b', new_string: 'a + b' })),
    reply(toolUse('Bash', { command: 'touch x; printf "one\\ntwo\\n"; exit 3' })),
    reply('It is **mended**.'),
  ]);
  writeFileSync(join(cwd, 'add.js'), 'export const add = (a, b) => a - b;\n');
  await until(ready);
  type('mend add');
  await until('Number from 1 to');
  type('1');
  await until('Number from 1 to');
  type('1');
  await until('Done: ');
  await until(ready);
  input.end();
  await left;
  expect(readFileSync(join(cwd, 'add.js'), 'utf8')).toContain('a + b');
  const lines = all().split('\n');
  expect(lines).toEqual(
    expect.arrayContaining([
      'I read it.',
      'Then I mend it.',
      expect.stringMatching(/^Tool: Read add\.js … done, \d+ ms$/),
      'Question: may Edit do this?',
      '  old_string: a - b',
      '  new_string: a + b',
      '1. Yes, once',
      expect.stringMatching(/^Tool: Edit add\.js … done, \d+ ms$/),
      '  removed: export const add = (a, b) => a - b;',
      '  added: export const add = (a, b) => a + b;',
      'Question: may Bash do this?',
      '  touch x; printf "one\\ntwo\\n"; exit 3',
      expect.stringMatching(/^Tool: Bash .* … failed, exit 3, \d+ ms$/),
      '  one',
      '  two',
      'It is **mended**.',
      expect.stringMatching(/^Done: 4 turns, .*, \$\d/),
      expect.stringMatching(/^To go on with this conversation: turnwright --resume /),
    ]),
  );
  const said = lines.filter((line) => /^(?:I read|Then I|It is|Tool:|Done:| {2}removed| {2}one)/.test(line));
  expect(new Set(said).size).toBe(said.length);
  expect(all()).not.toMatch(/[^\P{Cc}\n]/u);
  expect(all()).not.toMatch(/[\u2500-\u259f\u25a0-\u25ff\u2800-\u28ff]/);
});

test('calls that end while their answer still streams begin no further turn', async () => {
  const read = toolUse('Read', { file_path: 'add.js' });
  const { cwd, type, until } = await start([
    reply([read, toolUse('Glob', { pattern: '*' })], { timing: { blockPauseMs: 300 } }),
    reply('Done.'),
  ]);
  writeFileSync(join(cwd, 'add.js'), 'x\n');
  await until(ready);
  type('look');
  await until('Done: 2 turns');
});

describe('a permission question', () => {
  const asked = () =>
    start([reply(toolUse('Write', { file_path: 'a.txt', content: 'x\n' })), reply('Done.')], {
      prompt: 'go',
    });

  test('is not answered by a line that was typed before it could be read', async () => {
    const { input, type, until, server } = await asked();
    await until('Number from 1 to');
    input.write('1\n');
    await until('That came before the question could be read. Please answer again.');
    type('3');
    await until('Tool: Write a.txt … denied');
    await until('Done: ');
    expect(JSON.stringify(server.requests.at(-1)?.body)).toContain('The user does not allow this call.');
  });

  test('takes the words behind the number, and says what is no choice', async () => {
    const { type, until, server } = await asked();
    await until('Number from 1 to');
    type('9');
    await until('9 is none of the choices.');
    type('4 use b.txt');
    await until('Done: ');
    expect(JSON.stringify(server.requests.at(-1)?.body)).toContain(
      'The user does not allow this call. They say: use b.txt',
    );
  });

  test('asks for the words that are missing', async () => {
    const { type, until, server } = await asked();
    await until('Number from 1 to');
    type('4');
    await until('Why: ');
    type('not now');
    await until('Done: ');
    expect(JSON.stringify(server.requests.at(-1)?.body)).toContain('They say: not now');
  });

  test('is withdrawn by Ctrl-C', async () => {
    const { mode, until } = await asked();
    await until('Number from 1 to');
    mode.interrupt();
    expect(await until('Stopped: ')).toContain('Interrupting. Ctrl-C again leaves.');
  });

  test('denies when the input ends', async () => {
    const { input, until, left } = await asked();
    await until('Number from 1 to');
    input.end();
    await left;
  });
});

test('a command line is explained part by part, and its rules are chosen by number', async () => {
  const command = 'npm run build && tee /tmp/turnwright-elsewhere/log </dev/null';
  const { type, until, server } = await start(
    [
      reply(toolUse('Bash', { command })),
      reply(toolUse('Bash', { command: 'npm run build' })),
      reply('Done.'),
    ],
    { prompt: 'go' },
  );
  const question = await until('Number from 1 to');
  expect(question).toContain('Part 1: npm run build: no rule allows it');
  expect(question).toContain('Part 2: tee /tmp/turnwright-elsewhere/log');
  expect(question).toContain('It writes /tmp/turnwright-elsewhere/log, outside the workspace.');
  expect(question).toContain('2. Yes, always: choose the rules');
  type('2');
  expect(await until('to go back: ')).toMatch(
    /1\. Bash\(npm run build \*\), kept in the local settings; allows: npm run build other;/,
  );
  type('7');
  await until('The rules go from 1 to ');
  await until('to go back: ');
  type('1');
  expect(await until('Done: ')).not.toContain('Question');
  expect(server.report().unusedReplies).toEqual([]);
});

test('questions of the model are answered by numbers and by words', async () => {
  const { type, until, server } = await start(
    [
      reply(
        toolUse('AskUserQuestion', {
          questions: [
            {
              question: 'Which colour?',
              header: 'Colour',
              multiSelect: true,
              options: [
                { label: 'Red', description: 'warm' },
                { label: 'Blue', description: 'cold' },
              ],
            },
            {
              question: 'Which size?',
              header: 'Size',
              multiSelect: false,
              options: [
                { label: 'Large', description: 'much' },
                { label: 'Small', description: 'little' },
              ],
            },
          ],
        }),
      ),
      reply('Thanks.'),
    ],
    { prompt: 'ask me' },
  );
  expect(await until('Numbers with commas, or other words: ')).toContain(
    'Question 1 of 2: Which colour?\n1. Red: warm\n2. Blue: cold\n',
  );
  type('3');
  await until('The choices go from 1 to 2.');
  type('1, 2');
  await until('Number, or other words: ');
  type('quite small');
  await until('Done: ');
  const body = JSON.stringify(server.requests.at(-1)?.body);
  expect(body).toContain('Red, Blue');
  expect(body).toContain('quite small');
});

test('a plan is read out and approved with a number', async () => {
  const { type, until } = await start(
    [
      reply(toolUse('ExitPlanMode', { plan: '1. Look\n2. Mend' })),
      reply(toolUse('Write', { file_path: 'a.txt', content: 'x\n' })),
      reply('Done.'),
    ],
    { prompt: 'plan it', options: { permissionMode: 'plan' } },
  );
  expect(await until('Number from 1 to 3: ')).toContain(
    'Question: is this plan right?\n1. Look\n2. Mend\n1. Yes, and ask',
  );
  type('2');
  expect(await until('Done: ')).not.toContain('Question');
});

test('what is typed while it works is queued, which is said, and joins the work', async () => {
  const { type, until, all, server, cwd } = await start(
    [reply(toolUse('Bash', { command: 'until [ -e go ]; do sleep 0.05; done' })), reply('First.')],
    { prompt: 'go', options: unasked },
  );
  await until('Prompt: go');
  type('and then \\');
  type('the other');
  await until('Queued as number 1.');
  writeFileSync(join(cwd, 'go'), '');
  await until('Done: ');
  expect(all()).toContain('Prompt: and then \n');
  expect(JSON.stringify(server.requests.map(({ body }) => body))).toContain('and then \\nthe other');
});

test('what lasts is said, without a spinner', async () => {
  const { pass, until, cwd, all } = await start(
    [reply(toolUse('Bash', { command: 'until [ -e go ]; do sleep 0.05; done' })), reply('Done.')],
    { prompt: 'go', options: unasked },
  );
  const said = until('Still running: Bash until').then(() => true);
  const moment = () => new Promise<boolean>((resolve) => setTimeout(() => resolve(false), 20));
  while (!(await Promise.race([said, moment()]))) pass(5_000);
  writeFileSync(join(cwd, 'go'), '');
  await until('Done: ');
  expect(all().match(/Still running/g)).toHaveLength(1);
});

describe('commands', () => {
  const items = ['apple', 'pear', 'plum'].map((label) => ({ value: label, label, detail: 'fruit' }));

  test('choose from a numbered list, search it, or leave it', async () => {
    const chosen: (string | undefined)[] = [];
    const { type, until } = await start([], {
      async runCommand(_, { open }) {
        chosen.push(await open(listOverlay({ title: 'Fruits', items, empty: 'None.', enter: 'takes it' })));
        return true;
      },
    });
    await until(ready);
    type('/fruit');
    expect(await until('to leave: ')).toContain('Fruits\n1. apple, fruit\n2. pear, fruit\n3. plum, fruit\n');
    type('plum fruit');
    expect(await until('to leave: ')).toBe(
      '\n3. plum, fruit\nNumber, words to search for, or Enter to leave: ',
    );
    type('cherry');
    expect(await until('to leave: ')).toContain('Nothing matches cherry.');
    type('3');
    await until(ready);
    type('/fruit');
    await until('to leave: ');
    type('');
    await until(ready);
    expect(chosen).toEqual(['plum', undefined]);
  });

  test('ask for a line, and say why one cannot be taken', async () => {
    let answered: string | undefined;
    const { type, until } = await start([], {
      async runCommand(_, { open, print }) {
        const problem = (text: string) => (text.length < 3 ? 'That is too short.' : undefined);
        answered = await open(questionOverlay({ title: 'Its name?', initial: 'old', problem }));
        print(['Renamed.']);
        return true;
      },
    });
    await until(ready);
    type('/rename');
    expect(await until('to leave: ')).toContain('Its name?\nIt is now: old\n');
    type('x');
    await until('That is too short.\n');
    type('new name');
    await until('Renamed.\n');
    expect(answered).toBe('new name');
  });

  test('report their failure, and an unknown one goes to the model', async () => {
    const { type, until, server } = await start([reply('Yes.')], {
      async runCommand(text) {
        if (text === '/bad') throw new Error('It is broken.');
        return false;
      },
    });
    await until(ready);
    type('/bad');
    await until('Error: It is broken.\n');
    type('/usr/bin is what?');
    await until('Done: ');
    expect(JSON.stringify(server.requests.at(-1)?.body)).toContain('/usr/bin is what?');
  });
});

test('the real commands work: an unknown one is a sentence, /model a numbered list, help and exit need no slash', async () => {
  const { type, until, left } = await start([]);
  await until(ready);
  type('/modle');
  await until('There is no command /modle. Did you mean /model');
  await until(ready);
  type('/model');
  expect(await until('to leave: ')).toMatch(/\n1\. \S/);
  type('');
  await until(ready);
  type('help');
  expect(await until('to leave: ')).toContain('/model');
  type('');
  await until(ready);
  type('Exit');
  await left;
});

test('a first prompt may be a command, as for --resume without an id', async () => {
  const { until } = await start([], { prompt: '/resume' });
  expect(await until(ready)).not.toContain('Prompt: ');
});

test('Ctrl-C while nothing runs asks for another one, which leaves', async () => {
  const { mode, until, left } = await start([]);
  await until(ready);
  mode.interrupt();
  await until('Ctrl-C again leaves.\n');
  mode.interrupt();
  await left;
});

test.each([
  ['it is asked for', true, 'xterm', 120, 40, true],
  ['the terminal is dumb', false, 'dumb', 120, 40, true],
  ['the window is narrow', false, 'xterm', 39, 40, true],
  ['the window is low', false, 'xterm', 120, 9, true],
  ['none of these', false, 'xterm', 40, 10, false],
])('it is used where %s', (_, asked, TERM, columns, rows, expected) => {
  const stdout = { columns, rows } as NodeJS.WriteStream;
  expect(wantsLineMode({ stdout, env: { TERM } }, asked)).toBe(expected);
});

test('a secret is read by what shows nothing of it, and no line of the conversation', async () => {
  let typed: string | undefined;
  const { input, type, until, server } = await start([reply('First.')], {
    runCommand: async (_, context) => {
      typed = await context.askSecret('API key');
      return true;
    },
    askSecret: async () => {
      const read = once(input, 'data');
      input.write('secret\n');
      return String((await read)[0]).trim();
    },
  });
  await until(ready);
  type('/login');
  await until(ready);
  expect(typed).toBe('secret');
  type('a prompt');
  await until('First.');
  expect(JSON.stringify(server.requests)).not.toContain('secret');
});

describe('what was not sent', () => {
  const left = (cwd: string) => {
    const path = draftPath(sessionsOf(cwd), 'killed');
    mkdirSync(join(path, '..'), { recursive: true });
    const queue = [{ uuid: 'q', text: 'and then this', images: [], place: 'session' }];
    writeFileSync(
      path,
      JSON.stringify({ version: 2, pid: 2 ** 22 + 1, text: 'half a\nprompt', images: [], queue }),
    );
  };

  test('is there again after a kill: the draft by Enter, then the queue', async () => {
    const { server, type, until } = await start([reply('First.'), reply('Second.')], { prepare: left });
    await until('Enter sends this prompt; another line replaces it: half a');
    await until(ready);
    type('');
    await until('Enter sends the queued prompt: and then this');
    await until(ready);
    type('');
    await until('Second.');
    await until(ready);
    const asked = server.requests.filter(({ path }) => path === '/v1/messages').map(({ body }) => body);
    expect(JSON.stringify(asked[0])).toContain('half a\\nprompt');
    expect(JSON.stringify(asked[1])).toContain('and then this');
  });

  test('another line takes the place of the draft', async () => {
    const { type, until, server } = await start([reply('First.')], { prepare: left });
    await until(ready);
    type('something else');
    await until('First.');
    await until(ready);
    expect(JSON.stringify(server.requests.at(-1)?.body)).not.toContain('half a');
  });

  test('lines of an unfinished prompt are on disk until it is sent', async () => {
    const { cwd, type, until, pass } = await start([reply('First.')]);
    await until(ready);
    type('one \\');
    await new Promise((resolve) => setImmediate(resolve));
    pass(1_000);
    const folder = sessionsOf(cwd);
    const path = join(folder, readdirSync(folder)[0] as string, 'draft.json');
    expect(readDraft(path)).toMatchObject({ text: 'one \n', queue: [] });
    type('two');
    await until('First.');
    await until(ready);
    pass(1_000);
    expect(existsSync(path)).toBe(false);
  });
});

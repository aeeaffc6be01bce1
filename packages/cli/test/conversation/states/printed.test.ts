/** What is printed once: output of commands, errors and what a continued session shows. */

import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { query, VERSION } from '@turnwright/engine';
import { createHighlighter } from '@turnwright/terminal/markup/highlight.ts';
import { createTheme } from '@turnwright/terminal/text/theme.ts';
import {
  commandsUnderTest,
  type Harness,
} from '@turnwright/test/conversation/commands/command-under-test.ts';
import { gather } from '@turnwright/test/sdk/query-under-test.ts';
import { reply } from '@turnwright/testing/rehearsal';
import { afterEach, describe, expect, test } from 'vitest';
import { greeting } from '../../../src/conversation/screen/greeting.ts';
import { readLastItems } from '../../../src/conversation/screen/tail.ts';
import { shellPrompt } from '../../../src/conversation/session/typed-command.ts';
import { toolRows } from '../../../src/conversation/view/tool-rows.ts';
import { createTranscript } from '../../../src/conversation/view/transcript.ts';
import type { ToolItem } from '../../../src/conversation/view/transcript-item.ts';
import { answer, call, ended, init, message, requesting, result, system } from './messages.ts';
import { type Play, perform, prompt } from './stage.ts';

const theme = createTheme('none');
const bash = (text: string): ToolItem => ({
  kind: 'tool',
  id: 't1',
  name: 'Bash',
  input: { command: 'npm test' },
  ms: 20,
  outcome: 'done',
  text,
  result: undefined,
  agent: undefined,
});

describe('output of a command', () => {
  const printed = (text: string) =>
    toolRows(bash(text), { columns: 80, cwd: '/work', theme, diff: () => undefined }).slice(1);

  test('keeps its colours, and nothing else that drives a terminal (S6.7)', () => {
    expect(printed('\x1b[31mred\x1b[0m\x1b[2J\x1b]52;c;ZXZpbA==\x07')).toEqual(['    \x1b[31mred\x1b[0m']);
  });

  test('a progress bar is its last state', () => {
    expect(printed('10 %\r50 %\r100 %\ndone')).toEqual(['    100 %', '    done']);
  });
});

test('an error is wrapped between its words', () => {
  const errors = ['The lock cannot be written: the disk is full, so that nothing is recorded.'];
  const failed = ended({
    subtype: 'error_during_execution',
    is_error: true,
    terminal_reason: 'model_error',
    errors,
  });
  const entered = { kind: 'entered', prompt: prompt('go') } as const;
  const { printed } = perform([entered, init, failed], { columns: 40, rows: 24 });
  expect(printed).toContain('The lock cannot be written: the disk is');
  expect(printed).toContain('full, so that nothing is recorded.');
});

test('an error that the answer has shown is not printed again at the end', () => {
  const text = 'A record could not be written. The disk is full.';
  const entered = { kind: 'entered', prompt: prompt('go') } as const;
  const told = message({
    type: 'assistant',
    parent_tool_use_id: null,
    isApiErrorMessage: true,
    error: 'unknown',
    message: { id: 'm1', content: [{ type: 'text', text }] },
  });
  const failed = ended({
    subtype: 'error_during_execution',
    is_error: true,
    terminal_reason: 'model_error',
    errors: [text],
  });
  const { printed } = perform([entered, init, told, failed], { columns: 100, rows: 24 });
  expect(printed.filter((row) => row.includes('A record'))).toEqual([`✗ ${text}`]);
});

test('work that begins beside the person’s own command has its answer once, and its end', () => {
  const { printed } = perform(
    [
      { kind: 'shellStarted', id: 's1', command: 'make' },
      init,
      requesting(),
      answer([{ type: 'text', text: 'All is made.' }]),
      ended({ result: 'All is made.' }),
    ],
    { columns: 80, rows: 24 },
  );
  expect(printed.filter((row) => row.includes('All is made.'))).toHaveLength(1);
  expect(printed.at(-1)).toContain('done · ');
});

test('a call that an interrupt kept from running is stopped, and has not failed', () => {
  const { printed } = perform(
    [
      { kind: 'entered', prompt: prompt('go') },
      init,
      answer([{ type: 'tool_use', id: 't1', name: 'Bash', input: { command: 'npm test' } }]),
      { kind: 'interrupting' },
      result(
        't1',
        'The turn was interrupted before it ran.',
        { tool_result_meta: [{ id: 't1', non_execution_kind: 'user-rejected' }] },
        true,
      ),
    ],
    { columns: 50, rows: 24 },
  );
  expect(printed.slice(-1)).toEqual(['✗ Bash npm test  stopped']);
});

test('thinking is one line, and folded in the viewer', () => {
  const thought = answer([{ type: 'thinking', thinking: 'First this.\nThen that.' }], {
    thinking_duration_ms: 900,
  });
  const { printed, document } = perform([thought], { columns: 50, rows: 24 });
  expect(printed).toEqual(['· thought for 900 ms: First this. Then that.']);
  const part = { heading: '· thought for 900 ms', lines: ['First this.', 'Then that.'], folded: true };
  expect(document.parts).toEqual([part]);
});

test('the time that a prompt took is without that of the person', () => {
  const question = { kind: 'question', toolUseId: 't1' } as const;
  const { printed } = perform(
    [
      { kind: 'entered', prompt: prompt('go') },
      requesting(),
      1_000,
      call('t1', 'Bash', { command: 'npm test' }),
      { ...question, change: 1 },
      60_000,
      { ...question, change: -1, waitedMs: 60_000 },
      2_000,
      result('t1', 'well'),
      ended(),
    ],
    { columns: 80, rows: 24 },
  );
  expect(printed.at(-1)).toBe('done · 1 turn · 3.0 s · $0.1800');
});

describe('a call that was denied', () => {
  const denied = (plays: readonly Play[]) =>
    perform(
      [
        { kind: 'entered', prompt: prompt('go') },
        init,
        answer([{ type: 'tool_use', id: 't1', name: 'Bash', input: { command: 'npm test' } }]),
        ...plays,
        result('t1', 'The user does not allow this call.', {}, true),
      ],
      { columns: 50, rows: 24 },
    );

  test('by the person: the line of the answer is all that is printed, the viewer has the call', () => {
    const question = { kind: 'question', toolUseId: 't1' } as const;
    const { printed, document } = denied([
      { ...question, change: 1 },
      { ...question, change: -1, isDenied: true },
    ]);
    expect(printed).toEqual(['', '> go']);
    expect(document.parts.at(-1)).toMatchObject({ heading: '✗ Bash npm test  denied' });
  });

  test('by a rule: its line has the reason below', () => {
    const { printed } = denied([system('permission_denied', { tool_use_id: 't1' })]);
    expect(printed.slice(2)).toEqual(['✗ Bash npm test  denied', '    The user does not allow this call.']);
  });
});

describe('a session that is continued', () => {
  let harness: Harness | undefined;
  afterEach(() => harness?.close());

  const continued = async (prompt: string, replies = [reply('Seen.')]) => {
    harness = await commandsUnderTest({
      async prepare({ cwd }) {
        await mkdir(join(cwd, '.claude', 'commands'), { recursive: true });
        await writeFile(join(cwd, '.claude', 'commands', 'greet.md'), 'Greet $ARGUMENTS warmly.');
      },
    });
    const { cwd, env, server } = harness;
    server.setScenario({ name: 'before', replies });
    const { results } = await gather(
      query({ prompt, options: { cwd, env, tools: [], settingSources: ['project'], projectTrusted: true } }),
    );
    const items = await readLastItems(results[0]?.session_id ?? '', { cwd, env });
    return items.map((item) => ('text' in item ? `${item.kind}: ${item.text}` : item.kind));
  };

  test('shows the person’s own commands as they were typed', async () => {
    const ended = { code: 0, stdout: 'a.txt\n', stderr: '' };
    expect(await continued(shellPrompt('ls -l', ended))).toEqual([
      'prompt: ! ls -l',
      'delta: Seen.',
      'textEnd',
    ]);
  });

  test('shows a command of a file as it was typed', async () => {
    expect(await continued('/greet Bob')).toEqual(['prompt: /greet Bob', 'delta: Seen.', 'textEnd']);
  });

  test('shows a prompt that begins with a tag', async () => {
    expect(await continued('<div> is closed twice')).toContain('prompt: <div> is closed twice');
  });

  test('says that a turn was interrupted', async () => {
    expect(await continued('[Request interrupted by user]')).toContain('note: stopped: interrupted');
  });
});

test('the first line says where one is, and which keys help', () => {
  const place = { cwd: '/home/ada/app', home: '/home/ada', helpKey: '?' };
  expect(greeting(place, 79, theme)).toEqual([
    `Turnwright ${VERSION} · ~/app · ? shows the keys, / the commands`,
  ]);
  const narrow = greeting({ ...place, cwd: '/srv/app', helpKey: '' }, 30, theme);
  expect(narrow.join(' ').replaceAll(/ +/g, ' ')).toBe(`Turnwright ${VERSION} · /srv/app · / the commands`);
  expect(narrow.every((row) => row.length <= 30)).toBe(true);
});

test('what is only counted of a continued session is in the viewer', () => {
  const rows: string[] = [];
  const transcript = createTranscript({
    theme,
    columns: () => 80,
    cwd: () => '/work',
    commit: (more) => void rows.push(...more),
    diff: () => undefined,
    highlighter: createHighlighter(theme),
  });
  transcript.keep([
    { kind: 'prompt', text: 'plant a tree', images: 0 },
    { kind: 'delta', text: 'It stands.' },
    { kind: 'textEnd' },
  ]);
  expect(rows).toEqual([]);
  expect(transcript.document().parts.map(({ heading }) => heading)).toEqual(['> plant a tree', 'It stands.']);
});

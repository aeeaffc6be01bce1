/** Every state of the conversation (S6.3) as a person sees it, at three sizes: golden texts, checked by eye. */
import { join } from 'node:path';
import { createBindings } from '@turnwright/terminal/input/bindings.ts';
import { cells } from '@turnwright/terminal/text/cells.ts';
import { createTheme } from '@turnwright/terminal/text/theme.ts';
import { createViewer } from '@turnwright/terminal/viewer/viewer.ts';
import { describe, expect, test } from 'vitest';
import { liveRows } from '../../../src/conversation/view/live-region.ts';
import * as says from './messages.ts';
import { type Play, perform, picture, prompt } from './stage.ts';

const SIZES = [
  { columns: 80, rows: 24 },
  { columns: 120, rows: 40 },
  { columns: 40, rows: 24 },
] as const;

const opened: Play = {
  kind: 'opened',
  session: { id: 'session-1', model: 'claude-sonnet-5', mode: 'default' },
};
const known: Play = {
  kind: 'figures',
  figures: {
    context: {
      usedTokens: 62_000,
      windowTokens: 200_000,
      isEstimated: true,
      compactsAt: 167_000,
      blocksAt: 177_000,
    },
    cost: { usd: 0.14, isUnpriced: false },
  },
};
const entered: Play = { kind: 'entered', prompt: prompt('fix the failing test') };
const asked: readonly Play[] = [opened, known, entered, 40, says.init, says.requesting()];
const answering: readonly Play[] = [
  ...asked,
  2_000,
  says.started(),
  says.block('text'),
  says.delta('I look at the **test** first.\n\n- it adds two numbers\n- it exp'),
  800,
];
const test1 = says.call('t1', 'Bash', { command: 'npm test' });
const running: readonly Play[] = [
  ...asked,
  2_000,
  says.started(),
  says.block('text'),
  says.delta('I will run the tests now.'),
  says.answer([{ type: 'text', text: 'I will run the tests now.' }]),
  test1,
  says.call('t2', 'Agent', { description: 'reviewer', prompt: 'Review it.' }),
  says.system('task_started', { task_id: 'a1', tool_use_id: 't2', task_type: 'local_agent' }),
  says.message({
    type: 'assistant',
    parent_tool_use_id: 't2',
    message: { id: 'a1', content: [{ type: 'tool_use', id: 's1', name: 'Grep', input: {} }] },
  }),
  says.system('task_progress', { task_id: 'a1', usage: { cost_usd: 0.02, cost_basis: 'list' } }),
  says.stopped(),
  says.output('t1', 'one\ntwo\nthree\nfour\n', 3_104),
  12_000,
];
const patch = {
  structuredPatch: [
    {
      oldStart: 1,
      oldLines: 3,
      newStart: 1,
      newLines: 3,
      lines: [' function add(a, b) {', '-  return a - b;', '+  return a + b;', ' }'],
    },
  ],
};
const done: readonly Play[] = [
  ...asked,
  2_000,
  says.started(),
  says.call('r1', 'Read', { file_path: '/work/app/src/add.ts' }),
  says.call('e1', 'Edit', { file_path: '/work/app/src/add.ts', old_string: 'a - b', new_string: 'a + b' }),
  says.stopped(),
  30,
  says.result('r1', 'x', { tool_use_result: { type: 'text', file: { numLines: 42 } } }),
  says.result('e1', 'ok', { tool_use_result: patch }),
  100,
  says.requesting(),
  1_000,
  says.started(),
  test1,
  says.stopped(),
  41_000,
  says.result(
    't1',
    `Exit code 1\n${Array.from({ length: 30 }, (_, at) => `line ${at + 1}`).join('\n')}`,
    {},
    true,
  ),
  says.requesting(),
  says.started(),
  says.block('text'),
  says.delta('It works now.'),
  says.answer([{ type: 'text', text: 'It works now.' }]),
  says.stopped(),
  says.ended(),
];
const THOUGHT =
  'The test expects 3, and add(1, 2) gives −1. So the sign is wrong.\nI read the file first, then change one line, and run the tests again.';
const todos = (statuses: readonly string[]) =>
  says.call('todo', 'TodoWrite', {
    todos: statuses.map((status, at) => ({ content: `thing ${at + 1} to do`, status })),
  });

const STATES: Readonly<Record<string, readonly Play[]>> = {
  starting: [2_000],
  idle: [opened, known],
  submitted: [opened, known, entered, 300],
  waiting: [...asked, 12_000],
  attached: [
    opened,
    known,
    { kind: 'entered', prompt: prompt('see @src/add.ts @docs/ @src/ad.ts, ask @agent-reviewer') },
    {
      kind: 'attached',
      attached: [
        { type: 'file', path: '/work/app/src/add.ts', lines: 3 },
        { type: 'file', path: 'docs/', entries: 12 },
        { type: 'file', path: 'src/ad.ts', problem: 'there is no such file' },
        { type: 'agent_mention', agent: 'reviewer' },
        { type: 'mcp_resource', server: 'box', uri: 'memo://notes' },
      ],
    },
    says.init,
    says.requesting(),
    2_000,
  ],
  thinking: [...asked, 1_000, says.started(), says.block('thinking'), says.thinking(THOUGHT), 3_000],
  thought: [
    ...asked,
    says.started(),
    says.block('thinking'),
    says.thinking(THOUGHT),
    says.answer([{ type: 'thinking', thinking: THOUGHT }], { thinking_duration_ms: 4_200 }),
    says.block('text'),
    says.delta('The sign is wrong.\n\n'),
  ],
  streaming: answering,
  tools: running,
  deciding: [...running, says.result('t1', 'all good'), says.result('t2', 'fine'), 1_000],
  'queue-of-five': [
    ...running,
    ...['then update the changelog', 'and the docs', 'and tell me', 'what was hard', 'at the end'].map(
      (text): Play => ({ kind: 'entered', prompt: prompt(text) }),
    ),
  ],
  asking: [...running, { kind: 'question', change: 1, toolUseId: 't1' }, 5_000],
  compacting: [...asked, says.system('status', { status: 'compacting' }), 9_000],
  retrying: [
    ...asked,
    says.system('api_retry', {
      attempt: 3,
      max_retries: 10,
      retry_delay_ms: 8_000,
      error_status: 529,
      error: 'overloaded',
    }),
    1_000,
  ],
  'fallen-back': [
    ...asked,
    says.system('model_fallback', {
      trigger: 'overloaded',
      original_model: 'claude-opus-5',
      fallback_model: 'claude-sonnet-5',
      content: 'claude-opus-5 is overloaded; claude-sonnet-5 takes over for the rest of this submission.',
    }),
    says.system('compact_boundary', {
      compact_metadata: { trigger: 'auto', pre_tokens: 170_000, post_tokens: 21_000, duration_ms: 9_200 },
    }),
  ],
  interrupting: [...running, { kind: 'interrupting' }, 1_000],
  interrupted: [
    ...answering,
    { kind: 'entered', prompt: prompt('then update the changelog') },
    { kind: 'interrupting' },
    says.lifecycle('p-then update the changelog', 'cancelled'),
    says.ended({
      subtype: 'error_during_execution',
      is_error: true,
      terminal_reason: 'aborted_streaming',
      errors: ['interrupted'],
    }),
  ],
  done,
  'budget-reached': [
    ...asked,
    20_000,
    says.ended({
      subtype: 'error_max_budget_usd',
      is_error: true,
      terminal_reason: 'budget_exhausted',
      errors: ['The budget is spent.'],
      modelUsage: { local: { costBasis: 'unknown' } },
    }),
  ],
  todos: [
    ...asked,
    says.started(),
    todos(['completed', 'completed', 'in_progress', 'pending', 'pending', 'pending', 'pending']),
    1_000,
  ],
  'own-command': [
    opened,
    known,
    { kind: 'shellStarted', id: 's1', command: 'git status' },
    { kind: 'shellOutput', id: 's1', text: 'On branch main\n', totalLines: 1 },
    2_000,
  ],
  'own-command-done': [
    opened,
    { kind: 'shellStarted', id: 's1', command: 'git status' },
    300,
    {
      kind: 'shellEnded',
      id: 's1',
      end: { code: 0, stdout: 'On branch main\nnothing to commit\n', stderr: '' },
    },
  ],
  'session-failed': [
    ...asked,
    { kind: 'failed', sentence: 'The session was taken over by another process.' },
  ],
  exiting: [...running, { kind: 'exiting' }, 1_000],
};

describe('a state is drawn', () => {
  test.each(Object.keys(STATES))('%s', async (name) => {
    const pictures = SIZES.map((size) => picture(STATES[name] ?? [], size));
    await expect(`${pictures.join('\n\n')}\n`).toMatchFileSnapshot(join('golden', `${name}.txt`));
  });

  test('composing: what is typed stays while the answer streams', async () => {
    const pictures = SIZES.map((size) => picture(answering, size, { typed: 'and then' }));
    await expect(`${pictures.join('\n\n')}\n`).toMatchFileSnapshot(join('golden', 'composing.txt'));
  });

  test('the cache of a conversation that /clear has ended is not shown for the next one', () => {
    const reset = says.message({ type: 'conversation_reset', new_conversation_id: 'session-2' });
    const status = (plays: readonly Play[]) => perform(plays, SIZES[0]).live.rows.at(-1);
    expect(status(done)).toContain('cache 90%');
    expect(status([...done, reset])).not.toContain('cache');
  });

  test('an overlay is between the queue and the status line', async () => {
    const overlay = {
      frame: () => ({ rows: ['Choose one', '❯ this', '  that'], cursor: { row: 1, column: 2 } }),
    };
    const pictures = SIZES.map((size) => picture([opened, known], size, { overlay }));
    await expect(`${pictures.join('\n\n')}\n`).toMatchFileSnapshot(join('golden', 'overlay.txt'));
  });
});

describe('the viewer', () => {
  test('shows the transcript with the chosen result unfolded where it is', async () => {
    const pictures = SIZES.map((size) => {
      const { document } = perform(done, size);
      const viewer = createViewer({
        document,
        theme: createTheme('none'),
        keyOf: createBindings().keyOf,
        copy: () => '',
        edit: () => undefined,
        onClose: () => undefined,
      });
      viewer.frame(size);
      const down = { kind: 'key', name: 'down', ctrl: false, alt: false, shift: false, atMs: 0 } as const;
      viewer.handle(down, 'viewDown');
      viewer.handle(down, 'viewDown');
      viewer.handle(down, 'viewUnfold');
      const rows = viewer.frame(size).rows.map((row) => row.trimEnd());
      return [`== ${size.columns}×${size.rows}`, ...rows].join('\n');
    });
    await expect(`${pictures.join('\n\n')}\n`).toMatchFileSnapshot(join('golden', 'viewer.txt'));
  });
});

describe('the live region', () => {
  const small = [...SIZES, { columns: 40, rows: 10 }, { columns: 200, rows: 60 }];
  test.each(Object.keys(STATES))(
    '%s: no row touches the last column, and two rows of the window stay',
    (name) => {
      for (const size of small) {
        const { live } = perform(STATES[name] ?? [], size);
        expect(Math.max(...live.rows.map(cells))).toBeLessThan(size.columns);
        expect(live.rows.length).toBeLessThanOrEqual(liveRows(size));
        expect(live.cursor?.row).toBeLessThan(live.rows.length);
      }
    },
  );

  test('a running command shows its last lines, whole, and counts all of them', () => {
    const wide = '出力'.repeat(40);
    const text = `half a line\none\n\x1b[32mtwo\x1b[0m\x1b[2J\n\x1b[0m\n\n${wide}\n10 %\r50 %\r`;
    const { live } = perform([...asked, test1, says.output('t1', text, 3_104), 2_000], SIZES[2]);
    const at = live.rows.findIndex((row) => row.includes('3,104 lines'));
    expect(live.rows.slice(at + 1, at + 4)).toEqual([
      '    \x1b[32mtwo\x1b[0m',
      `    ${'出力'.repeat(8)}出…`,
      '    50 %',
    ]);
  });

  test('an agent’s call shows what it and the agents that it started have cost', () => {
    const paid = (task_id: string, cost_usd: number, cost_basis = 'list') =>
      says.system('task_progress', { task_id, usage: { cost_usd, cost_basis } });
    const started = (task_id: string, fields: object) =>
      says.system('task_started', { task_id, task_type: 'local_agent', ...fields });
    const plays: Play[] = [
      ...asked,
      says.call('t1', 'Agent', { description: 'reviewer', prompt: 'Review it.' }),
      started('a1', { tool_use_id: 't1' }),
      started('a2', { tool_use_id: 's1', parent_task_id: 'a1' }),
      paid('a1', 0.01),
      paid('a2', 0.02),
      paid('a1', 0.03),
      1_000,
    ];
    const reviewer = (more: readonly Play[]) => {
      const { live, printed } = perform([...plays, ...more], SIZES[0]);
      return [...printed, ...live.rows].find((row) => row.includes('reviewer'));
    };
    expect(reviewer([])).toBe('◐ Agent reviewer  $0.0500 · 1 s');
    expect(reviewer([paid('a2', 0.04, 'unknown')])).toBe('◐ Agent reviewer  ≥ $0.0700 · 1 s');
    expect(reviewer([paid('a3', 1)])).toBe('◐ Agent reviewer  $0.0500 · 1 s');
    expect(reviewer([says.result('t1', 'fine')])).toBe('● Agent reviewer  $0.0500 · 1.0 s');
  });

  test('every working state says what is waited for, since when, and the key that ends it', () => {
    const working = [
      'submitted',
      'waiting',
      'thinking',
      'streaming',
      'tools',
      'deciding',
      'compacting',
      'retrying',
      'asking',
    ];
    for (const name of working) {
      const line = perform(STATES[name] ?? [], SIZES[0]).live.rows.find((row) =>
        row.includes('Esc interrupts'),
      );
      expect(line, name).toMatch(/\d+ s/);
    }
  });
});

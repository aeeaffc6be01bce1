/** What `/tasks`, `/sandbox` and the picker of models show, at three sizes: golden texts, checked by eye. */

import type { ScreenFrame, Size } from '@turnwright/terminal/renderer/frame.ts';
import { cells } from '@turnwright/terminal/text/cells.ts';
import { createTheme } from '@turnwright/terminal/text/theme.ts';
import { expect, test } from 'vitest';
import { listFrame } from '../../../src/conversation/commands/list-parts/list-frame.ts';
import { type ListOf, openedList } from '../../../src/conversation/commands/list-parts/list-state.ts';
import type { ShownTask } from '../../../src/conversation/conversation-state.ts';
import { sandboxItems, sandboxTitle } from '../../../src/conversation/settings/sandbox-page.ts';
import { listTasks, taskFrame, taskItems } from '../../../src/conversation/tasks/task-rows.ts';
import { NO_TASKS } from '../../../src/conversation/tasks/tasks-overlay.ts';

const THEME = createTheme('none');
const SIZES = [
  { columns: 80, rows: 24 },
  { columns: 120, rows: 40 },
  { columns: 40, rows: 24 },
] as const;
const NOW_MS = 100_000;

const task = (more: Partial<ShownTask>): ShownTask => ({
  id: 'b3b1f26d06',
  kind: 'command',
  description: 'npm run dev',
  agentType: undefined,
  toolUseId: 'toolu_1',
  status: 'running',
  isInBackground: true,
  startedMs: 88_000,
  endedMs: undefined,
  summary: undefined,
  usage: undefined,
  ...more,
});
const usage = { tokens: 12_400, calls: 3, lastTool: 'Grep', cost: { usd: 0.021, isUnpriced: false } };
const reviewer = task({
  id: 'a81c22e0f1',
  kind: 'agent',
  description: 'review the change of the parser, and of everything that calls it',
  agentType: 'reviewer',
  startedMs: 40_000,
  usage,
});
const ended = task({
  id: 'b2',
  description: 'npm test',
  status: 'failed',
  endedMs: 99_000,
  summary: 'Exit code 1.',
});
const waitedFor = task({ id: 'toolu_2', description: 'sleep 30', isInBackground: false, startedMs: 99_500 });
const all = listTasks({ tasks: [reviewer, task({}), ended, waitedFor], tools: [] });

const list =
  <T>(of: Pick<ListOf<T>, 'title' | 'items' | 'enter'> & Partial<ListOf<T>>) =>
  (size: Size) =>
    listFrame(openedList({ empty: NO_TASKS, ...of }), size, THEME);
const page =
  (shown: ShownTask, output: string | undefined, note?: string) =>
  (size: Size): ScreenFrame =>
    taskFrame({ task: shown, output, note, nowMs: NOW_MS }, size, THEME);
const found = {
  asked: false,
  required: false,
  hooks: false,
  mcpServers: [],
  tried: true,
  isolator: 'bubblewrap',
};
const sandbox = (state: typeof found & { why?: string; remedy?: string }, settings = {}) =>
  list({ title: sandboxTitle(state), items: sandboxItems(state, settings), enter: 'takes it' });
const lines = Array.from(
  { length: 30 },
  (_, index) => `[vite] page reload src/part-${index + 1}.ts (x${index + 1})`,
);

test.each<[string, (size: Size) => ScreenFrame]>([
  ['tasks', list({ title: 'Background work and agents', items: taskItems(all, NOW_MS), enter: 'opens it' })],
  ['tasks-none', list({ title: 'Background work and agents', items: [], enter: 'opens it' })],
  ['task-running', page(task({}), `${lines.join('\n')}\r\n\u001b[31mred\u001b[0m\n`)],
  ['task-silent', page(task({}), undefined)],
  ['task-agent', page(reviewer, undefined)],
  ['task-waited-for', page(waitedFor, undefined)],
  ['task-ended', page(ended, '1 of 12 tests failed\n', 'Stopped.')],
  ['sandbox-off', sandbox(found)],
  [
    'sandbox-on',
    sandbox({ ...found, asked: true, hooks: true }, { network: { allowedDomains: ['registry.npmjs.org'] } }),
  ],
  [
    'sandbox-demanded',
    sandbox({
      ...found,
      asked: true,
      required: true,
      isolator: undefined as never,
      why: 'bwrap is not installed',
      remedy: 'Install it with: sudo apt-get install bubblewrap',
    }),
  ],
  [
    'model-with-effort',
    list({
      title: 'Model (now claude-opus-5-5)',
      items: [
        { value: 'opus', label: 'Claude Opus 5.5 (opus)', detail: '1M · $4 in, $20 out', isCurrent: true },
        { value: 'haiku', label: 'Claude Haiku 5.5 (haiku)', detail: '1M · $0.1 in, $0.5 out' },
      ],
      enter: 'switches',
      dial: {
        label: 'effort',
        values: ['default', 'low', 'medium', 'high', 'xhigh', 'max'],
        at: 2,
        taken() {},
      },
    }),
  ],
])('%s', async (name, frame) => {
  const shown = SIZES.map((size) => {
    const { rows } = frame(size);
    expect(rows.every((row) => cells(row) < size.columns)).toBe(true);
    expect(rows.length).toBeLessThanOrEqual(16);
    return [`== ${size.columns}×${size.rows}`, ...rows.map((row) => row.trimEnd())].join('\n');
  });
  await expect(`${shown.join('\n')}\n`).toMatchFileSnapshot(`golden/${name}.txt`);
});

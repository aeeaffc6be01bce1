/** What the first minutes show beside the states of work, at three sizes: golden texts, checked by eye. */
import { join } from 'node:path';
import type { Query } from '@turnwright/engine';
import type { InputEvent } from '@turnwright/terminal/input/events.ts';
import { createTheme } from '@turnwright/terminal/text/theme.ts';
import { describe, expect, test } from 'vitest';
import { listOverlay } from '../../../src/conversation/commands/list.ts';
import { sessionItems } from '../../../src/conversation/commands/session-list.ts';
import type { Overlay, OverlayHost, OverlayOf } from '../../../src/conversation/overlay.ts';
import { loadedRows } from '../../../src/conversation/screen/loaded.ts';
import { asideOverlay } from '../../../src/conversation/side/aside.ts';
import { textColumns } from '../../../src/conversation/view/live-region.ts';

const SIZES = [
  { columns: 80, rows: 24 },
  { columns: 120, rows: 40 },
  { columns: 40, rows: 24 },
] as const;
const theme = createTheme('none');

/** Time stands still; timers run at once. */
function host(): OverlayHost {
  let timers = 0;
  return {
    theme,
    clock: {
      monotonicMs: () => 0,
      nowMs: () => 0,
      sleep: async () => {},
      // The tick of a panel would go on for ever.
      timer(_, callback) {
        timers += 1;
        if (timers < 3) queueMicrotask(callback);
        return () => {};
      },
    },
    invalidate() {},
    typing: () => ({ lastKeyMs: undefined, draftIsEmpty: true }),
    open: async () => undefined,
    view: async () => {},
  };
}

const settle = () => new Promise((resolve) => setImmediate(resolve));

async function drawn(make: () => OverlayOf<never>, press: (open: Overlay<never>) => void = () => {}) {
  const pictures: string[] = [];
  for (const size of SIZES) {
    const open = make()(host());
    press(open);
    await settle();
    await settle();
    const { rows } = open.frame({ ...size, rows: size.rows - 2 });
    expect(Math.max(...rows.map((row) => row.length))).toBeLessThan(size.columns);
    pictures.push([`== ${size.columns}×${size.rows}`, ...rows.map((row) => row.trimEnd())].join('\n'));
  }
  return `${pictures.join('\n\n')}\n`;
}

const golden = (name: string) => join('golden', `${name}.txt`);

describe('an answer beside the conversation', () => {
  const LONG = `It is in \`src/add.ts\`:\n\n- one\n- two\n\n${'The sign is wrong in the second line of it. '.repeat(30)}`;
  const aside = (ask: Parameters<typeof asideOverlay>[0]['ask']) => () =>
    asideOverlay({ title: 'which file was it, and which line of it?', ask }) as unknown as OverlayOf<never>;

  test('as it comes, with more below', async () => {
    const ask = aside((_, onText) => {
      onText(LONG);
      return new Promise(() => {});
    });
    await expect(await drawn(ask)).toMatchFileSnapshot(golden('aside-coming'));
  });

  test('short and over', async () => {
    await expect(await drawn(aside(async () => 'It is in **src/add.ts**.'))).toMatchFileSnapshot(
      golden('aside-done'),
    );
  });

  test('that there is none', async () => {
    const ask = aside(async () => {
      throw new Error('The endpoint refuses connections. Is the base URL right, and the server running?');
    });
    await expect(await drawn(ask)).toMatchFileSnapshot(golden('aside-failed'));
  });

  test('Esc gives it up, Enter closes it', async () => {
    let given: AbortSignal | undefined;
    const open = asideOverlay({
      title: 'x',
      ask: (signal) => {
        given = signal;
        return new Promise(() => {});
      },
    })(host());
    open.onEvent({ kind: 'key', name: 'escape', ctrl: false, alt: false, shift: false, atMs: 0 });
    await open.closed;
    expect(given?.aborted).toBe(true);
  });
});

describe('sessions', () => {
  const ago = (minutes: number) => 1_800_000_000_000 - minutes * 60_000;
  const sessions = [
    {
      sessionId: '12cf2476-3d9c-40eb-8441-41116a1383d4',
      summary: 'Mend the failing test of add',
      lastModified: ago(3),
      gitBranch: 'main',
      firstPrompt: 'fix the failing test',
      outcome: {
        costUsd: 0.18,
        isPriced: true,
        lastResult: { terminal_reason: 'completed', is_error: false },
      },
    },
    {
      sessionId: '22cf2476-3d9c-40eb-8441-41116a1383d4',
      summary: 'Plan the move to workspaces',
      lastModified: ago(300),
      gitBranch: 'packages',
      outcome: { costUsd: 1.2, isPriced: false, lastResult: undefined },
    },
  ] as unknown as Parameters<typeof sessionItems>[0];
  const list = () =>
    listOverlay<string>({
      title: 'Resume a session',
      items: sessionItems(sessions, 1_800_000_000_000),
      empty: '',
      enter: 'resumes it',
      async *find(text) {
        if (text === 'sign')
          yield {
            value: '12cf2476-3d9c-40eb-8441-41116a1383d4',
            line: '…so the sign is wrong: it subtracts',
          };
      },
    }) as unknown as OverlayOf<never>;

  test('with branch, age, cost and end', async () => {
    await expect(await drawn(list)).toMatchFileSnapshot(golden('sessions'));
  });

  test('that are found by what was said show the line', async () => {
    const press = (open: Overlay<never>) => {
      for (const text of 'sign') {
        const key = { kind: 'key', name: text, text, ctrl: false, alt: false, shift: false, atMs: 0 };
        open.onEvent(key as InputEvent);
      }
    };
    await expect(await drawn(list, press)).toMatchFileSnapshot(golden('sessions-found'));
  });
});

test('what was loaded, at the start', async () => {
  const query = {
    getSettings: async () => ({
      applied: { model: 'claude-opus-5-5' },
      sources: [
        { path: '/home/ada/.claude/settings.json', settings: { model: 'opus' } },
        { path: '/work/app/.claude/settings.json', settings: {} },
      ],
    }),
    getContextUsage: async () => ({
      memoryFiles: [
        '/home/ada/.claude/CLAUDE.md',
        '/work/app/CLAUDE.md',
        '/work/app/a.md',
        '/work/app/b.md',
      ].map((path) => ({ path })),
      skills: { totalSkills: 4 },
    }),
    mcpServerStatus: async () => [
      { name: 'docs', status: 'connected' },
      { name: 'tracker', status: 'needs-auth' },
    ],
    initializationResult: async () => ({ commands: Array(12).fill({}), agents: Array(5).fill({}) }),
  } as unknown as Query;
  const place = { cwd: '/work/app', env: { HOME: '/home/ada' }, options: {} };
  const pictures: string[] = [];
  for (const size of SIZES)
    pictures.push(
      [`== ${size.columns}×${size.rows}`, ...(await loadedRows(query, place, textColumns(size), theme))].join(
        '\n',
      ),
    );
  await expect(`${pictures.join('\n\n')}\n`).toMatchFileSnapshot(golden('loaded'));
});

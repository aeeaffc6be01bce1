import { afterEach, describe, expect, test, vi } from 'vitest';
import { fakeScreen, say } from './fake-screen.ts';

afterEach(() => {
  vi.useRealTimers();
});

async function shown(
  messages: readonly Parameters<ReturnType<typeof fakeScreen>['screen']['show']>[0][],
  options = {},
) {
  const fake = fakeScreen(options);
  for (const message of messages) await fake.screen.show(message);
  await fake.screen.close();
  return fake.seen();
}

describe('text', () => {
  test('is shown as it streams, once', async () => {
    const lines = await shown([
      say.started(),
      say.delta('Hello '),
      say.delta('there'),
      say.text('Hello there'),
    ]);
    expect(lines).toEqual(['Hello there']);
  });

  test('that did not stream is shown when its block comes', async () => {
    expect(await shown([say.text('All at once')])).toEqual(['All at once']);
  });

  test('goes on where a tool line came between its deltas, without being repeated', async () => {
    const lines = await shown([
      say.started(),
      say.call('t1', 'Read', { file_path: '/home/me/app/a.js' }),
      say.delta('Meanwhile '),
      say.result('t1', 'x'),
      say.delta('more'),
      say.text('Meanwhile more'),
    ]);
    expect(lines).toEqual(['Meanwhile ', '✓ Read a.js  0 ms', 'more']);
  });

  test('whose last deltas did not arrive is completed by its block', async () => {
    const lines = await shown([say.started(), say.delta('Hello '), say.text('Hello there')]);
    expect(lines).toEqual(['Hello there']);
  });

  test('control characters, escapes and bidi marks are made visible', async () => {
    const lines = await shown([say.text('a\x1b[31mred\x07 \u202eback\r\nnext\tcolumn')]);
    expect(lines).toEqual(['a␛[31mred␇ <U+202E>back', 'next\tcolumn']);
  });
});

describe('Markdown, where a user is watching', () => {
  test('is shown as what it means, paragraph by paragraph', async () => {
    const fake = fakeScreen({ formats: true });
    await fake.screen.show(say.started());
    await fake.screen.show(say.delta('# Done\n\n**Two** thi'));
    expect(fake.seen()).toEqual(['Done']);
    await fake.screen.show(say.delta('ngs in `a.js`:\n\n- one\n- two\n\n| a | b |\n|---|---|\n| 1 | 2 |'));
    await fake.screen.show(
      say.text('# Done\n\n**Two** things in `a.js`:\n\n- one\n- two\n\n| a | b |\n|---|---|\n| 1 | 2 |'),
    );
    const seen = fake.seen().map((line) => line.trimEnd());
    expect(seen.slice(0, 6)).toEqual(['Done', '', 'Two things in a.js:', '', '• one', '• two']);
    expect(seen.slice(6).join('\n')).not.toContain('|---');
    await fake.screen.close();
  });

  test('whose end never comes is shown as far as it came', async () => {
    expect(await shown([say.started(), say.delta('**Half** an ans')], { formats: true })).toEqual([
      'Half an ans',
    ]);
  });

  test('that is retracted is shown before the line that says so', async () => {
    const lines = await shown(
      [
        say.started('m1'),
        say.delta('Half *an* ans'),
        say.started('m2'),
        say.delta('Whole'),
        say.text('Whole'),
      ],
      { formats: true },
    );
    expect(lines).toEqual([
      'Half an ans',
      '↶ retracted: the answer above was truncated and is given again',
      'Whole',
    ]);
  });
});

describe('marks retracted text', () => {
  const line = '↶ retracted: the answer above was truncated and is given again';

  test('a partial answer that a new response replaces', async () => {
    const lines = await shown([
      say.started('m1'),
      say.delta('Half an ans'),
      say.started('m2'),
      say.delta('A whole answer'),
      say.text('A whole answer'),
    ]);
    expect(lines).toEqual(['Half an ans', line, 'A whole answer']);
  });

  test('a partial answer whose deltas are retracted, and another text in its place', async () => {
    const half = say.delta('Half an ans');
    const notice = say.system({
      subtype: 'informational',
      level: 'info',
      content: 'The worker that was writing this answer is gone.',
      retracted_message_uuids: [half.uuid],
    });
    expect(await shown([say.started(), half, notice, say.text('Another answer')])).toEqual([
      'Half an ans',
      line,
      'Another answer',
    ]);
    expect(await shown([say.started(), say.delta('Half an ans'), say.text('Another answer')])).toEqual([
      'Half an ans',
      line,
      'Another answer',
    ]);
  });

  test('a finished block that a new response replaces is named once', async () => {
    const lines = await shown([
      say.started('m1'),
      say.delta('Cut'),
      say.text('Cut', { uuid: 'old' }),
      say.started('m2'),
      say.delta('Whole'),
      say.text('Whole', { supersedes: ['old'] }),
    ]);
    expect(lines).toEqual(['Cut', line, 'Whole']);
  });

  test('without partial messages, supersedes names it', async () => {
    const lines = await shown([say.text('Cut', { uuid: 'old' }), say.text('Whole', { supersedes: ['old'] })]);
    expect(lines).toEqual(['Cut', line, 'Whole']);
  });

  test('a retraction without a successor', async () => {
    const notice = say.system({
      subtype: 'informational',
      level: 'info',
      content: 'An answer that broke off was retracted.',
      retracted_message_uuids: ['old'],
    });
    expect(await shown([say.text('Odd', { uuid: 'old' }), notice])).toEqual(['Odd', line]);
  });

  test('an answer that the engine asks for again, by a user message that names it', async () => {
    const lines = await shown([
      say.text('Odd', { uuid: 'old' }),
      say.nudge(['old']),
      say.text('Whole', { supersedes: ['old'] }),
    ]);
    expect(lines).toEqual(['Odd', line, 'Whole']);
  });

  test('an answer that tool results followed stands', async () => {
    const lines = await shown([
      say.started('m1'),
      say.delta('Looking'),
      say.text('Looking'),
      say.call('t1', 'Bash', { command: 'ls' }),
      say.result('t1', 'a'),
      say.started('m2'),
      say.delta('Done'),
      say.text('Done'),
    ]);
    expect(lines).toEqual(['Looking', '✓ Bash ls  0 ms', '    a', 'Done']);
  });
});

describe('tools', () => {
  test('one line each, with duration and outcome', async () => {
    const fake = fakeScreen();
    await fake.screen.show(say.call('t1', 'Read', { file_path: '/home/me/app/src/app.js' }));
    await fake.screen.show(say.call('t2', 'Bash', { command: 'node --test' }));
    fake.clock.ms = 12;
    await fake.screen.show(say.result('t1', 'text'));
    fake.clock.ms = 1500;
    await fake.screen.show(say.result('t2', 'Exit code 1\nnot ok', true));
    expect(fake.seen()).toEqual([
      '✓ Read src/app.js  12 ms',
      '✗ Bash node --test  Exit code 1  1.5 s',
      '    not ok',
    ]);
  });

  test('of what a command wrote the end is shown, more of it when it failed', async () => {
    const twenty = Array.from({ length: 20 }, (_, i) => `line ${i + 1}`).join('\n');
    const lines = await shown([
      say.call('t1', 'Bash', { command: 'make' }),
      say.result('t1', `${twenty}\n\n`),
      say.call('t2', 'Bash', { command: 'npm test' }),
      say.result('t2', `Exit code 1\n${twenty}`, true),
      say.call('t3', 'Bash', { command: 'true' }),
      say.result('t3', '(Bash completed with no output)'),
    ]);
    expect(lines.slice(0, 6)).toEqual([
      '✓ Bash make  0 ms',
      '    … 16 lines before',
      '    line 17',
      '    line 18',
      '    line 19',
      '    line 20',
    ]);
    expect(lines.slice(6, 9)).toEqual([
      '✗ Bash npm test  Exit code 1  0 ms',
      '    … 8 lines before',
      '    line 9',
    ]);
    expect(lines.slice(-2)).toEqual(['    line 20', '✓ Bash true  0 ms']);
  });

  test('time a person took to answer is not the tool’s', async () => {
    const fake = fakeScreen();
    await fake.screen.show(say.call('t1', 'Bash', { command: 'make' }));
    await fake.screen.asking('t1', async () => {
      fake.clock.ms = 60_000;
    });
    fake.clock.ms = 60_030;
    await fake.screen.show(say.result('t1', 'ok'));
    expect(fake.seen()).toEqual(['✓ Bash make  30 ms', '    ok']);
  });

  test('a denied call says so', async () => {
    const lines = await shown([
      say.call('t1', 'Bash', { command: 'rm x' }),
      say.system({
        subtype: 'permission_denied',
        tool_name: 'Bash',
        tool_use_id: 't1',
        message: 'Not allowed.',
      }),
      say.result('t1', 'Not allowed.', true),
    ]);
    expect(lines).toEqual(['✗ Bash rm x  denied: Not allowed.  0 ms']);
  });

  test('lines fit the terminal, also with wide characters', async () => {
    const lines = await shown(
      [say.call('t1', 'Bash', { command: `echo ${'語'.repeat(60)}` }), say.result('t1', 'no\x1b[2J', true)],
      { columns: 40 },
    );
    expect(lines[0]).toContain('…');
    expect([...(lines[0] ?? '')].reduce((sum, c) => sum + (c === '語' ? 2 : 1), 0)).toBeLessThanOrEqual(40);
    // What does not fit beside a long call stands below it.
    expect(lines.slice(1)).toEqual(['  no␛[2J']);
  });

  test('a subagent’s calls are set in and its text is left out', async () => {
    const lines = await shown([
      say.assistant([{ type: 'text', text: 'inner' }], { parent: 'agent' }),
      say.call('t1', 'Grep', { pattern: 'x' }, 'agent'),
      say.result('t1', ''),
    ]);
    expect(lines).toEqual(['  ↳ ✓ Grep x  0 ms']);
  });

  test('calls of several subagents say whose they are, also after their own call is over', async () => {
    const agent = (description: string) => ({ description, prompt: 'Count them.', subagent_type: 'counter' });
    const lines = await shown([
      say.call('a1', 'Agent', agent('apples')),
      say.call('a2', 'Agent', agent('a very long description of pears and plums')),
      say.call('t1', 'Grep', { pattern: 'x' }, 'a1'),
      say.call('t2', 'Grep', { pattern: 'y' }, 'a2'),
      say.result('a1', 'It runs in the background.'),
      say.result('t2', ''),
      say.result('t1', ''),
    ]);
    expect(lines).toEqual([
      '✓ Agent apples  0 ms',
      '  ↳ a very long description…: ✓ Grep y  0 ms',
      '  ↳ apples: ✓ Grep x  0 ms',
    ]);
  });

  test('the list of things to do is shown as it stands', async () => {
    const todos = [
      { content: 'Read', status: 'completed' },
      { content: 'Fix\x1b[2J', status: 'in_progress' },
      { content: 'Test', status: 'pending' },
    ];
    expect(await shown([say.call('t1', 'TodoWrite', { todos }), say.result('t1', 'ok')])).toEqual([
      '✓ TodoWrite 3 items  0 ms',
      '  ☑ Read',
      '  ▸ Fix␛[2J',
      '  ☐ Test',
    ]);
  });
});

describe('while a question stands', () => {
  test('what else happens waits, and keeps its own time', async () => {
    const fake = fakeScreen();
    await fake.screen.show(say.call('t1', 'Bash', { command: 'make' }));
    await fake.screen.show(say.call('t2', 'Bash', { command: 'ls' }));
    await fake.screen.asking('t1', async () => {
      await fake.terminal.write('  allow? ');
      fake.clock.ms = 10;
      fake.screen.warn('A warning.');
      await fake.screen.show(say.result('t2', 'ok'));
      fake.clock.ms = 60_000;
      await fake.terminal.line('y');
    });
    await fake.screen.show(say.result('t1', 'ok'));
    expect(fake.seen().slice(-5)).toEqual([
      '! A warning.',
      '✓ Bash ls  10 ms',
      '    ok',
      '✓ Bash make  0 ms',
      '    ok',
    ]);
    expect(fake.raw()).toContain('  allow? \ny\n');
  });

  test('it says which subagent asks', async () => {
    const fake = fakeScreen();
    await fake.screen.show(say.call('a1', 'Agent', { description: 'apples', prompt: 'Count.' }));
    await fake.screen.show(say.call('t1', 'Bash', { command: 'ls' }, 'a1'));
    expect(await fake.screen.asking('t1', async (agent) => agent)).toBe('apples');
    expect(await fake.screen.asking('a1', async (agent) => agent)).toBeUndefined();
  });

  test('it is shown behind the text that precedes its call', async () => {
    const fake = fakeScreen();
    const asked = fake.screen.asking('t1', () => fake.terminal.line('allow?'));
    await fake.screen.show(say.text('I make it.'));
    await fake.screen.show(say.call('t1', 'Bash', { command: 'make' }));
    await asked;
    expect(fake.seen()).toEqual(['I make it.', 'allow?']);
  });
});

describe('what the engine does', () => {
  test('a retry without a limit names none', async () => {
    const retry = { retry_delay_ms: 317_000, error_status: 529, error: 'overloaded' } as const;
    const [line] = await shown([
      say.system({ subtype: 'api_retry', attempt: 39, max_retries: 39, is_unlimited: true, ...retry }),
    ]);
    expect(line).toContain('retry 39 in 5 min 17 s');
  });

  test('retries, fallbacks and compactions get one line each', async () => {
    const lines = await shown([
      say.system({
        subtype: 'api_retry',
        attempt: 1,
        max_retries: 10,
        retry_delay_ms: 512,
        error_status: 529,
        error: 'overloaded',
      }),
      say.system({
        subtype: 'api_retry',
        attempt: 2,
        max_retries: 10,
        retry_delay_ms: 2000,
        error_status: null,
        error: 'unknown',
      }),
      say.system({
        subtype: 'api_retry',
        attempt: 1,
        max_retries: 4,
        retry_delay_ms: 500,
        error_status: null,
        error: 'unknown',
        error_message:
          'The endpoint (127.0.0.1:1) refuses connections. Is the base URL right, and the server running?',
      }),
      say.system({
        subtype: 'model_fallback',
        trigger: 'overloaded',
        original_model: 'a',
        fallback_model: 'b',
        content: 'a is overloaded; b takes over for the rest of this submission.',
      }),
      say.system({
        subtype: 'compact_boundary',
        compact_metadata: { trigger: 'auto', pre_tokens: 41_200, post_tokens: 6_400, duration_ms: 830 },
      }),
      say.system({ subtype: 'something_new' }),
    ]);
    expect(lines).toEqual([
      '↻ overloaded (529): retry 1 of 10 in 512 ms',
      '↻ no whole answer came: retry 2 of 10 in 2.0 s',
      '↻ The endpoint (127.0.0.1:1) refuses connections: retry 1 of 4 in 500 ms',
      '⇄ a is overloaded; b takes over for the rest of this submission.',
      '⊟ context compacted: 41.2k → 6.4k tokens, 830 ms',
    ]);
  });
});

describe('the status line', () => {
  test('shows time and tokens while waiting and never stays in the output', async () => {
    vi.useFakeTimers();
    const fake = fakeScreen({ live: true });
    await fake.screen.show(say.started('m1', 1234));
    fake.clock.ms = 4_000;
    vi.advanceTimersByTime(500);
    expect(fake.seen().at(-1)).toMatch(/^. 4\.0 s · ↑ 1\.2k ↓ 0 tokens · waiting$/);
    await fake.screen.show(say.delta('No newline yet'));
    vi.advanceTimersByTime(500);
    await fake.screen.show(say.text('No newline yet'));
    await fake.screen.show(say.call('t1', 'Bash', { command: 'sleep 5' }));
    vi.advanceTimersByTime(500);
    expect(fake.seen().at(-1)).toContain('Bash sleep 5');
    await fake.screen.show(say.result('t1', ''));
    vi.advanceTimersByTime(500);
    await fake.screen.close();
    expect(fake.seen()).toEqual(['No newline yet', '✓ Bash sleep 5  0 ms']);
  });

  test('is not drawn on anything but a terminal', async () => {
    vi.useFakeTimers();
    const fake = fakeScreen();
    vi.advanceTimersByTime(1_000);
    await fake.screen.close();
    expect(fake.raw()).toBe('');
  });
});

import type { SDKMessage } from '@turnwright/engine';
import { fakeRun, say } from '@turnwright/test/cli/fake-run.ts';
import { afterEach, describe, expect, test, vi } from 'vitest';

afterEach(() => {
  vi.useRealTimers();
});

async function shown(messages: readonly SDKMessage[], options: Parameters<typeof fakeRun>[0] = {}) {
  const fake = await fakeRun(options);
  for (const message of messages) await fake.run.show(message);
  await fake.run.end(undefined);
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
    expect(lines).toEqual(['Meanwhile ', '● Read a.js  0 ms', 'more']);
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
    const fake = await fakeRun({ live: true });
    await fake.run.show(say.started());
    await fake.run.show(say.delta('# Done\n\n**Two** thi'));
    expect(fake.seen()).toEqual(['Done']);
    await fake.run.show(say.delta('ngs in `a.js`:\n\n- one\n- two\n\n| a | b |\n|---|---|\n| 1 | 2 |'));
    await fake.run.show(
      say.text('# Done\n\n**Two** things in `a.js`:\n\n- one\n- two\n\n| a | b |\n|---|---|\n| 1 | 2 |'),
    );
    const seen = fake.seen().map((line) => line.trimEnd());
    expect(seen.slice(0, 6)).toEqual(['Done', '', 'Two things in a.js:', '', '• one', '• two']);
    expect(seen.slice(6).join('\n')).not.toContain('|---');
    await fake.run.end(undefined);
  });

  test('whose end never comes is shown as far as it came', async () => {
    expect(await shown([say.started(), say.delta('**Half** an ans')], { live: true })).toEqual([
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
      { live: true },
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
    expect(lines).toEqual(['Looking', '● Bash ls  exit 0 · 0 ms', '    a', 'Done']);
  });
});

describe('tools', () => {
  test('one line each, with duration and outcome', async () => {
    const fake = await fakeRun();
    await fake.run.show(say.call('t1', 'Read', { file_path: '/home/me/app/src/app.js' }));
    await fake.run.show(say.call('t2', 'Bash', { command: 'node --test' }));
    fake.clock.ms = 12;
    await fake.run.show(say.result('t1', 'text'));
    fake.clock.ms = 1500;
    await fake.run.show(say.result('t2', 'Exit code 1\nnot ok', true));
    expect(fake.seen()).toEqual([
      '● Read src/app.js  12 ms',
      '✗ Bash node --test  exit 1 · 1.5 s',
      '    not ok',
    ]);
  });

  test('of what a command wrote the end is shown, more of it when it failed', async () => {
    const forty = Array.from({ length: 40 }, (_, i) => `line ${i + 1}`).join('\n');
    const lines = await shown([
      say.call('t1', 'Bash', { command: 'make' }),
      say.result('t1', `${forty}\n\n`),
      say.call('t2', 'Bash', { command: 'npm test' }),
      say.result('t2', `Exit code 1\n${forty}`, true),
      say.call('t3', 'Bash', { command: 'true' }),
      {
        ...say.result('t3', '(Bash completed with no output)'),
        tool_use_result: { stdout: '' },
      } as SDKMessage,
    ]);
    expect(lines.slice(0, 3)).toEqual([
      '● Bash make  exit 0 · 0 ms',
      '    … 30 lines before these',
      '    line 31',
    ]);
    expect(lines.slice(12, 15)).toEqual([
      '✗ Bash npm test  exit 1 · 0 ms',
      '    … 20 lines before these',
      '    line 21',
    ]);
    expect(lines.slice(-2)).toEqual(['    line 40', '● Bash true  exit 0 · 0 ms']);
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
    expect(lines).toEqual(['✗ Bash rm x  denied · 0 ms', '    Not allowed.']);
  });

  test('lines fit the terminal, also with wide characters', async () => {
    const lines = await shown(
      [say.call('t1', 'Bash', { command: `echo ${'語'.repeat(60)}` }), say.result('t1', 'no\x1b[2J', true)],
      { columns: 40, live: true },
    );
    expect(lines[0]).toContain('…');
    expect([...(lines[0] ?? '')].reduce((sum, c) => sum + (c === '語' ? 2 : 1), 0)).toBeLessThanOrEqual(40);
  });

  test('a subagent’s calls are set in and its text is left out', async () => {
    const lines = await shown([
      say.assistant([{ type: 'text', text: 'inner' }], { parent: 'agent' }),
      say.call('t1', 'Grep', { pattern: 'x' }, 'agent'),
      say.result('t1', ''),
    ]);
    expect(lines).toEqual(['  ↳ ● Grep x  0 ms']);
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
      '● Agent apples  1 turn · 0 ms',
      '  ↳ a very long description…: ● Grep y  0 ms',
      '  ↳ apples: ● Grep x  0 ms',
    ]);
  });

  test('the list of things to do is shown as it stands', async () => {
    const todos = [
      { content: 'Read', status: 'completed' },
      { content: 'Fix\x1b[2J', status: 'in_progress' },
      { content: 'Test', status: 'pending' },
    ];
    expect(await shown([say.call('t1', 'TodoWrite', { todos }), say.result('t1', 'ok')])).toEqual([
      '● TodoWrite 3 items  1 done · 0 ms',
      '  ☑ Read',
      '  ▸ Fix␛[2J',
      '  ☐ Test',
    ]);
  });
});

describe('while a question stands', () => {
  /** Asks about this call, as the engine does, and types an answer once the question is there. */
  async function asked(
    fake: Awaited<ReturnType<typeof fakeRun>>,
    toolUseID: string,
    typed: string,
    { meanwhile = async () => {}, context = {} }: { meanwhile?: () => Promise<void>; context?: object } = {},
  ) {
    const all = { signal: new AbortController().signal, toolUseID, requestId: 'r', ...context };
    const before = fake.raw().length;
    const answer = fake.run.canUseTool?.('Bash', { command: 'make' }, all as never);
    await vi.waitFor(() => expect(fake.raw().slice(before)).toContain('Number from 1 to'));
    await meanwhile();
    fake.clock.ms += 500;
    fake.keyboard.write(typed);
    return answer;
  }

  test('what else happens waits, and keeps its own time; that of the person is not the tool’s', async () => {
    const fake = await fakeRun({ live: true });
    await fake.run.show(say.call('t1', 'Bash', { command: 'make' }));
    await fake.run.show(say.call('t2', 'Bash', { command: 'ls' }));
    const meanwhile = async () => {
      fake.clock.ms = 10;
      fake.run.warn('A warning.');
      await fake.run.show(say.result('t2', 'ok'));
      fake.clock.ms = 60_000;
    };
    expect(await asked(fake, 't1', 'y\n', { meanwhile })).toEqual({ behavior: 'allow' });
    fake.clock.ms += 30;
    await fake.run.show(say.result('t1', 'ok'));
    await fake.run.end(undefined);
    expect(fake.seen().slice(0, 2)).toEqual(['Question: may Bash do this?', '  │ make']);
    expect(fake.seen().slice(-5)).toEqual([
      '! A warning.',
      '● Bash ls  exit 0 · 10 ms',
      '    ok',
      '● Bash make  exit 0 · 30 ms',
      '    ok',
    ]);
  });

  test.each([
    ['1\n', { behavior: 'allow' }],
    ['n\n', { behavior: 'deny', message: 'The user does not allow this call.' }],
    ['no, use rg\n', { behavior: 'deny', message: 'The user does not allow this call. They say: use rg' }],
    ['3 use rg\n', { behavior: 'deny', message: 'The user does not allow this call. They say: use rg' }],
  ])('%j answers it', async (typed, answer) => {
    const fake = await fakeRun({ live: true });
    await fake.run.show(say.call('t1', 'Bash', { command: 'make' }));
    expect(await asked(fake, 't1', typed)).toEqual(answer);
  });

  test('Ctrl-D answers this question with no, and the next one is asked', async () => {
    const fake = await fakeRun({ live: true });
    await fake.run.show(say.call('t1', 'Bash', { command: 'make' }));
    const closed = 'The user closed the question without an answer, so this call is not allowed.';
    expect(await asked(fake, 't1', '\x04')).toEqual({ behavior: 'deny', message: closed });
    expect(await asked(fake, 't1', 'y\n')).toEqual({ behavior: 'allow' });
  });

  test('it says which subagent asks', async () => {
    const fake = await fakeRun({ live: true });
    await fake.run.show(say.call('a1', 'Agent', { description: 'apples', prompt: 'Count.' }));
    await fake.run.show(say.call('t1', 'Bash', { command: 'ls' }, 'a1'));
    await asked(fake, 't1', '1\n', { context: { agentID: 'agent-1' } });
    expect(fake.seen()).toContain('Question: may Bash do this, for the subagent apples?');
  });

  test('it is shown behind the text that precedes its call', async () => {
    const fake = await fakeRun({ live: true });
    const answer = asked(fake, 't1', '1\n');
    await fake.run.show(say.text('I make it.'));
    await fake.run.show(say.call('t1', 'Bash', { command: 'make' }));
    await answer;
    expect(fake.seen().slice(0, 2)).toEqual(['I make it.', 'Question: may Bash do this?']);
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
    const fake = await fakeRun({ live: true });
    await fake.run.show(say.init());
    await fake.run.show(say.system({ subtype: 'status', status: 'requesting' }));
    await fake.run.show(say.started('m1', 1234));
    fake.clock.ms = 4_000;
    vi.advanceTimersByTime(500);
    expect(fake.seen().at(-1)).toMatch(
      /^. 4\.0 s · ↑ 1\.2k tokens · turn 1 · waiting for claude-opus-5-5 · 4 s$/,
    );
    await fake.run.show(say.delta('No newline yet'));
    vi.advanceTimersByTime(500);
    await fake.run.show(say.text('No newline yet'));
    await fake.run.show(say.call('t1', 'Bash', { command: 'sleep 5' }));
    vi.advanceTimersByTime(500);
    expect(fake.seen().at(-1)).toContain('Bash sleep 5');
    await fake.run.show(say.result('t1', ''));
    vi.advanceTimersByTime(500);
    await fake.run.end(undefined);
    expect(fake.seen()).toEqual(['No newline yet', '● Bash sleep 5  exit 0 · 0 ms']);
  });

  test('is not drawn on anything but a terminal', async () => {
    vi.useFakeTimers();
    const fake = await fakeRun();
    vi.advanceTimersByTime(1_000);
    await fake.run.end(undefined);
    expect(fake.raw()).toBe('');
  });
});

describe('for a screen reader', () => {
  test('what lasts is said', async () => {
    vi.useFakeTimers();
    const fake = await fakeRun({ live: true, speaks: true });
    await fake.run.show(say.init());
    await fake.run.show(say.system({ subtype: 'status', status: 'requesting' }));
    fake.clock.ms = 25_000;
    vi.advanceTimersByTime(5_000);
    expect(fake.seen()).toEqual(['Still waiting for the model, 25 s so far.']);
    await fake.run.end(undefined);
  });

  test('the same run is in words', async () => {
    const lines = await shown(
      [say.init(), say.text('I look.'), say.call('t1', 'Bash', { command: 'ls' }), say.result('t1', 'a')],
      { live: true, speaks: true },
    );
    expect(lines).toEqual(['I look.', 'Tool: Bash ls … done, exit 0, 0 ms', '  a']);
  });
});

test('sentences are broken between words on a terminal, and whole in a pipe', async () => {
  const long = 'A sentence that is longer than one line of this window is wide.';
  for (const [live, expected] of [
    [true, ['A sentence that is longer than', '  one line of this window is', '  wide.']],
    [false, [long]],
  ] as const) {
    const fake = await fakeRun({ live, columns: 30 });
    await fake.run.prose(long);
    expect(fake.seen()).toEqual(expected);
    await fake.run.end(undefined);
  }
});

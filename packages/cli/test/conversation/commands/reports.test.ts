/** Commands that print, read or write down what a session did, and the queue. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { explainSession, sessionCost } from '@turnwright/engine';
import { cells } from '@turnwright/terminal/text/cells.ts';
import { createTheme } from '@turnwright/terminal/text/theme.ts';
import {
  commandsUnderTest,
  type Harness,
  type HarnessOptions,
} from '@turnwright/test/conversation/commands/command-under-test.ts';
import { reply, toolUse } from '@turnwright/testing/rehearsal';
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import { contextText } from '../../../src/commands/context-command.ts';
import { costTable } from '../../../src/commands/cost-command.ts';
import { clipboardPrograms, copyText } from '../../../src/conversation/commands/copy-text.ts';
import { conversationMarkdown } from '../../../src/conversation/commands/markdown-export.ts';
import { todoRows } from '../../../src/conversation/commands/reports.ts';
import { codeBlocks, fileName } from '../../../src/conversation/commands/transcript-commands.ts';

const THEME = createTheme('none');

let harness: Harness | undefined;
afterEach(() => harness?.close());
const start = async (options?: HarnessOptions) => {
  harness = await commandsUnderTest(options);
  return harness;
};

describe('/context', () => {
  it('prints the figures of the session’s context, as the subcommand does', async () => {
    const { ask, run, printed, echoed, query } = await start();
    await ask('hello', [reply('Hi.')]);
    await run('/context');
    expect(echoed).toEqual(['/context']);
    expect(printed).toEqual(contextText(await query.getContextUsage()).split('\n'));
    expect(printed[0]).toMatch(/^claude-opus-5-5: \d+ of 1,000,000 tokens in use \(0 %\)$/);
  });

  it('fits in 40 columns', async () => {
    const { run, printed } = await start({ columns: 40 });
    await run('/context');
    expect(Math.max(...printed.map(cells))).toBeLessThan(40);
    expect(printed.find((row) => row.includes('['))).toMatch(/^ {2}\[.{34}\]$/u);
  });
});

describe('/cost', () => {
  it('prints what the session has cost, with the columns that fit', async () => {
    const { ask, run, printed, context, cwd, env, state } = await start();
    await ask('hello', [reply('Hi.')]);
    await run('/cost');
    const cost = await sessionCost(state.current.session.id, { cwd, env });
    expect(printed).toEqual(costTable(cost, { columns: context.columns }).split('\n'));
    const heads = (columns: number) => costTable(cost, { columns }).split('\n')[2]?.trim().split(/ {2,}/);
    expect(heads(200)).toHaveLength(9);
    expect(heads(79)).toEqual(['agent', 'purpose', 'model', 'calls', 'input', 'cache read', 'output', 'USD']);
    expect(heads(39)).toEqual(['agent', 'purpose', 'USD']);
  });

  it('prints the sum of a session that is not kept', async () => {
    const { ask, run, printed } = await start({ options: { persistSession: false } });
    await ask('hello', [reply('Hi.')]);
    await run('/cost');
    expect(printed).toEqual([expect.stringMatching(/^\$0\.\d{4} so far\.$/)]);
  });
});

describe('/status', () => {
  it('prints session, model, credentials, servers and settings files', async () => {
    const { ask, run, printed, cwd, home, state } = await start({
      prepare: ({ home: folder }) => writeFile(join(folder, 'settings.json'), '{"effortLevel":"low"}'),
    });
    await ask('hello', [reply('Hi.')]);
    await run('/status');
    const text = printed
      .join('\n')
      .replaceAll(/\n {13}/g, '')
      .replaceAll(cwd, '<cwd>')
      .replaceAll(home, '<home>')
      .replaceAll(state.current.session.id, '<id>')
      .replace(/version +.*/, 'version      <version>');
    expect(text).toMatchInlineSnapshot(`
      "version      <version>
      session      <id>
      folder       <cwd>
      model        claude-opus-5-5, effort low
      credentials  ANTHROPIC_API_KEY (firstParty)
      mode         manual
      MCP          none
      settings     <home>/settings.json"
    `);
  });

  it('names the settings file that an answer "always" has just made', async () => {
    const rule = { toolName: 'Bash', ruleContent: 'touch made' };
    const { ask, run, printed } = await start({
      options: {
        tools: ['Bash'],
        canUseTool: async (_, updatedInput) => ({
          behavior: 'allow',
          updatedInput,
          updatedPermissions: [
            { type: 'addRules', rules: [rule], behavior: 'allow', destination: 'localSettings' },
          ],
        }),
      },
    });
    await run('/status');
    expect(printed.at(-1)).toContain('no file');
    await ask('go', [reply([toolUse('Bash', { command: 'touch made' })]), reply('Done.')]);
    await run('/status');
    expect(printed.slice(-3).join('').replaceAll(/\s/g, '')).toContain('settings.local.json');
  });
});

describe('/explain', () => {
  it('shows what turnwright explain prints, a part for each submission', async () => {
    const { ask, run, views, cwd, env, state } = await start();
    await ask('one', [reply('First.')]);
    await run('/explain');
    expect(views.pop()?.parts).toEqual([
      {
        heading: expect.stringMatching(/^The model gave its answer/),
        lines: [
          expect.stringMatching(/^1 iteration · /),
          expect.stringMatching(/^#1 · /),
          expect.stringMatching(/^ {5}The model gave its answer/),
        ],
      },
    ]);
    await ask('two', [reply('Second.')]);
    await run('/explain');
    const text = await explainSession(state.current.session.id, { cwd, env });
    const shown = views[0]?.parts.map(({ heading, lines }) => [heading, ...lines].join('\n')).join('\n\n');
    expect(shown).toBe(text.trimEnd());
    expect(views[0]?.parts.map(({ heading }) => heading)).toEqual([
      expect.any(String),
      expect.stringMatching(/^Submission 1 of 2/),
      expect.stringMatching(/^Submission 2 of 2/),
    ]);
  });
});

describe('/todos', () => {
  it('prints the list with the state of each item', () => {
    const todos = [
      { text: 'Read the code', status: 'completed' },
      { text: 'Write the test that shows the defect', status: 'in_progress' },
      { text: 'Fix it', status: 'pending' },
    ] as const;
    expect(todoRows(todos, 30, THEME).join('\n')).toMatchInlineSnapshot(`
      "Todos · 1 of 3 done
      [x] Read the code
      [>] Write the test that shows
          the defect
      [ ] Fix it"
    `);
    expect(todoRows([], 30, THEME)).toEqual(['There is no todo list.']);
  });
});

describe('/doctor', () => {
  it('makes the checks of turnwright doctor', async () => {
    const { run, printed } = await start();
    await run('/doctor');
    expect(printed.join('\n')).toMatch(/✓ node +v\d+/);
    expect(printed.join('\n')).toMatch(/✓ API +.* lets us in/);
    expect(printed.at(-1)).toMatch(/All is well|attention\.$/);
  });

  const guard = (matcher: string) => ({
    PreToolUse: [{ matcher, hooks: [{ type: 'command', command: 'exit 2' }] }],
  });
  it.each([
    [
      'that is switched off',
      { disableAllHooks: true, hooks: guard('Bash') },
      /! hooks +0 run in this session, 1 /,
    ],
    ['whose matcher cannot be read', { hooks: guard('(') }, /! settings .*hook does not run/],
  ])('lists a guard %s', async (_how, settings, row) => {
    const { run, printed } = await start({
      columns: 400,
      prepare: ({ home }) => writeFile(join(home, 'settings.json'), JSON.stringify(settings)),
    });
    await run('/doctor');
    expect(printed.join('\n')).toMatch(row);
  });

  it('reports the servers of the session, wherever they were configured', async () => {
    const { ask, run, printed } = await start({
      options: { mcpServers: { absent: { command: join('/', 'no', 'such', 'program') } } },
    });
    await ask('hello', [reply('Hi.')]);
    await run('/doctor');
    expect(printed.join('\n')).toMatch(/✗ MCP +absent: failed/);
    expect(printed.join('\n')).not.toContain('none configured');
  });
});

describe('/export', () => {
  it('writes the conversation as Markdown, and never over another file', async () => {
    const { ask, run, printed, cwd, state } = await start({ options: { tools: ['Glob'] } });
    await ask('Which files are there?', [
      reply(['I look.', toolUse('Glob', { pattern: '*' })]),
      reply('None:\n\n```js\nconst a = 1;\n```'),
    ]);
    await run('/export talk.md');
    const text = await readFile(join(cwd, 'talk.md'), 'utf8');
    expect(text).toMatchInlineSnapshot(`
      "# Which files are there?

      ## You

      Which files are there?

      I look.

      \`Glob *\`

      \`\`\`
      No files found
      \`\`\`

      None:

      \`\`\`js
      const a = 1;
      \`\`\`
      "
    `);
    expect(printed).toEqual([`Wrote 5 messages to ${join(cwd, 'talk.md')}.`]);
    await run('/export talk.md');
    expect(printed.splice(1).join(' ')).toBe(`${join(cwd, 'talk.md')} exists already: name another file.`);
    state.current = { ...state.current, session: { ...state.current.session, title: 'Files: which?' } };
    await run('/export');
    expect(printed.at(-1)).toMatch(/\d{4}-\d\d-\d\d-files-which\.md\.$/);
  });

  it('says that there is nothing to write', async () => {
    const { ask, run, printed } = await start({ options: { persistSession: false } });
    await ask('hello', [reply('Hi.')]);
    await run('/export');
    expect(printed).toEqual(['Nothing was said yet, or this session is not kept.']);
  });

  it('names a file after title and day', () => {
    const day = Date.UTC(2026, 10, 22);
    expect(fileName('Fix: the “failing” test!', day)).toBe('2026-11-22-fix-the-failing-test.md');
    expect(fileName('猫と犬', day)).toBe('2026-11-22-猫と犬.md');
    expect(fileName('../..', day)).toBe('2026-11-22-conversation.md');
  });

  it.each([
    ['Pacific/Kiritimati', '2026-11-23'],
    ['Pacific/Pago_Pago', '2026-11-21'],
    ['UTC', '2026-11-22'],
  ])('the day is that of the person, in %s', (zone, day) => {
    const before = process.env['TZ'];
    onTestFinished(() => {
      if (before === undefined) delete process.env['TZ'];
      else process.env['TZ'] = before;
    });
    process.env['TZ'] = zone;
    // Noon and ten hours earlier or later: both sides of the date line differ from the day of Greenwich.
    const moment = Date.UTC(2026, 10, 22, zone === 'Pacific/Kiritimati' ? 12 : zone === 'UTC' ? 23 : 9);
    expect(fileName('talk', moment)).toBe(`${day}-talk.md`);
  });

  it('fences a result that holds a fence with a longer one', () => {
    const message = { content: [{ type: 'tool_result', tool_use_id: 'a', content: '```\nx\n```\n' }] };
    const said = { type: 'user', uuid: '', session_id: '', parent_tool_use_id: null, parent_agent_id: null };
    const messages = [{ ...said, message, timestamp: '' }] as never;
    expect(conversationMarkdown({ title: 'T', cwd: '/', messages })).toBe('# T\n\n````\n```\nx\n```\n````\n');
  });
});

describe('/copy', () => {
  const answer = 'Two ways:\n\n```js\nconst a = 1;\n```\n\nor\n\n~~~\nb\nc\n~~~';
  const copied = ({ emitted }: Harness) =>
    emitted.map((sequence) => {
      expect([sequence.slice(0, 7), sequence.at(-1)]).toEqual(['\x1b]52;c;', '\x07']);
      return Buffer.from(sequence.slice(7, -1), 'base64').toString();
    });

  it('copies the last answer, or the code block that is chosen or numbered', async () => {
    const started = await start();
    const { ask, run, screens, printed } = started;
    await ask('How?', [reply(answer)]);
    await run('/copy', ['enter']);
    await run('/copy', ["'block 2", 'enter']);
    await run('/copy 1');
    await run('/copy all');
    await run('/copy 3');
    expect(screens[0]).toMatchInlineSnapshot(`
      "Copy
      search: 
      ❯ The whole answer  12 lines
        Code block 1: js  1 line
        Code block 2      2 lines
      type to search · ↑↓ choose · Enter copies it · Esc leaves"
    `);
    expect(copied(started)).toEqual([answer, 'b\nc', 'const a = 1;', answer]);
    expect(printed).toEqual([
      `Copied ${answer.length} characters through the terminal (OSC 52).`,
      'Copied 3 characters through the terminal (OSC 52).',
      'Copied 12 characters through the terminal (OSC 52).',
      `Copied ${answer.length} characters through the terminal (OSC 52).`,
      'The last answer has 2 code blocks: /copy 1, or /copy all.',
    ]);
  });

  it('copies an answer without code at once', async () => {
    const started = await start();
    await started.ask('hello', [reply('Hi 👋.')]);
    await started.run('/copy');
    expect(copied(started)).toEqual(['Hi 👋.']);
    expect(started.screens).toEqual([]);
  });

  it('finds fenced code, closed or not', () => {
    expect(codeBlocks(answer)).toEqual([
      { language: 'js', text: 'const a = 1;' },
      { language: '', text: 'b\nc' },
    ]);
    expect(codeBlocks('````md\n```\nx\n```\n````')).toEqual([{ language: 'md', text: '```\nx\n```' }]);
    expect(codeBlocks('```\nopen')).toEqual([{ language: '', text: 'open' }]);
    expect(codeBlocks('no `code`')).toEqual([]);
  });

  it('uses the program of the platform where the clipboard is the person’s own', async () => {
    const names = (env: Record<string, string>, platform: NodeJS.Platform) =>
      clipboardPrograms(env, platform).map(({ command }) => command);
    expect(names({}, 'darwin')).toEqual(['pbcopy']);
    expect(names({ WAYLAND_DISPLAY: 'w', DISPLAY: ':0' }, 'linux')).toEqual(['wl-copy', 'xclip', 'xsel']);
    expect(names({ DISPLAY: ':0', SSH_CONNECTION: 'x' }, 'linux')).toEqual([]);
    expect(names({ TMUX: '/tmp/tmux', SSH_CONNECTION: 'x' }, 'linux')).toEqual(['tmux']);
    expect(names({}, 'linux')).toEqual([]);
    // A program that is missing is no failure: the terminal gets the text.
    const emitted: string[] = [];
    const place = { env: { TMUX: 'x', PATH: '' }, emit: (sequence: string) => void emitted.push(sequence) };
    expect(await copyText('x', place, 'linux')).toBe('through the terminal (OSC 52)');
    expect(emitted).toHaveLength(1);
  });
});

describe('/queue', () => {
  it('edits, moves and drops prompts that wait', async () => {
    const { run, screens, printed, state } = await start();
    const waiting = ['one', 'two', 'three'].map((text) => ({
      uuid: text,
      text,
      images: [],
      place: 'session' as const,
    }));
    state.current = { ...state.current, queue: waiting };
    const texts = () => state.current.queue.map(({ text }) => text);
    await run('/queue', ['down', 'enter', "'edit", 'enter', 'ctrl+u', "'second", 'enter']);
    expect(screens.slice(0, 2)).toMatchInlineSnapshot(`
      [
        "Queue · 3 prompts
      search: 
      ❯ 1 one
        2 two
        3 three
      type to search · ↑↓ choose · Enter opens it · Esc leaves",
        "Prompt 2: two
      search: 
      ❯ Edit it
        Drop it
        Move it up
        Move it down
      type to search · ↑↓ choose · Enter does it · Esc leaves",
      ]
    `);
    expect(texts()).toEqual(['one', 'second', 'three']);
    await run('/queue 3', ["'first", 'enter']);
    expect(texts()).toEqual(['three', 'one', 'second']);
    await run('/queue 1', ["'drop", 'enter']);
    expect(texts()).toEqual(['one', 'second']);
    await run('/queue 1', ["'down", 'enter']);
    expect(texts()).toEqual(['second', 'one']);
    await run('/queue 7');
    expect(printed).toEqual(['There is no prompt 7 in the queue: it has 2 prompts.']);
  });
});

/** What a command prints, as the model gets it: without what is meant for terminals, and without our wrapper. */
import { describe, expect, test } from 'vitest';
import { runShell } from '../../../packages/cli/src/conversation/session/typed-command.ts';
import { type Call, place, runCalls } from './run-calls.ts';

const bash = (command: string): Call => ['Bash', { command }];

describe('output for terminals', () => {
  const CASES: readonly (readonly [what: string, printf: string, model: string])[] = [
    ['colours', String.raw`\033[1;31mred\033[0m plain\n`, 'red plain'],
    ['colours with colons', String.raw`\033[38:5:196mred\033[m\n`, 'red'],
    ['a progress bar', String.raw` 10%%\r 50%%\r100%%\ndone\n`, '100%\ndone'],
    ['a shorter redraw', String.raw`downloading\rok\033[K\n`, 'ok'],
    ['a shorter redraw that erases nothing', String.raw`abcdef\rxy\n`, 'xycdef'],
    ['a line that is erased first', String.raw`long text\r\033[2Kshort\n`, 'short'],
    ['NUL', String.raw`a\0b\n`, 'ab'],
    ['a title of the window', String.raw`\033]0;title\007text\n`, 'text'],
    ['a link', String.raw`\033]8;;http://x.y\033\\name\033]8;;\033\\\n`, 'name'],
    ['backspaces', String.raw`ab\bc  \b\b\n`, 'ac'],
    ['a bell', String.raw`ding\007\n`, 'ding'],
    ['CRLF', String.raw`a\r\nb\r\n`, 'a\r\nb'],
    ['a spinner', String.raw`| wait\r/ wait\r- wait\rready \n`, 'ready'],
    ['cursor keys and modes', String.raw`\033[?25l\033[2J\033[H\033(Bx\033[?25h\n`, 'x'],
    ['plain text with tabs', String.raw`a\tb\n`, 'a\tb'],
  ];

  test('reaches the model as a reader sees it, and hosts as it was', async () => {
    const all = CASES.map(([, text]) => `printf '${text}'; echo @@`).join('\n');
    const { answers, messages } = await runCalls([bash(all)], place());
    const shown = answers[0]?.text.split('@@').map((text) => text.replace(/^\n/, '').trimEnd());
    expect(shown?.slice(0, -1)).toEqual(CASES.map(([, , model]) => model));
    const data = messages.flatMap((message) => (message.type === 'user' ? [message.tool_use_result] : []));
    expect(data[0]).toMatchObject({ stdout: expect.stringContaining('\u001b[1;31mred\u001b[0m plain') });
  });

  test('output that is too long is cleaned in what is shown of it', async () => {
    const { answers } = await runCalls(
      [bash(`for i in $(seq 4000); do printf '\\033[31mline %d\\033[0m\\n' $i; done`)],
      place(),
    );
    expect(answers[0]?.text).toContain('persisted-output');
    expect(answers[0]?.text).not.toContain('\u001b');
  });
});

test('a syntax error shows the text of the command alone', async () => {
  const commands = [`echo 'unclosed`, 'echo a\\', 'echo $(', 'echo `', '( echo', 'echo a; }', 'for i in; do'];
  const { answers } = await runCalls(commands.map(bash), place());
  for (const [i, { text }] of answers.entries())
    expect(text, commands[i]).not.toMatch(/TURNWRIGHT|pwd -P|197/);
  expect(answers[0]?.text).toMatch(/Exit code 2\n.*unexpected EOF while looking for matching/);
});

describe('commands behind !', () => {
  const run = (command: string, cwd = place().project) =>
    runShell({ command, cwd, env: process.env, onOutput() {} }).ended;

  test.each(['vim', 'vi a.txt', 'sudo nano /etc/hosts', 'EDITOR=x nvim', 'cd x && htop', 'tmux', 'lazygit'])(
    '%s is not started',
    async (command) => {
      expect(await run(command)).toMatchObject({
        code: undefined,
        error: expect.stringMatching(/have no terminal/),
      });
    },
  );

  test.each(['echo vim', 'grep -c vi /dev/null; true', 'echo "top"', 'true | cat'])(
    '%s is',
    async (command) => {
      expect(await run(command)).toMatchObject({ code: 0 });
    },
  );

  test('a folder that is gone is named, and cd leads out of it', async () => {
    const { project } = place();
    const gone = `${project}/gone`;
    expect(await run('echo x', gone)).toMatchObject({
      error: expect.stringContaining(`${gone} no longer exists`),
    });
    expect(await run(`cd ${project} && pwd`, gone)).toMatchObject({ code: 0, stdout: `${project}\n` });
  });
});

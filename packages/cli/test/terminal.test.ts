/**
 * A printed run on a real pseudo-terminal, which `script` of util-linux provides: on stderr, where stdout is not
 * the terminal.
 */
import { spawn, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { lazily } from '@turnwright/base/collections/made-once.ts';
import { against, BIN, bareEnv, rehearse, temporaryFolder } from '@turnwright/test/cli/bin.ts';
import { asSeen } from '@turnwright/test/cli/fake-run.ts';
import { everyNth } from '@turnwright/test/long-form.ts';
import { untilFile } from '@turnwright/test/scenarios/processes.ts';
import { type RehearsalServer, reply, type ScriptedReply, toolUse } from '@turnwright/testing/rehearsal';
import { describe, expect, test } from 'vitest';

const hasBash = spawnSync('bash', ['-c', 'true']).status === 0;
const hasTerminal = spawnSync('script', ['-qec', 'true', '/dev/null']).status === 0;

/** Each answer is typed once its question has been seen as often as there are answers before it. */
async function onTerminal(
  server: RehearsalServer,
  typed: readonly string[],
  env: Record<string, string> = {},
  run = `exec '${process.execPath}' '${BIN}' --verbose go >/dev/null`,
) {
  const cwd = temporaryFolder();
  const command = `stty cols 80; ${run}`;
  const child = spawn('script', ['-qec', command, '/dev/null'], {
    cwd,
    env: { ...bareEnv(against(server)), TERM: 'xterm', SHELL: '/bin/sh', ...env },
  });
  let written = '';
  let answered = 0;
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    written += text;
    const answer = typed[answered];
    if (answer === undefined || written.split(QUESTION).length - 1 <= answered) return;
    answered += 1;
    // What comes sooner was typed before the question could be read.
    setTimeout(() => child.stdin.write(answer), 500);
  });
  const code = await new Promise((resolve) => child.once('close', resolve));
  return {
    code,
    written,
    seen: asSeen(written.replaceAll('\r\n', '\n')),
    files: readdirSync(cwd),
    questions: written.split(QUESTION).length - 1,
  };
}

/** Hands SIGHUP on to what it runs, as a shell does, and notes how that ended. */
const SHELL = `
import { spawn } from 'node:child_process';
import { openSync, writeFileSync } from 'node:fs';
const stdio = ['inherit', 'inherit', openSync('stderr', 'w')];
const child = spawn(process.execPath, [process.argv[2], 'go'], { stdio });
process.on('SIGHUP', () => child.kill('SIGHUP'));
child.on('close', (code, signal) => {
  writeFileSync('end', String(signal ?? code));
  process.kill(process.pid, 'SIGKILL');
});
`;

/** What the question about a call ends with. */
const QUESTION = 'Number from 1 to';

const write = (name: string) => toolUse('Write', { file_path: name, content: 'text\n' });

describe.skipIf(!hasTerminal)('on a terminal', () => {
  test('text streams, tools get a line, the status line leaves nothing behind', async () => {
    const server = await rehearse(
      reply(['I look.', toolUse('Glob', { pattern: '*' })], { timing: { ttftMs: 300 } }),
      reply('Nothing here.'),
    );
    const { code, written, seen } = await onTerminal(server, []);
    expect(code).toBe(0);
    expect(written).toContain('· waiting for ');
    expect(written).toContain('\x1b[32m●');
    // The line of --verbose is before them.
    expect(seen.slice(1, 4)).toEqual([
      'I look.',
      expect.stringMatching(/^● Glob \* {2}\d+ files? · \d+ ms$/),
      'Nothing here.',
    ]);
    expect(seen.slice(4).join(' ')).toMatch(/^— 2 turns · 1 tool call · .* · \$0\.\d+ · /);
    expect(seen).toHaveLength(6);
  });

  const withoutColours = lazily(async () => {
    const long = Array.from({ length: 40 }, (_, at) => `line ${at}\n`).join('');
    const server = await rehearse(
      reply([toolUse('Write', { file_path: 'a.txt', content: long })]),
      reply([toolUse('Edit', { file_path: 'a.txt', old_string: 'line 7', new_string: 'line seven' })]),
      reply('Plain.'),
    );
    return onTerminal(server, ['y\r', 'y\r'], { NO_COLOR: '1' });
  });

  test('NO_COLOR is honoured', async () => {
    const { written } = await withoutColours();
    expect(written).toContain('Plain.');
    expect(written).not.toMatch(new RegExp(`${String.fromCharCode(27)}\\[\\d+m`));
  });

  /** One run for the tests of single answers: each call is answered in its own way, the last but one for good. */
  const answered = lazily(async () => {
    const names = ['a.txt', 'b.txt', 'c.txt', 'd.txt', 'e.txt'];
    const server = await rehearse(...names.map((name) => reply([write(name)])), reply('Done.'));
    return { server, ...(await onTerminal(server, ['y\r', 'n\r', '\x04', 'a\r'])) };
  });

  test('a call that needs it is asked about: y runs it, n does not', async () => {
    const { code, files, seen, written } = await answered();
    expect(code, written).toBe(0);
    expect(files).toContain('a.txt');
    expect(files).not.toContain('b.txt');
    expect(seen).toContain('Question: may Write do this?');
    const denied = seen.findIndex((line) => line.startsWith('✗ Write b.txt'));
    expect(seen[denied + 1]).toContain('The user does not allow this call.');
  });

  test('an edit is asked about as a diff', async () => {
    const { seen } = await withoutColours();
    const edit = seen.slice(seen.indexOf('Question: may Edit do this?') + 1);
    expect(edit[0]).toBe('  │ a.txt');
    expect(edit).toContainEqual(expect.stringMatching(/^ {2}│ +8 - line 7$/));
    expect(edit).toContainEqual(expect.stringMatching(/^ {2}│ +8 \+ line seven$/));
  });

  test('a question is answered on the terminal when the task is piped in', async () => {
    const server = await rehearse(reply([write('a.txt')]), reply([write('b.txt')]), reply('Done.'));
    const piped = `printf 'the input' | '${process.execPath}' '${BIN}' --verbose go >/dev/null`;
    const { code, files, seen, written } = await onTerminal(server, ['y\r', 'n\r'], {}, piped);
    expect([code, files], written).toEqual([0, ['a.txt']]);
    expect(seen).toContain('Question: may Write do this?');
    expect(JSON.stringify(server.requests[0]?.body)).toContain('the input');
  });

  test('a question is on stderr where stdout alone is a pipe, which gets the answer alone', async () => {
    const server = await rehearse(reply([write('a.txt')]), reply('Done.'));
    const piped = `printf x | '${process.execPath}' '${BIN}' go | sed 's/^/out: /'`;
    const { files, seen, written } = await onTerminal(server, ['y\r'], {}, piped);
    expect(files, written).toEqual(['a.txt']);
    expect(seen).toContain('Question: may Write do this?');
    expect(seen.filter((line) => line.startsWith('out: '))).toEqual(['out: Done.']);
  });

  test.each(everyNth(2, ['-p', '--output-format json']))(
    'no question is asked with %s, whatever stdin is',
    async (flags) => {
      const server = await rehearse(reply([write('a.txt')]), reply('Done.'));
      const piped = `printf x | '${process.execPath}' '${BIN}' ${flags} go`;
      const { code, files, questions } = await onTerminal(server, [], {}, piped);
      expect([code, files, questions]).toEqual([0, [], 0]);
    },
  );

  test('Ctrl-D at a question is no answer: the call is denied, and the model reads why', async () => {
    const { code, files, seen, server } = await answered();
    expect(code).toBe(0);
    expect(files).not.toContain('c.txt');
    expect(seen).toContainEqual(expect.stringMatching(/^✗ Write c.txt/));
    const why = 'The user closed the question without an answer, so this call is not allowed.';
    expect(JSON.stringify(server.requests.at(-1)?.body)).toContain(why);
  });

  test('a: the same kind of call is not asked about again', async () => {
    const { code, files, questions } = await answered();
    expect([code, files, questions]).toEqual([0, ['a.txt', 'd.txt', 'e.txt'], 4]);
  });

  const MOMENTS: readonly (readonly [string, ScriptedReply, string])[] = [
    ['at a question', reply([write('a.txt')]), '3 always'],
    [
      'while the model speaks',
      reply('word '.repeat(5_000), { timing: { gapMs: 20, deltaChars: 5 } }),
      'word',
    ],
    ['while a request waits', reply('Never said.', { timing: { ttftMs: 60_000 } }), 'waiting'],
  ];

  test.each(everyNth(3, MOMENTS))(
    'a terminal that is closed %s ends the run by SIGHUP, and nothing is left',
    async (_, said, seen) => {
      const server = await rehearse(said);
      const cwd = temporaryFolder();
      const home = temporaryFolder();
      const env = { ...bareEnv(against(server)), TURNWRIGHT_HOME: home, TERM: 'xterm', SHELL: '/bin/sh' };
      writeFileSync(join(cwd, 'shell.mjs'), SHELL);
      const command = `stty cols 80 rows 24; exec '${process.execPath}' shell.mjs '${BIN}'`;
      const terminal = spawn('script', ['-qec', command, '/dev/null'], { cwd, env });
      let closing = false;
      let written = '';
      terminal.stdout.setEncoding('utf8').on('data', (text: string) => {
        written += text;
        if (!closing && written.includes(seen)) closing = terminal.kill('SIGKILL');
      });
      await untilFile(join(cwd, 'end'));
      expect(readFileSync(join(cwd, 'stderr'), 'utf8')).toBe('');
      expect(readFileSync(join(cwd, 'end'), 'utf8')).toBe('SIGHUP');
      const kept = readdirSync(home, { recursive: true }).map(String);
      expect(kept.filter((name) => name.endsWith('.lock'))).toEqual([]);
    },
  );

  test('the closing line counts turns as --max-turns does', async () => {
    const server = await rehearse(reply(toolUse('Glob', { pattern: '*' })));
    const { code, seen } = await onTerminal(
      server,
      [],
      {},
      `exec '${process.execPath}' '${BIN}' --verbose --max-turns 1 go >/dev/null`,
    );
    expect(code).toBe(1);
    expect(seen.at(-2)).toMatch(/^— 1 turn · 1 tool call · /);
    expect(seen.at(-1)).toBe('— stopped: the turn limit was reached (--max-turns)');
  });

  test('an MCP server that is waited for is named, and said to be missing when it does not answer', async () => {
    const server = await rehearse(reply('Begun without it.'));
    const servers = '{"mcpServers":{"notes":{"command":"sleep","args":["60"]}}}';
    const { code, written, seen } = await onTerminal(
      server,
      [],
      { MCP_TIMEOUT: '1500' },
      `exec '${process.execPath}' '${BIN}' --verbose --mcp-config '${servers}' -- go >/dev/null`,
    );
    expect(code).toBe(0);
    expect(written).toContain('waiting for the MCP server notes');
    // Between them is the line of --verbose.
    expect(seen.filter((line) => !line.startsWith('·')).slice(0, 2)).toEqual([
      '! The MCP server notes cannot be used: It was not ready within 1.5 s.',
      'Begun without it.',
    ]);
  });

  test('a signal that ends the process before the result leaves a closing line', async () => {
    const server = await rehearse(reply('Never said.', { timing: { ttftMs: 60_000 } }));
    const command = `stty cols 80; '${process.execPath}' '${BIN}' --verbose go >/dev/null & pid=$!; while [ ! -e waiting ]; do sleep 0.1; done; kill $pid; wait $pid; echo code $?`;
    const cwd = temporaryFolder();
    const terminal = spawn('script', ['-qec', command, '/dev/null'], {
      cwd,
      env: { ...bareEnv(against(server)), TERM: 'xterm', SHELL: '/bin/sh' },
    });
    let written = '';
    terminal.stdout.setEncoding('utf8').on('data', (text: string) => {
      written += text;
      if (written.includes('waiting')) writeFileSync(join(cwd, 'waiting'), '');
    });
    await new Promise((resolve) => terminal.once('close', resolve));
    expect(asSeen(written.replaceAll('\r\n', '\n')).slice(-2)).toEqual([
      '— left before the end, without a result; go on with: turnwright --continue',
      'code 143',
    ]);
  });

  test.skipIf(!hasBash)(
    'Ctrl-Z at a question, then fg: the question is still there and can be answered',
    async () => {
      const server = await rehearse(reply([write('a.txt')]), reply('Done.'));
      const cwd = temporaryFolder();
      const shell = spawn('script', ['-qec', 'bash --norc --noprofile -i', '/dev/null'], {
        cwd,
        env: { ...bareEnv(against(server)), TERM: 'xterm', PS1: 'ready> ' },
      });
      /** What to type once this was seen behind what was seen before. */
      const steps: [seen: string, typed: string][] = [
        ['ready> ', `'${process.execPath}' '${BIN}' --verbose go >/dev/null; echo ended with $?\n`],
        [QUESTION, '\x1a'],
        ['ready> ', 'fg; echo finished with $?\n'],
        [QUESTION, 'y\r'],
        ['finished with 0', 'exit\n'],
      ];
      let unread = '';
      shell.stdout.setEncoding('utf8').on('data', (text: string) => {
        unread += text;
        const [step] = steps;
        const at = step === undefined ? -1 : unread.indexOf(step[0]);
        if (step === undefined || at < 0) return;
        steps.shift();
        unread = unread.slice(at + step[0].length);
        // An answer that comes sooner was typed before the question could be read.
        setTimeout(() => shell.stdin.write(step[1]), 500);
      });
      await new Promise((resolve) => shell.once('close', resolve));
      expect([steps, readdirSync(cwd)], unread).toEqual([[], ['a.txt']]);
    },
  );

  test('Ctrl-C at a question ends the run with 130', async () => {
    const server = await rehearse(reply([write('a.txt')]), reply('Never said.'));
    const { code, files, seen } = await onTerminal(server, ['\x03']);
    expect([code, files]).toEqual([130, []]);
    expect(seen.at(-1)).toContain('interrupted while tools were running');
  });
});

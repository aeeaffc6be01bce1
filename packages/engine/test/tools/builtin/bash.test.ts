import { readdirSync, readFileSync } from 'node:fs';
import { mkdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { systemClock } from '@turnwright/base/clock.ts';
import { nodeFiles } from '@turnwright/base/files/node-files.ts';
import { everyNth, inForm as shortOrLong } from '@turnwright/test/long-form.ts';
import { lacking, portOf, sandboxWith } from '@turnwright/test/sandbox/support.ts';
import {
  answerOf,
  callOf,
  contextIn,
  drain,
  executorOf,
  isRunning,
  isWellFormed,
  resultsOf,
  runDirectly,
  tempFolder,
  textOf,
} from '@turnwright/test/tools/support.ts';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { ToolContext } from '../../../src/protocol/tools/tool.ts';
import type { Sandbox } from '../../../src/sandbox/sandbox.ts';
import { createBashTool } from '../../../src/tools/builtin/shell/bash.ts';
import type { BashOptions } from '../../../src/tools/builtin/shell/bash-options.ts';

let folder: Awaited<ReturnType<typeof tempFolder>>;
/** The same contract holds with isolation and without. */
const FORMS = ['as any program runs', ...(lacking === undefined ? ['in a sandbox'] : [])] as const;
let sandbox: Sandbox | undefined;
const inForm = (context: Partial<ToolContext> = {}): ToolContext =>
  contextIn(folder.path, {
    ...(sandbox !== undefined && { sandbox: portOf(sandbox, { limits: '' }) }),
    ...context,
  });

const bash = async (
  command: string,
  options: BashOptions = {},
  context: Partial<ToolContext> = {},
  extra: object = {},
) => (await runDirectly(createBashTool(options), { command, ...extra }, inForm(context))).output;

/** A clock whose timers up to `ms` fire at once. */
const hastyClock = (fires: (ms: number) => boolean) => ({
  ...systemClock,
  timer: (ms: number, callback: () => void) => systemClock.timer(fires(ms) ? 0 : ms, callback),
});

/** Whether any process was started with this text among its arguments. */
const isStarted = (text: string): boolean =>
  readdirSync('/proc').some((name) => {
    try {
      return readFileSync(`/proc/${name}/cmdline`, 'utf8').includes(text);
    } catch {
      return false;
    }
  });

describe.each(FORMS)('%s', (form) => {
  const isolated = form === 'in a sandbox';
  /** To set a sandbox up takes ten times as long as to start a shell. */
  const rows = <T>(cases: readonly T[]): readonly T[] => everyNth(isolated ? 8 : 2, cases);
  /** A test of what does not depend on the sandbox: the short form runs it without one only. */
  const testOnce = test.skipIf(isolated && shortOrLong(true, false));
  beforeAll(async () => {
    folder = await tempFolder();
    sandbox = isolated ? sandboxWith({ writable: [folder.path] }) : undefined;
  });
  afterAll(async () => {
    await sandbox?.close();
    await folder.remove();
  });
  /** Processes in a sandbox have numbers of their own there: all of them end with the one that started them. */
  const isLeft = (pid: number) => (isolated ? isStarted(folder.path) : isRunning(pid));

  describe('what a command says', () => {
    test.each(
      rows([
        ['echo hi', 'hi'],
        ['true', '(Bash completed with no output)'],
        ['printf "\\n\\n  a\\n\\n"', '  a'],
        ['echo out; echo err >&2; echo out2', 'out\nerr\nout2'],
        ['printf "%s" "$1"; echo "[$0]"', '[bash]'],
        ['cat; echo "no input"', 'no input'],
        ['test -t 0 || echo "no terminal"', 'no terminal'],
      ]),
    )('%s', async (command, expected) => {
      const output = await bash(command);
      expect(textOf(output)).toBe(expected);
      expect(output.isError).toBe(false);
    });

    test('exit codes and signals are errors, with what was said until then', async () => {
      expect(await bash('echo out; echo err >&2; exit 3')).toMatchObject({
        isError: true,
        content: 'Exit code 3\nout\nerr',
      });
      expect(await bash('exit 1')).toMatchObject({ isError: true, content: 'Exit code 1' });
      expect(await bash('kill -SEGV $$')).toMatchObject({
        isError: true,
        content: isolated ? 'Exit code 139' : 'The command was ended by SIGSEGV.',
      });
      expect(await bash('no-such-command-here')).toMatchObject({
        isError: true,
        content: expect.stringMatching(/^Exit code 127\n.*not found/),
      });
    });

    test('a shell of its own each time: variables do not last', async () => {
      await bash('X=1; f() { echo f; }');
      expect(textOf(await bash('echo "[$X]"; f'))).toMatch(/^Exit code 127\n\[\]\n/);
    });

    test.each(
      rows([
        ['grep zzz /dev/null', 'No matches found'],
        ['false | grep zzz /dev/null', 'No matches found'],
        ['cd . && grep "a;b" /dev/null', 'No matches found'],
        ['diff <(echo a) <(echo b)', 'Files differ'],
        ['[ 1 = 2 ]', 'Condition is false'],
      ]),
    )('the exit code 1 of %s is an answer: %s', async (command, returnCodeInterpretation) => {
      expect(await bash(command)).toMatchObject({ isError: false, data: { returnCodeInterpretation } });
    });

    test.each(
      rows([
        'grep zzz /dev/null; exit 1',
        'grep zzz /dev/null && echo hi',
        'grep zzz /absent',
        'echo "grep zzz"; false',
      ]),
    )('%s fails all the same', async (command) => {
      const output = await bash(command);
      expect(output.isError).toBe(true);
      expect(output.data).not.toHaveProperty('returnCodeInterpretation');
    });

    testOnce('whether a line is one that says nothing when it succeeds', async () => {
      for (const [command, quiet] of [
        ['mkdir -p q && cd q', true],
        ['cd .; pwd', false],
        ['true', false],
      ] as const)
        expect((await bash(command)).data).toMatchObject({ noOutputExpected: quiet });
    });

    testOnce('a picture on stdout, as a data URL, is shown as one', async () => {
      const url = 'data:image/png;base64,iVBORw0KGgo=';
      const output = await bash(`echo '${url}'`);
      expect(output.data).toMatchObject({ isImage: true, stdout: url });
      expect(output.content).toEqual([
        { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' } },
      ]);
    });

    testOnce('programs learn that an agent started them', async () => {
      expect(textOf(await bash('echo "$CLAUDECODE $TURNWRIGHT"'))).toBe('1 1');
    });

    test("F126 the environment is the context's alone", async () => {
      process.env['TURNWRIGHT_TEST_SECRET'] = 'leaked';
      try {
        const env = { PATH: process.env['PATH'] ?? '', MINE: 'yes' };
        expect(textOf(await bash('echo "$MINE[$TURNWRIGHT_TEST_SECRET]"', {}, { env }))).toBe('yes[]');
      } finally {
        delete process.env['TURNWRIGHT_TEST_SECRET'];
      }
    });

    testOnce('bytes that are no text do no harm', async () => {
      const output = await bash("printf 'a\\xff\\xfeb\\x00c\\xe2\\x82'");
      expect(textOf(output)).toBe('a\ufffd\ufffdbc\ufffd');
      expect(isWellFormed(textOf(output))).toBe(true);
    });

    testOnce('without bash, sh is used', async () => {
      const bin = join(folder.path, 'bin');
      await mkdir(bin, { recursive: true });
      await symlink('/bin/sh', join(bin, 'sh')).catch(() => {});
      expect(textOf(await bash('echo "$0"', {}, { env: { PATH: bin } }))).toBe('sh');
    });

    testOnce('a missing folder and a missing shell are named', async () => {
      await expect(bash('true', {}, { cwd: join(folder.path, 'nowhere') })).rejects.toThrow(
        /working directory .*nowhere does not exist/,
      );
      await expect(bash('true', {}, { env: { PATH: join(folder.path, 'nowhere') } })).rejects.toThrow(
        /shell could not be started/,
      );
    });
  });

  describe('the folder the shell is in', () => {
    /** A context whose folder follows the shell wherever it goes. */
    const following = () => {
      const went: string[] = [];
      const follow = async (path: string) => {
        went.push(path);
        return path.startsWith(folder.path)
          ? { folder: path, followed: true }
          : { folder: folder.path, followed: false };
      };
      return { went, context: { follow } };
    };
    beforeAll(() => mkdir(join(folder.path, 'sub', 'deep'), { recursive: true }));

    test.each(
      rows([
        ['cd sub', '/sub'],
        ['(cd sub)', ''],
        ['set -eu; cd sub/deep', '/sub/deep'],
        ['trap "echo bye" EXIT; cd sub', '/sub'],
        ['exec 9>&1; cd sub', '/sub'],
        ['cd sub # and no more', '/sub'],
        ['cat <<E\nhere\nE\ncd sub', '/sub'],
      ]),
    )('%j leads to %s', async (command, to) => {
      const { went, context } = following();
      expect((await bash(command, {}, context)).isError).toBe(false);
      expect(went).toEqual([folder.path + to]);
    });

    test.each(rows(['cd sub; false', 'cd sub; exit 0', 'set -e; cd sub; false; true', 'cd sub; exec true']))(
      '%j leads nowhere',
      async (command) => {
        const { went, context } = following();
        await bash(command, {}, context);
        expect(went).toEqual([]);
      },
    );

    testOnce('one that is gone is not taken, and is no failure', async () => {
      const { went, context } = following();
      const output = await bash('mkdir gone && cd gone && rmdir ../gone', {}, context);
      expect([output.isError, went]).toEqual([false, []]);
    });

    test('one outside is left again, which the result says', async () => {
      const { context } = following();
      const notice = `Shell cwd was reset to ${folder.path}`;
      expect(await bash('cd /; pwd', {}, context)).toMatchObject({
        content: `/\n${notice}`,
        data: { stdout: '/', stderr: `\n${notice}` },
      });
      expect(textOf(await bash('cd /', {}, context))).toBe(notice);
    });

    test('the line says no more than without it', async () => {
      const { context } = following();
      for (const command of rows(['echo "$0 [$1] $#"', 'nosuchcommand', 'if', 'kill -9 $$']))
        expect(textOf(await bash(command, {}, context))).toBe(
          textOf(await bash(command)).replace('bash: -c:', 'bash: eval:'),
        );
    });

    test('nor does a shell that traces itself', async () => {
      const { context } = following();
      expect(textOf(await bash('set -x; cd sub', {}, context))).toBe('++ cd sub');
    });

    testOnce('sh tells it too', async () => {
      const bin = join(folder.path, 'sh-alone');
      await mkdir(bin, { recursive: true });
      await symlink('/bin/sh', join(bin, 'sh'));
      const { went, context } = following();
      await bash('cd sub', {}, { ...context, env: { PATH: bin } });
      expect(went).toEqual([join(folder.path, 'sub')]);
    });
  });

  describe('F83 much output', () => {
    testOnce('just what fits is shown whole', async () => {
      const output = await bash("head -c 30000 /dev/zero | tr '\\0' x");
      expect(textOf(output)).toHaveLength(30_000);
      expect(output.data).not.toHaveProperty('persistedOutputPath');
    });

    test('more goes to a file, from its first byte; head and tail are shown', async () => {
      const output = await bash('seq 1 50000; exit 2', {}, { toolUseId: '../../evil id' });
      const path = join(folder.path, 'tool-results', '______evil_id.txt');
      const all = `${Array.from({ length: 50_000 }, (_, n) => n + 1).join('\n')}\n`;
      expect(await readFile(path, 'utf8')).toBe(all);
      expect((await stat(path)).mode & 0o777).toBe(0o600);
      const text = textOf(output);
      expect(text).toMatch(/^Exit code 2\n<persisted-output>/);
      expect(text).toContain(`${all.length} bytes`);
      expect(text).toContain(path);
      expect(text).toContain('\n1\n2\n3\n');
      expect(text).toContain('\n50000\n</persisted-output>');
      expect(text.length).toBeLessThan(6000);
      expect(output.data).toMatchObject({ persistedOutputPath: path, persistedOutputSize: all.length });
    });

    testOnce('the file has a limit, and says so', async () => {
      const output = await bash('seq 1 50000', { maxSpillBytes: 40_000 }, { toolUseId: 'limited' });
      expect(textOf(output)).toContain('Its first 40000 bytes are stored in');
      expect((await stat(join(folder.path, 'tool-results', 'limited.txt'))).size).toBe(40_000);
    });

    testOnce('a full disk costs the rest of the output, not the call', async () => {
      const files = {
        ...nodeFiles,
        openAppend: async () => Promise.reject(new Error('ENOSPC: no space left')),
      };
      const output = await bash('seq 1 50000; echo last', {}, { files });
      expect(textOf(output)).toMatch(/could not be stored: ENOSPC[\s\S]*last\n<\/persisted-output>$/);
    });

    testOnce('a preview never ends inside a character', async () => {
      const output = await bash(
        `printf 'x'; for i in $(seq 1 ${shortOrLong(2_000, 20_000)}); do printf '😀'; done`,
        { maxOutputChars: 1000 },
        { toolUseId: 'emoji' },
      );
      expect(isWellFormed(textOf(output))).toBe(true);
    });
  });

  describe('ending', () => {
    test('the time limit stops the whole group', async () => {
      const clock = hastyClock((ms) => ms === 7000);
      const output = await bash('sleep 300 & echo $!; wait', { clock }, {}, { timeout: 7000 });
      const text = textOf(output);
      expect(text).toMatch(/^The command was stopped after its time limit of 7000 ms\./);
      expect(output).toMatchObject({ isError: true, data: { interrupted: true, timedOutAfterMs: 7000 } });
    });

    testOnce('a longer wish is lowered to the maximum', async () => {
      const clock = hastyClock((ms) => ms === 9000);
      const output = await bash('sleep 300', { clock, maxTimeoutMs: 9000 }, {}, { timeout: 1e9 });
      expect(output.data).toMatchObject({ timedOutAfterMs: 9000 });
    });

    test('abort ends all processes and tells what was said until then', async () => {
      const pidFile = join(folder.path, 'pid');
      const executor = executorOf([createBashTool({ progressMs: 5 })], {
        makeContext: (call, { signal }) => inForm({ signal, toolUseId: call.block.id }),
        // However busy the machine is, the call is not abandoned before it ends by itself.
        clock: { ...systemClock, sleep: (_ms, signal) => systemClock.sleep(10_000, signal) },
      });
      executor.add(
        callOf('Bash', { command: `echo begun; (sleep 300 & echo $! > ${pidFile}; echo started; wait)` }),
      );
      let said = '';
      while (!said.includes('started')) {
        await executor.ready();
        for (const update of executor.take())
          if (update.kind === 'progress') said = String(update.message.data['output']);
      }
      await executor.abort('interrupted');
      const [result] = resultsOf(await drain(executor));
      expect(answerOf(result!).text).toMatch(/may have run in part[\s\S]*begun\nstarted/);
      expect(isLeft(Number(await readFile(pidFile, 'utf8')))).toBe(false);
    });

    testOnce('a call aborted before it starts runs nothing to its end', async () => {
      const signal = AbortSignal.abort();
      const output = await bash('sleep 300', {}, { signal });
      expect(output).toMatchObject({ isError: true, data: { interrupted: true } });
    });

    testOnce('progress while it runs', async () => {
      const go = join(folder.path, 'go');
      const tool = createBashTool({ progressMs: 1 });
      const running = tool.run(
        { command: `echo working; until [ -e ${go} ]; do sleep 0.01; done; echo done` },
        inForm(),
      );
      if (running instanceof Promise) throw new Error('not a generator');
      let step = await running.next();
      while (!step.done && step.value['output'] === '') step = await running.next();
      expect(step.value).toMatchObject({
        type: 'bash_progress',
        output: 'working\n',
        totalBytes: 8,
        totalLines: 1,
        elapsedMs: expect.any(Number),
      });
      await writeFile(go, '');
      while (!step.done) step = await running.next();
      expect(textOf(step.value)).toBe('working\ndone');
    });
  });

  describe('F99 what is left in the background', () => {
    test('with the pipes inherited: the call returns, the process is ended', async () => {
      const output = await bash('sleep 300 & echo "pid $!"', { drainMs: 50 });
      const pid = Number(/pid (\d+)/.exec(textOf(output))?.[1]);
      expect(textOf(output)).toMatch(
        isolated ? /^pid \d+$/ : /^pid \d+\n\(Processes it had left in the background were stopped/,
      );
      expect(output.isError).toBe(false);
      expect(isLeft(pid)).toBe(false);
    });

    test('without pipes: the same', async () => {
      const output = await bash('sleep 300 >/dev/null 2>&1 </dev/null & echo "pid $!"');
      expect(isLeft(Number(/pid (\d+)/.exec(textOf(output))?.[1]))).toBe(false);
    });

    test('with SIGTERM ignored: SIGKILL', async () => {
      const output = await bash('(trap "" TERM; sleep 300) >/dev/null 2>&1 & echo "pid $!"', {
        killGraceMs: 20,
      });
      const pid = Number(/pid (\d+)/.exec(textOf(output))?.[1]);
      // The call waits for what SIGKILL ends for a limited time only; busy processors end it later.
      await vi.waitFor(() => expect(isLeft(pid)).toBe(false), { timeout: 60_000, interval: 5 });
    });

    test('one that left the group keeps its pipe: the call still returns', async () => {
      const output = await bash('setsid sleep 300 & echo "pid $!"', { drainMs: 50 });
      const pid = Number(/pid (\d+)/.exec(textOf(output))?.[1]);
      expect(textOf(output)).toMatch(/^pid \d+/);
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // It was still in the group when that ended.
      }
    });
  });
});

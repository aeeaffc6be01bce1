import { spawn } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  against,
  BIN,
  bareEnv,
  type Ran,
  rehearse,
  temporaryFolder,
  turnwright,
} from '@turnwright/test/cli/bin.ts';
import { commandLine } from '@turnwright/test/cli/command-line.ts';
import { inForm, isLong, sharedInShortForm } from '@turnwright/test/long-form.ts';
import { describe, expect, test } from 'vitest';

const SCENARIO = `name: greeter
replies:
  - blocks:
      - text: I look first.
      - tool_use: { name: Glob, input: { pattern: '*.yaml' } }
  - blocks:
      - text: There is a scenario here.
`;

function folderWith(name: string, text: string): string {
  const cwd = temporaryFolder();
  writeFileSync(join(cwd, name), text);
  return cwd;
}

describe('rehearse', () => {
  test('plays a scenario file and tells what the engine did', async () => {
    const cwd = folderWith('greet.yaml', SCENARIO);
    const ran = await turnwright(['rehearse', 'greet.yaml', 'hello'], { cwd });
    expect([ran.code, ran.stderr]).toEqual([0, '']);
    expect(ran.stdout).toContain("the model's words come from greet.yaml");
    expect(ran.stdout).toMatch(/^● Glob \*\.yaml {2}1 file · \d+ ms$/m);
    expect(ran.stdout).toContain('There is a scenario here.');
    expect(ran.stdout).toMatch(/^ {2}transitions +next_turn ×1$/m);
    expect(ran.stdout).toMatch(/^ {2}HTTP +2 requests: 200 ×2$/m);
  });

  test('with -p: the answer alone', async () => {
    const cwd = folderWith('greet.json', JSON.stringify({ replies: [{ blocks: [{ text: 'Hello.' }] }] }));
    expect(await commandLine(['rehearse', 'greet.json', '-p'], { cwd })).toMatchObject({
      code: 0,
      stdout: 'Hello.\n',
      stderr: '',
    });
  });

  test('with -p: calls that were denied are named on stderr', async () => {
    const scenario = `replies:
  - blocks: [{ tool_use: { name: Write, input: { file_path: a.txt, content: x } } }]
  - blocks: [{ text: Finished. }]
`;
    const ran = await commandLine(['rehearse', 'write.yaml', '-p'], {
      cwd: folderWith('write.yaml', scenario),
    });
    expect([ran.code, ran.stdout]).toEqual([0, 'Finished.\n']);
    expect(ran.stderr).toMatch(/^1 call was denied \(1 Write\); no user can be asked in this run\./);
  });

  test('a function in a module is a scenario too', async () => {
    const cwd = folderWith(
      'echo.mjs',
      `export default ({ lastMessage }) => ({ blocks: [{ type: 'text', text: lastMessage.toUpperCase() }] });\n`,
    );
    const ran = await commandLine(['rehearse', 'echo.mjs', '-p', 'quiet words'], { cwd });
    expect(ran).toMatchObject({ code: 0, stderr: '' });
    expect(ran.stdout).toContain('QUIET WORDS');
  });

  test('replies that were never used are named', async () => {
    const cwd = folderWith('long.yaml', `${SCENARIO}  - blocks: [{ text: Never said. }]\n`);
    const ran = await commandLine(['rehearse', 'long.yaml'], { cwd });
    expect(ran.code).toBe(0);
    expect(ran.stdout).toMatch(/^! .*reply 3 \(line 8\) was never used$/m);
  });

  test('a request that the scenario does not foresee ends with 1 and is named', async () => {
    const cwd = folderWith('short.yaml', SCENARIO.split('\n').slice(0, 5).join('\n'));
    const ran = await commandLine(['rehearse', 'short.yaml'], { cwd });
    expect(ran.code).toBe(1);
    expect(ran.stdout).toMatch(/^✗ .*short\.yaml/m);
  });

  test('a module may hold the shape of a file, or that of a program', async () => {
    for (const [blocks, said] of [
      ["[{ text: 'As in a file.' }]", 'As in a file.'],
      ["[{ type: 'text', text: 'As in a program.' }]", 'As in a program.'],
    ]) {
      const cwd = folderWith(
        'greet.mjs',
        `export default { name: 'o', replies: [{ blocks: ${blocks} }] };\n`,
      );
      const ran = await commandLine(['rehearse', 'greet.mjs', '-p'], { cwd });
      expect(ran).toMatchObject({ code: 0, stdout: `${said}\n`, stderr: '' });
    }
    const asked =
      "export default () => ({ blocks: [{ tool_use: { name: 'Glob', input: { pattern: '*' } } }] });\n";
    const cwd = folderWith('ask.mjs', asked);
    const ran = await commandLine(['rehearse', 'ask.mjs', '-p', '--max-turns=1'], { cwd });
    expect(ran.stderr).toBe('Reached maximum number of turns (1)\n');
  });

  test('a module whose blocks are none is refused with their place before anything is asked', async () => {
    const cwd = folderWith('odd.mjs', `export default { replies: [{ blocks: [{ txet: 'hi' }] }] };\n`);
    const ran = await commandLine(['rehearse', 'odd.mjs', '-p'], { cwd });
    expect(ran).toMatchObject({ code: 2, stdout: '' });
    expect(ran.stderr).toBe(
      `turnwright: odd.mjs: replies.0.blocks.0: expected text, thinking, redacted_thinking or tool_use with a name, as in { text: 'hi' }, not {"txet":"hi"}.\n`,
    );
  });

  test('chaos strikes the same way for the same seed, and the answer still comes', async () => {
    const cwd = folderWith('greet.yaml', SCENARIO);
    const course = async () => {
      const { code, stdout } = await commandLine(['rehearse', 'greet.yaml', '--chaos', '3', '--rate=0.9'], {
        cwd,
      });
      return {
        code,
        http: /^ {2}HTTP .*$/m.exec(stdout)?.[0],
        said: stdout.includes('There is a scenario here.'),
      };
    };
    const first = await course();
    expect(first).toMatchObject({ code: 0, said: true });
    expect(await course()).toEqual(first);
  });

  test('--serve listens, answers any client, and ends with Ctrl-C', async () => {
    const cwd = folderWith('greet.mjs', `export const scenario = { name: 'greet', replies: [] };\n`);
    const child = spawn(process.execPath, [BIN, 'rehearse', 'greet.mjs', '--serve'], { cwd, env: bareEnv() });
    let said = '';
    const ended = new Promise((resolve) => child.once('close', (code) => resolve(code)));
    const url = await new Promise<string>((resolve) => {
      child.stdout.setEncoding('utf8').on('data', (text: string) => {
        said += text;
        const [, found] = /export ANTHROPIC_BASE_URL=(\S+) ANTHROPIC_API_KEY=\S+/.exec(said) ?? [];
        if (found !== undefined) resolve(found);
      });
    });
    const models = await fetch(`${url}/v1/models`);
    expect(models.status).toBe(200);
    await models.text();
    child.kill('SIGINT');
    expect(await ended).toBe(0);
    expect(said).toContain('GET /v1/models');
  });
});

// Each waits for a model that answers at the pace of a real one.
describe.concurrent('start plays the bundled rehearsal', () => {
  const started = sharedInShortForm(() => turnwright(['start']));

  const FOR_ENGINES = {
    ANTHROPIC_API_KEY: 'of the user',
    CLAUDE_CODE_MAX_OUTPUT_TOKENS: '8000',
    DISABLE_AUTO_COMPACT: '1',
    BASH_MAX_OUTPUT_LENGTH: '100',
    API_TIMEOUT_MS: '1',
  };
  /** In the short form the environment also says what engines are to do. */
  const besideModel = sharedInShortForm(async () => {
    const real = await rehearse();
    const env = { ...inForm<object>(FOR_ENGINES, {}), ...against(real) };
    return { ran: await commandLine(['start'], { env }), real };
  });

  test('everything it says happened, happened', async () => {
    const ran = await started();
    expect([ran.code, ran.stderr]).toEqual([0, '']);
    const { stdout } = ran;
    expect(stdout).not.toContain('\x1b');
    const [first = ''] = stdout.split('\n');
    for (const word of ['scripted', 'real', 'bypassPermissions', 'ANTHROPIC_API_KEY'])
      expect(first).toContain(word);

    // On the way: three reads, failing tests, one overload, one full context, an edit, passing tests, one cut answer.
    const course = [
      /^● Read src\/ledger\.js/m,
      /^● Read test\/ledger\.test\.js/m,
      /^● Read data\/january\.csv/m,
      /^↻ overloaded \(529\): retry 1 of \d+/m,
      /^✗ Bash node --test.*exit 1/m,
      /^⊟ context compacted: [\d.]+k → [\d.]+k tokens/m,
      /^● Edit src\/ledger\.js/m,
      /^● Bash node --test/m,
      /^↶ retracted/m,
      /^All 5 tests pass now\.$/m,
      /^What the engine did$/m,
      /^ {2}iterations +6, ended as completed$/m,
      /^ {2}transitions +next_turn ×4, max_output_tokens_escalate ×1$/m,
      /^ {2}HTTP +\d+ requests: 200 ×\d+, 529 ×1$/m,
      /^ {2}retries +overloaded \(529\), waited \d+ ms$/m,
      /^ {2}compactions +[\d.]+k → [\d.]+k tokens$/m,
      /^ {2}tools +7 calls, .* of work, [1-9]\d* % of it while the model was still answering$/m,
      /^ {2}cache hits +[1-9]\d* % of the input/m,
      /^ {2}cost +\$0\.\d+ by list prices$/m,
    ];
    let from = 0;
    for (const step of course) {
      const at = stdout.slice(from).search(step);
      expect(at, `${step} in what follows character ${from} of:\n${stdout}`).toBeGreaterThanOrEqual(0);
      from += at;
    }

    // The project is there, mended, and its own tests pass.
    const [, project = ''] = /^ {2}project +(.+)$/m.exec(stdout) ?? [];
    expect(readFileSync(join(project, 'src/ledger.js'), 'utf8')).toContain('i < orders.length; i++');
    const tests = spawn(process.execPath, ['--test'], { cwd: project, stdio: 'ignore', env: bareEnv() });
    expect(await new Promise((resolve) => tests.once('close', resolve))).toBe(0);

    // What it says to run next works.
    const [, home = '', session = ''] = /TURNWRIGHT_HOME=(\S+) turnwright explain (\S+)/.exec(stdout) ?? [];
    expect(existsSync(home)).toBe(true);
    const explained = await commandLine(['explain', session], { env: { TURNWRIGHT_HOME: home } });
    expect([explained.code, explained.stderr]).toEqual([0, '']);
    expect(explained.stdout).toContain('it was asked for again with a higher one');
    expect(await commandLine(['explain'], { env: { TURNWRIGHT_HOME: home }, cwd: project })).toEqual(
      explained,
    );
  });

  test('the model’s part is played the same way a second time, whatever the environment says to engines', async () => {
    const figures = async (run: Promise<Ran>) => {
      const { stdout } = await run;
      const line = (name: string) => new RegExp(`^  ${name} .*$`, 'm').exec(stdout)?.[0] ?? '';
      const tokens = [...line('compactions').matchAll(/([\d.]+)k/g)].map(([, thousands]) =>
        Number(thousands),
      );
      return { lines: ['iterations', 'transitions', 'HTTP'].map(line), tokens };
    };
    const play = (env: Readonly<Record<string, string>>) => commandLine(['rehearse', 'bundled'], { env });
    const runs = inForm(
      () => [started(), besideModel().then(({ ran }) => ran)] as const,
      () => [play({}), play(FOR_ENGINES)] as const,
    );
    const [plain, steered] = runs();
    const [first, second] = await Promise.all([figures(plain), figures(steered)]);
    expect(first.lines).toEqual(second.lines);
    // The test runner inside prints how long it took, so that estimates differ by a few tokens.
    expect(first.tokens).toEqual(second.tokens.map((thousands) => expect.closeTo(thousands, 0)));
    expect(first.tokens).toHaveLength(2);
  });

  test.runIf(isLong)('with faults and rules switched off it plays in a project of its own too', async () => {
    const ran = await commandLine([
      'rehearse',
      'bundled',
      '--chaos',
      '7',
      '--rate',
      '0',
      '--lenient',
      'trailing-whitespace',
    ]);
    expect(ran.stdout).toMatch(/^ {2}project +\/.*order-book$/m);
    expect(ran.code).toBe(0);
  });

  test('also when a model is configured, which is not asked', async () => {
    const { ran, real } = await besideModel();
    expect([ran.code, ran.stderr]).toEqual([0, '']);
    expect(ran.stdout).toContain('All 5 tests pass now.');
    expect(ran.stdout.split('\n')[0]).toContain(
      'ANTHROPIC_API_KEY is set): turnwright "explain this project"',
    );
    expect(real.requests).toEqual([]);
  });

  test.runIf(isLong)('a task of one’s own is answered truthfully', async () => {
    const ran = await commandLine(['start', 'write', 'me', 'a', 'poem', '--output-format=json']);
    expect(ran).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(ran.stdout)).toMatchObject({ terminal_reason: 'completed' });
  });
});

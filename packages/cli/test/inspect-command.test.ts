/** `turnwright inspect` and what `turnwright explain` has of it. */
import { appendFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { inspectSession } from '@turnwright/engine';
import { temporaryFolder, turnwright } from '@turnwright/test/cli/bin.ts';
import { commandLine } from '@turnwright/test/cli/command-line.ts';
import { writeSession } from '@turnwright/test/inspector/made-session.ts';
import { AGENT, AGENT_ID, SAMPLE, SAMPLE_ID } from '@turnwright/test/inspector/sample-sessions.ts';
import { describe, expect, test } from 'vitest';

function kept() {
  const home = temporaryFolder();
  const file = writeSession(home, SAMPLE, [
    { id: AGENT_ID, description: 'Look for other callers', session: AGENT },
  ]);
  return { env: { TURNWRIGHT_HOME: home }, cwd: temporaryFolder(), file };
}

describe('explain', () => {
  test('--json is the data of the page, and the text says the same sentences', async () => {
    const { env, cwd } = kept();
    const ran = await commandLine(['explain', '5f2c9a10', '--json'], { env, cwd });
    expect([ran.code, ran.stderr]).toEqual([0, '']);
    const data = await inspectSession(SAMPLE_ID, { env, cwd });
    expect(JSON.parse(ran.stdout)).toEqual(data);
    const text = (await commandLine(['explain', SAMPLE_ID], { env, cwd })).stdout;
    expect(text.startsWith(`${data.sentence}\n`)).toBe(true);
    for (const { sentence, step } of data.events) expect(text).toContain(`  #${step} ${sentence}`);
    expect(text).not.toMatch(/next_turn|no rule objected/);
  });

  test('--why-stopped, --iteration, and one that is not there', async () => {
    const { env, cwd } = kept();
    const why = await commandLine(['explain', SAMPLE_ID, '--why-stopped'], { env, cwd });
    expect(why.stdout).toBe('The model gave its answer and asked for no further tool: the task is done.\n');
    const one = await commandLine(['explain', SAMPLE_ID, '--iteration', '6'], { env, cwd });
    expect(one.stdout).toContain('no  Was the run interrupted?');
    expect(one.stdout).toContain(
      'Bash: Not allowed by the deny rule Bash(git push:*) in the project settings',
    );
    const agent = await commandLine(['explain', SAMPLE_ID, '--iteration', 'a91c04e2:1'], { env, cwd });
    expect(agent.stdout).toContain('tool_use Grep');
    expect(await commandLine(['explain', SAMPLE_ID, '--iteration', '99'], { env, cwd })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('There is no iteration 99: they are numbered 1 to 8.'),
    });
  });

  test('a damaged journal is explained as far as it goes: exit code 3, and where', async () => {
    const { env, cwd, file } = kept();
    const size = readFileSync(file).length;
    appendFileSync(file, '{"type":"decision","id":"broken\n');
    const ran = await commandLine(['explain', SAMPLE_ID], { env, cwd });
    expect(ran.code).toBe(3);
    expect(ran.stdout).toMatch(/^The model gave its answer/);
    expect(ran.stdout).toContain(`Damaged: ${SAMPLE_ID}.jsonl, byte ${size}: torn (`);
  });
});

describe('inspect --export', () => {
  test('json is the data; a file that is there stays; --redact leaves nothing that was said', async () => {
    const { env, cwd } = kept();
    const json = await commandLine(['inspect', SAMPLE_ID, '--export', 'json'], { env, cwd });
    expect(JSON.parse(json.stdout)).toEqual(await inspectSession(SAMPLE_ID, { env, cwd }));
    const to = ['inspect', SAMPLE_ID, '--export', 'perfetto', '--output', 'trace.json'];
    const written = await commandLine(to, { env, cwd });
    expect(written.stdout).toBe('trace.json is written. Open it at ui.perfetto.dev.\n');
    expect(JSON.parse(readFileSync(join(cwd, 'trace.json'), 'utf8'))).toHaveProperty('traceEvents');
    expect(await commandLine(to, { env, cwd })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('trace.json exists already'),
    });
    const bare = await commandLine(['inspect', SAMPLE_ID, '--redact', '--export', 'json'], { env, cwd });
    for (const said of ['parser', 'npm', 'git push', '/work', 'callers'])
      expect(bare.stdout).not.toContain(said);
    expect(JSON.parse(bare.stdout)).toMatchObject({
      redacted: true,
      totals: { costUsd: JSON.parse(json.stdout).totals.costUsd },
    });
  });

  test('mistakes are said', async () => {
    const { env, cwd } = kept();
    expect(await commandLine(['inspect', '--output', 'x'], { env, cwd })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--output goes with --export html, perfetto or json.'),
    });
    expect(await commandLine(['inspect', '--export', 'pdf'], { env, cwd })).toMatchObject({ code: 2 });
    expect(await commandLine(['inspect', 'nope'], { env, cwd })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('There is no session nope'),
    });
  });
});

test('the built program serves the page until Ctrl-C, and writes it as a file', async () => {
  const { env, cwd } = kept();
  let page: Promise<string> | undefined;
  const ran = await turnwright(['inspect', `${SAMPLE_ID}#i=6&tab=sent`], {
    env,
    cwd,
    onStdout(child, soFar) {
      page ??= fetch(new URL(soFar.trim()).origin)
        .then((response) => response.text())
        .finally(() => child.kill('SIGINT'));
    },
  });
  expect(ran.stdout).toMatch(
    /^http:\/\/127\.0\.0\.1:\d+\/#token=[\w-]{43}&session=5f2c9a10-[\w-]+&i=6&tab=sent\n$/,
  );
  expect(ran.stderr).toContain('Ctrl-C ends it');
  expect(await page).toContain('<title>Turnwright inspector</title>');
  const html = await turnwright(['inspect', SAMPLE_ID, '--export', 'html'], { env, cwd });
  expect(html.code).toBe(0);
  expect(html.stdout).toContain('<script type="application/json" id="data">{');
  expect(html.stdout).toContain("connect-src 'none'");
});

/** The pages of docs/recipes that need nothing but Node, followed literally. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { reply, toolUse } from '@turnwright/testing/rehearsal';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { stepsOf } from './page.ts';
import { followPage, reader } from './reader.ts';

describe('a reader of', () => {
  it('structured-output.md gets a value of the schema', async () => {
    const value = { verdict: 'change', reasons: ['The word "the" occurs twice.'] };
    const replies = [reply(toolUse('StructuredOutput', value))];
    await followPage('docs/recipes/structured-output.md', await reader({ name: 'review', replies }));
  });

  it('cap-the-spend.md sees the run end at its budget', async () => {
    const dear = reply(toolUse('Glob', { pattern: '*.md' }), {
      times: 'any',
      usage: { output_tokens: 10_000 },
    });
    await followPage('docs/recipes/cap-the-spend.md', await reader({ name: 'dear', replies: [dear] }));
  });

  it('compare-two-models-on-my-repository.md reads a table of two models', async () => {
    const edit = toolUse('Edit', { file_path: 'add.js', old_string: 'a - b', new_string: 'a + b' });
    const tested = toolUse('Write', { file_path: 'add.test.js', content: "import './add.js';\n" });
    const someone = await reader(({ lastResult, model }) => {
      if (lastResult === undefined) return reply(toolUse('Read', { file_path: 'add.js' }));
      if (/was (?:edited|created)/.test(lastResult)) return reply('Done.');
      return reply(model === 'claude-sonnet-5' ? [edit, tested] : edit);
    });
    await followPage('docs/recipes/compare-two-models-on-my-repository.md', someone);
  });

  it('resume-after-a-crash.md finds the command run once', async () => {
    const someone = await reader(({ lastResult }) => {
      if (lastResult === undefined) return reply(toolUse('Bash', { command: './migrate.sh' }));
      return reply('The migration had begun when the process died. I did not run it again.');
    });
    await followPage('docs/recipes/resume-after-a-crash.md', someone);
    expect(JSON.stringify(someone.server.requests.at(-1)?.body)).toMatch(/unknown/i);
  });

  it('test-with-a-scripted-model.md has a test that passes without any server', async () => {
    const someone = await reader({ name: 'not asked', replies: [] });
    await followPage('docs/recipes/test-with-a-scripted-model.md', someone);
    expect(someone.server.requests).toEqual([]);
  });

  it('send-a-bug-report-without-my-code.md gets three reports and plays one, without a word of the session', async () => {
    const someone = await reader(({ lastResult }) =>
      lastResult === undefined
        ? reply(toolUse('Bash', { command: 'cat swordfish' }))
        : reply('It is a swordfish.'),
    );
    const [report, played] = stepsOf('docs/recipes/send-a-bug-report-without-my-code.md');
    if (report === undefined || played === undefined) throw new Error('The page has no commands.');
    await someone.follow({
      kind: 'commands',
      text: 'turnwright -p "Find the swordfish."',
      prints: undefined,
    });
    const printed = await someone.follow(report);
    expect(printed).toMatch(
      /Same decisions: 2 iterations of 1 run\.[\s\S]*The model gave its answer[\s\S]*report\.yaml is written/,
    );
    expect(`${printed}${readFileSync(join(someone.folder, 'report.yaml'), 'utf8')}`).not.toMatch(
      /swordfish/i,
    );
    await someone.follow(played);
  });

  it('choose-a-model.md sees which model passes', async () => {
    const someone = await reader(({ model, body, call }) => {
      const [, cwd] = /Working directory: ([^\n\\"]+)/.exec(JSON.stringify(body)) ?? [];
      const content = 'export const sum = (a, b) => a + b;\n';
      if (model.includes('haiku') || call > 1) return reply('Done.');
      return reply(toolUse('Write', { file_path: `${cwd}/sum.mjs`, content }));
    });
    await followPage('docs/recipes/choose-a-model.md', someone);
  });

  it('mcp-server.md has a server whose tool is called', async () => {
    const someone = await reader(({ lastResult }) =>
      lastResult === undefined
        ? reply(toolUse('mcp__dice__roll', { dice: 2 }))
        : reply(`You rolled ${/: (\d+)/.exec(lastResult)?.[1]}.`),
    );
    await followPage('docs/recipes/mcp-server.md', someone, {
      installed: ['@modelcontextprotocol/sdk', 'zod'],
    });
  });

  it('allow-my-test-command.md has the tests run, and nothing else', async () => {
    const someone = await reader(({ lastResult }) =>
      lastResult === undefined
        ? reply([toolUse('Bash', { command: 'touch no' }), toolUse('Bash', { command: 'npm test' })])
        : reply(/0 tests failed/.test(lastResult) ? 'All tests pass.' : lastResult),
    );
    const scripts = { test: 'echo 0 tests failed; touch tested' };
    writeFileSync(join(someone.folder, 'package.json'), JSON.stringify({ scripts }));
    await followPage('docs/recipes/allow-my-test-command.md', someone);
    expect(readdirSync(someone.folder)).toContain('tested');
    expect(readdirSync(someone.folder)).not.toContain('no');
  });

  it('see-what-a-new-rule-would-do.md sees which recorded calls a rule changes', async () => {
    const calls = ['npm test -- --bail', 'touch report.txt'];
    const someone = await reader(({ lastResult }) =>
      lastResult === undefined
        ? reply(calls.map((command) => toolUse('Bash', { command })))
        : reply('I may not run the tests.'),
    );
    await followPage('docs/recipes/see-what-a-new-rule-would-do.md', someone);
    expect(someone.server.requests.length).toBe(2);
  });

  it('run-in-github-actions.md has a workflow whose commands run', async () => {
    const someone = await reader(({ lastResult }) =>
      lastResult === undefined
        ? reply(toolUse('Bash', { command: 'git diff HEAD~1' }))
        : reply(lastResult.includes('+second') ? 'One line was added.' : lastResult),
    );
    const git = 'git -c user.name=reader -c user.email=reader@example.com';
    await someone.follow({
      kind: 'commands',
      text: `git init -q; echo first > a.txt; ${git} add a.txt; ${git} commit -qm one; echo second >> a.txt; ${git} commit -qam two`,
      prints: undefined,
    });
    await followPage('docs/recipes/run-in-github-actions.md', someone);
    const [file = ''] = readdirSync(join(someone.folder, '.github/workflows'));
    const workflow = parse(readFileSync(join(someone.folder, '.github/workflows', file), 'utf8'));
    const steps: { run?: string; uses?: string }[] = workflow.jobs.review.steps;
    someone.env['GITHUB_STEP_SUMMARY'] = 'summary.md';
    for (const { run } of steps) {
      // What it would install is installed.
      if (run === undefined || run === 'npm ci') continue;
      await someone.follow({ kind: 'commands', text: run, prints: undefined });
    }
    expect(readFileSync(join(someone.folder, 'summary.md'), 'utf8')).toBe('One line was added.\n');
  });
});

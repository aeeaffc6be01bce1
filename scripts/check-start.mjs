// Plays what a newcomer does first: `npm start` with an empty HOME and nothing configured; then the fixed project's tests by hand.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const home = mkdtempSync(join(tmpdir(), 'turnwright-home-'));
const env = { PATH: process.env.PATH, HOME: home, TMPDIR: home };
const run = spawnSync('npm', ['--silent', 'start'], { cwd: root, encoding: 'utf8', env, timeout: 120_000 });
process.stdout.write(run.stdout);
process.stderr.write(run.stderr);

const problems = [];
if (run.status !== 0) problems.push(`npm start ended with exit code ${run.status}`);
for (const word of ['next_turn', 'max_output_tokens_escalate', '529', 'compact', 'cache']) {
  if (!run.stdout.includes(word)) problems.push(`the summary does not speak of "${word}"`);
}
const project = /(\/\S*turnwright-\S+)/
  .exec(run.stdout.slice(run.stdout.lastIndexOf('project')))?.[1]
  ?.replace(/[.,;)]+$/, '');
if (project === undefined || !existsSync(project))
  problems.push('the summary does not name the project folder');
else {
  const tests = spawnSync(process.execPath, ['--test'], {
    cwd: project,
    encoding: 'utf8',
    env: { PATH: process.env.PATH },
  });
  if (tests.status !== 0) problems.push(`the fixed project's own tests fail:\n${tests.stdout}`);
}
rmSync(home, { recursive: true, force: true });
for (const problem of problems) console.error(`FAILED ${problem}`);
process.exitCode = problems.length > 0 ? 1 : 0;

import { mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { inShortAndLongForm } from '../../long-form.ts';
import { runLong } from '../long-session.ts';
import { tempFolder } from '../temp-folder.ts';

const MEGABYTE = 1024 * 1024;
const AGENTS = 80;

it('F75 a log of 64 MB with 80 logs of agents beside it is opened within a small heap, and the session goes on', async () => {
  const folder = tempFolder();
  const turns = inShortAndLongForm(50, 2100);
  const first = await runLong({ folder, turns, resultChars: 28_000, sampleEvery: turns });
  const home = join(folder, 'home');
  const log = readdirSync(home, { recursive: true, encoding: 'utf8' }).find((name) =>
    name.endsWith(`${first.sessionId}.jsonl`),
  );
  const file = join(home, log ?? '');
  expect(statSync(file).size).toBeGreaterThan(inShortAndLongForm(1, 64) * MEGABYTE);
  const agents = join(file.slice(0, -'.jsonl'.length), 'subagents');
  mkdirSync(agents, { recursive: true });
  const line = `${JSON.stringify({ type: 'user', message: { role: 'user', content: 'x'.repeat(4096) } })}\n`;
  for (let n = 0; n < AGENTS; n++) writeFileSync(join(agents, `agent-${n}.jsonl`), line.repeat(200));

  const { sessionId: resume } = first;
  const second = await runLong({
    folder,
    turns: 2,
    resultChars: 100,
    sampleEvery: 1,
    resume,
    heapLimit: 160,
  });
  expect(second).toMatchObject({ subtype: 'success', sessionId: resume, turns: 2 });
}, 300_000);

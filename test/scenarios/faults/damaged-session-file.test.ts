import { readFileSync, writeFileSync } from 'node:fs';
import { reply } from '@turnwright/testing/rehearsal';
import { describe, expect, it } from 'vitest';
import { journalFile } from '../journal.ts';
import { type Rehearsed, rehearse, submissions, successOf } from '../rehearse.ts';
import { wholeText } from '../sent.ts';

const twoPrompts = () =>
  rehearse({
    ...submissions('First question.', 'Second question.'),
    replies: [reply('First answer.'), reply('Second answer.')],
  });

async function resumed(first: Rehearsed) {
  const run = await rehearse({
    place: first,
    prompt: 'Third question.',
    replies: [reply('Third answer.')],
    options: { resume: first.sessionId },
  });
  expect(successOf(run)).toMatchObject({ is_error: false, result: 'Third answer.' });
  return run;
}

describe('F70 a session file with damage in it', () => {
  it('F70 the last record cut in half: all else is there, and the rest of it is set aside', async () => {
    const first = await twoPrompts();
    const file = journalFile(first);
    const bytes = readFileSync(file);
    writeFileSync(file, bytes.subarray(0, bytes.length - 40));
    const run = await resumed(first);
    for (const text of ['First question.', 'First answer.', 'Second question.', 'Second answer.']) {
      expect(wholeText(run.sent[0])).toContain(text);
    }
  });

  it('F70 a run of NULs in the middle, two records on one line: the whole ones count, the flaws are reported', async () => {
    const first = await twoPrompts();
    const file = journalFile(first);
    const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
    const decision = lines.findIndex((line) => line.includes('"type":"decision"'));
    const answer = lines.findIndex((line) => line.includes('Second answer.'));
    lines[decision] = '\0'.repeat(4_096);
    lines.splice(answer, 2, `${lines[answer]}${lines[answer + 1]}`);
    writeFileSync(file, `${lines.join('\n')}\n`);
    const run = await resumed(first);
    for (const text of ['First question.', 'First answer.', 'Second question.', 'Second answer.']) {
      expect(wholeText(run.sent[0])).toContain(text);
    }
    expect(run.warnings.join('\n')).toMatch(/nul/);
    expect(run.warnings.join('\n')).toMatch(/merged_lines/);
  });
});

import { PassThrough } from 'node:stream';
import { afterEach, expect, test, vi } from 'vitest';
import { readPrompt } from '../src/run/read-prompt.ts';

afterEach(() => {
  vi.useRealTimers();
});

test('a terminal is not read', async () => {
  expect(await readPrompt({ words: ['fix', '', 'it'], stdin: new PassThrough(), kind: 'terminal' })).toBe(
    'fix it',
  );
});

test('a pipe is read to its end, however long that takes', async () => {
  vi.useFakeTimers();
  const stdin = new PassThrough();
  const prompt = readPrompt({ words: ['sum', 'up'], stdin, kind: 'pipe' });
  await vi.advanceTimersByTimeAsync(60_000);
  stdin.write('caf');
  stdin.write(Buffer.from([0xc3]));
  stdin.end(Buffer.from([0xa9, 0x0a]));
  expect(await prompt).toBe('sum up\n\ncafé');
});

test('a socket that another program left open does not hold up a task given in words', async () => {
  vi.useFakeTimers();
  const notes: string[] = [];
  const prompt = readPrompt({
    words: ['go'],
    stdin: new PassThrough(),
    kind: 'socket',
    note: (said) => notes.push(said),
  });
  await vi.advanceTimersByTimeAsync(3_000);
  expect(await prompt).toBe('go');
  expect(notes).toHaveLength(1);
});

test('once something came through a socket, its end is waited for', async () => {
  vi.useFakeTimers();
  const stdin = new PassThrough();
  const prompt = readPrompt({ words: ['go'], stdin, kind: 'socket' });
  stdin.write('first ');
  await vi.advanceTimersByTimeAsync(60_000);
  stdin.end('second');
  expect(await prompt).toBe('go\n\nfirst second');
});

import { say } from '@turnwright/test/cli/fake-run.ts';
import { expect, test } from 'vitest';
import { createModelSilence } from '../src/run/model-silence.ts';

const asking = say.system({ subtype: 'status', status: 'requesting' });

test('a server that sends nothing is named after 20 s, and again after twice the time', () => {
  let ms = 0;
  const silence = createModelSilence(() => ms);
  silence.observe(asking);
  const due = () => {
    const lines: string[] = [];
    for (; ms < 100_000; ms += 5_000) {
      const line = silence.due();
      if (line !== undefined) lines.push(line);
    }
    return lines;
  };
  expect(due()).toEqual([
    'the server has sent nothing for 20.0 s',
    'the server has sent nothing for 40.0 s',
    'the server has sent nothing for 1 min 20 s',
  ]);
});

test('nothing is reported without a request, or while its answer is streamed', () => {
  let ms = 0;
  const silence = createModelSilence(() => ms);
  for (const message of [say.call('t1', 'Bash', { command: 'sleep 60' }), say.result('t1', 'slept')]) {
    silence.observe(message);
    ms += 60_000;
    expect(silence.due()).toBeUndefined();
  }
  silence.observe(asking);
  for (let i = 0; i < 10; i += 1) {
    ms += 15_000;
    silence.observe(say.delta('word '));
    expect(silence.due()).toBeUndefined();
  }
  ms += 25_000;
  expect(silence.due()).toBe('the server has sent nothing for 25.0 s');
  silence.observe(
    say.system({
      subtype: 'api_retry',
      attempt: 1,
      max_retries: 10,
      retry_delay_ms: 60_000,
      error_status: null,
      error: 'unknown',
    }),
  );
  ms += 60_000;
  expect(silence.due()).toBeUndefined();
});

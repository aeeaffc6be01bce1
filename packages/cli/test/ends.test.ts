/** What `-p` says of an end that left nothing on stdout, or less than was asked for. */

import { against, rehearse } from '@turnwright/test/cli/bin.ts';
import { commandLine } from '@turnwright/test/cli/command-line.ts';
import { reply, toolUse } from '@turnwright/testing/rehearsal';
import { describe, expect, it } from 'vitest';

const FORMATS = ['text', 'json', 'stream-json'] as const;
const inFormat = (format: (typeof FORMATS)[number]) => [
  '--output-format',
  format,
  ...(format === 'stream-json' ? ['--verbose'] : []),
];

describe.each(FORMATS)('with --output-format %s', (format) => {
  it('a refusal without a word has a sentence or a message, and exit code 1', async () => {
    const server = await rehearse(reply([''], { stop_reason: 'refusal' }));
    const ran = await commandLine(['-p', 'go', ...inFormat(format)], { env: against(server) });
    expect(ran.code).toBe(1);
    if (format === 'text')
      expect(ran).toMatchObject({ stdout: '', stderr: 'The model refused to answer, without a word.\n' });
    else expect(ran.stdout).toContain('"stop_reason":"refusal"');
  });

  it.each(['PostToolUse', 'Stop'])('the reason of a %s hook that ends the run is printed', async (event) => {
    const server = await rehearse(reply(['Looking.', toolUse('Glob', { pattern: '*' })]), reply('Done.'));
    const command = `echo '{"continue":false,"stopReason":"WHY-IT"}'`;
    const hooks = { [event]: [{ hooks: [{ type: 'command', command }] }] };
    const ran = await commandLine(
      ['-p', 'go', '--settings', JSON.stringify({ hooks }), ...inFormat(format)],
      { env: against(server) },
    );
    expect(ran.code).toBe(0);
    expect(format === 'stream-json' ? ran.stdout : ran.stderr).toContain('WHY-IT');
  });
});

it('a prompt of which the model gets a part is announced, with how much is left out', async () => {
  const tooLong = {
    name: 'http-status',
    status: 400,
    type: 'invalid_request_error',
    message: 'prompt is too long: 210000 tokens > 200000 maximum',
    times: 1,
  } as const;
  const server = await rehearse(reply('Read.', { faults: [tooLong] }));
  const ran = await commandLine(['-p'], { env: against(server), input: 'word '.repeat(100_000) });
  expect(ran).toMatchObject({ code: 0, stdout: 'Read.\n' });
  expect(ran.stderr).toMatch(
    /A prompt does not fit into the context window: the model gets the beginning and the end\. .*\d characters left out/,
  );
  const sent = server.requests
    .map(({ body }) => JSON.stringify(body))
    .filter((body) => body.includes('word word'));
  expect(sent.map((body) => body.includes('characters left out'))).toEqual([false, true]);
  expect(sent[1]?.length).toBeLessThan((sent[0]?.length ?? 0) * 0.8);
});

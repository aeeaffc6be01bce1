import { reply, toolUse } from '@turnwright/testing/rehearsal';
import { describe, expect, it } from 'vitest';
import { PNG } from '../images.ts';
import { rehearse, submissions } from '../rehearse.ts';
import { wholeText } from '../sent.ts';

describe('F11 an image that is refused all the same', () => {
  it('F11 the block that the refusal names is replaced, the log is unchanged, the session continues', async () => {
    const run = await rehearse({
      ...submissions('Hello.', 'Goodbye.'),
      files: { 'shot.png': PNG },
      replies: [
        reply(toolUse('Read', { file_path: 'shot.png' }, 'call_1')),
        refusedInResult(),
        reply('I could not see it.'),
        reply('Bye.'),
      ],
    });
    expect(run.results.map((result) => result.is_error)).toEqual([false, false]);
    expect(wholeText(run.sent[1])).toContain('"type":"image"');
    for (const body of run.sent.slice(2)) {
      expect(wholeText(body)).toContain('[image refused by the API and removed: ');
      expect(wholeText(body)).toContain('shot.png');
    }
    expect(JSON.stringify(run.entries.filter((entry) => entry.type === 'user'))).toContain('"type":"image"');
  });
});

/** As the API words it for an image inside a tool result. */
function refusedInResult() {
  return reply('never', {
    faults: [
      {
        name: 'http-status',
        status: 400,
        type: 'invalid_request_error',
        message: 'messages.2.content.0.tool_result.content.0.image.source: image cannot be read',
      },
    ],
  });
}

import { describe, expect, it } from 'vitest';
import type { ModelFailure } from '../../src/protocol/model/failure.ts';
import type { ViewMessage } from '../../src/protocol/model/messages.ts';
import { applied, call, context, input, prompt, result, run, session, text } from './conversation.ts';
import { png } from './images.ts';

const { recovery } = context().port;
const refusal: ModelFailure = { kind: 'media_too_large', status: 400, message: 'image exceeds 5 MB' };

async function reduce(view: readonly ViewMessage[], failure: ModelFailure) {
  const { outcome } = await run(recovery.reduceMedia(input(view), failure));
  return { outcome, after: applied(view, outcome) };
}

const plan = {
  type: 'document',
  title: 'Plan',
  source: { type: 'base64', media_type: 'application/pdf', data: 'JVBERi0x' },
} as const;
const VIEW: readonly ViewMessage[] = [
  prompt('p', [{ type: 'text', text: 'See:' }, png(10, 10), plan]),
  call('r', 'a', 'Read', { file_path: '/shots/one.png' }),
  result('a', [{ type: 'text', text: 'Two of them.' }, png(10, 10), png(20, 20)]),
];

describe('reduceMedia', () => {
  it('F11: replaces the block that the refusal names, by a note that names its file', async () => {
    const block = { message: 2, content: 0, inner: 2, at: { uuid: 'result-a', index: 0, inner: 2 } };
    const { outcome, after } = await reduce(VIEW, { ...refusal, block });
    expect(outcome).toMatchObject({ kind: 'edits', source: 'replacement', compacted: false, named: true });
    expect(after.slice(0, 2)).toEqual(VIEW.slice(0, 2));
    expect(after[2]).toMatchObject({
      message: {
        content: [
          {
            tool_use_id: 'a',
            content: [
              { text: 'Two of them.' },
              { type: 'image' },
              { text: '[image refused by the API and removed: /shots/one.png, image/png, 1 KB]' },
            ],
          },
        ],
      },
    });
  });

  it('F11: unnamed, only what no accepted request held yet goes', async () => {
    const { outcome, after } = await reduce(VIEW, refusal);
    expect(outcome).not.toHaveProperty('named');
    expect(after[0]).toBe(VIEW[0]);
    expect(JSON.stringify(after[2])).not.toContain('"type":"image"');
  });

  it('F11: when all of it had been accepted, the largest goes', async () => {
    const view = [
      prompt('small', [png(10, 10)]),
      prompt('large', [png(10, 10, 9_000)]),
      text('r', 'I see.'),
      prompt('asked', 'And now?'),
    ];
    const { after } = await reduce(view, refusal);
    expect(after.map((message, at) => message === view[at])).toEqual([true, false, true, true]);
  });

  it('F12: a body of too many bytes loses its oldest media first', async () => {
    const { after } = await reduce(VIEW, { kind: 'prompt_too_long', status: 413, message: 'too large' });
    expect(JSON.stringify(after[0])).toContain(
      '[image removed to make room for later ones: image/png, 1 KB]',
    );
    expect(JSON.stringify(after[2])).toContain('"type":"image"');
  });

  it('a prompt of too many tokens loses all of them', async () => {
    const { after } = await reduce(VIEW, { kind: 'prompt_too_long', status: 400, message: 'too long' });
    expect(JSON.stringify(after)).not.toMatch(/"type":"(image|document)"/);
    expect(JSON.stringify(after)).toContain(
      '[document removed to make the request fit: Plan, application/pdf, 1 KB]',
    );
  });

  it('F14: a text that the API refuses by name is replaced once, and not once more', async () => {
    const failure: ModelFailure = {
      kind: 'invalid_request',
      status: 400,
      message: 'messages.0.content.0: text content blocks must be non-empty',
      block: { message: 0, content: 0, at: { uuid: 'p', index: 0 } },
    };
    const view = [prompt('p', 'Odd.')];
    const { outcome, after } = await reduce(view, failure);
    expect(outcome).toMatchObject({ named: true });
    expect(JSON.stringify(after)).toContain('[removed: the API refused this part');
    expect((await reduce(after, failure)).outcome.kind).toBe('none');
  });

  it('says so when there is nothing to remove', async () => {
    expect((await reduce(session('a', 1, 10), refusal)).outcome.kind).toBe('none');
    expect((await reduce(VIEW, { kind: 'invalid_request', message: 'no' })).outcome.kind).toBe('none');
  });
});

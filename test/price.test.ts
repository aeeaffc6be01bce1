/** The rule of `bench:price` by which a request is an avoidable break of the prompt cache. */
import { expect, it } from 'vitest';

interface Found {
  readonly request: number;
  readonly tokens: number;
  readonly owner?: string;
  readonly changed: string;
}
const { breakOf } = (await import(new URL('../bench/price/breaks.mjs', import.meta.url).href)) as {
  breakOf(requests: readonly unknown[], at: number): Found | undefined;
};

const user = (text: string) => ({ role: 'user', content: [{ type: 'text', text }] });
const answer = (mark: string) => ({ role: 'assistant', content: [{ type: 'text', text: `[${mark}] Yes.` }] });
const FIRST = [user('Go.')];
const SECOND = [...FIRST, answer('m1'), user('On.')];

function request(
  number: number,
  messages: readonly object[],
  read: number,
  written: number,
  more: object = {},
) {
  const { kind = 'main', arrivedMs = number, ...body } = more as { kind?: string; arrivedMs?: number };
  const usage = { cache_read_input_tokens: read, cache_creation_input_tokens: written };
  return { number, kind, arrivedMs, body: { model: 'a', messages, ...body }, verdict: { usage } };
}

it('a request that reads what was left is none; one that writes it again is, and says what changed', () => {
  const first = request(1, FIRST, 0, 20_000);
  expect(breakOf([first, request(2, SECOND, 20_000, 100)], 1)).toBeUndefined();
  expect(breakOf([first, request(2, SECOND, 0, 20_100, { tools: [{ name: 'New' }] })], 1)).toEqual({
    request: 2,
    tokens: 20_000,
    changed: 'tools (0 → 1)',
  });
  const edited = [user('Go!'), ...SECOND.slice(1)];
  expect(breakOf([first, request(2, edited, 0, 20_100)], 1)?.changed).toContain('message 0 of 1');
});

it.each([
  ['model', { model: 'b' }],
  ['expired', { arrivedMs: 400_000 }],
  ['cleared', { context_management: { edits: [{ type: 'clear_tool_uses_20250919' }] } }],
])('%s owns it', (owner, more) => {
  expect(breakOf([request(1, FIRST, 0, 20_000), request(2, SECOND, 0, 20_000, more)], 1)?.owner).toBe(owner);
});

it('a summary between owns it', () => {
  const summary = request(2, SECOND, 20_000, 10, { kind: 'compaction' });
  expect(breakOf([request(1, FIRST, 0, 20_000), summary, request(3, SECOND, 0, 5_000)], 2)?.owner).toBe(
    'compaction',
  );
});

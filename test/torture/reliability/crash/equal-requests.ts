/**
 * R3: the request after a resume is that of the run that was never interrupted, up to the last record; behind it there
 * are only results "outcome unknown" and the new prompt.
 */
import { isDeepStrictEqual } from 'node:util';
import type { SentBody } from './scripted-session.ts';

export interface Block {
  readonly role: string;
  readonly type: string;
  readonly id?: string;
  readonly tool_use_id?: string;
  readonly text?: string;
  readonly content?: unknown;
  readonly is_error?: boolean;
}

/** The conversation as a list of blocks. */
export function blocksIn(body: SentBody): readonly Block[] {
  return body.messages.flatMap(({ role, content }) =>
    typeof content === 'string'
      ? [{ role, type: 'text', text: content }]
      : content.map((block) => ({ ...block, role }) as unknown as Block),
  );
}

const isResult = ({ type }: Block): boolean => type === 'tool_result';
const isUnknown = (block: Block): boolean =>
  block.is_error === true &&
  /unknown|interrupted|not started|never started/i.test(JSON.stringify(block.content));

/**
 * What is wrong with the request of a resumed session, in words; undefined: nothing. `acknowledged`: ids of calls
 * whose results a consumer has received. `prompt`: the new prompt; undefined when the submission is carried on.
 */
export function inequality(
  uninterrupted: SentBody,
  resumed: SentBody,
  acknowledged: ReadonlySet<string>,
  prompt: string | undefined,
): string | undefined {
  for (const part of ['system', 'tools'] as const)
    if (!isDeepStrictEqual(uninterrupted[part], resumed[part])) return `another ${part}`;
  const all = blocksIn(uninterrupted);
  const found = blocksIn(resumed);
  const said = all.filter((block) => !isResult(block));
  const saidAgain = found.filter((block) => !isResult(block));
  if (prompt !== undefined) {
    const last = saidAgain.pop();
    if (last?.text !== prompt) return `the last block is ${JSON.stringify(last)}`;
  }
  for (const [at, block] of saidAgain.entries())
    if (!isDeepStrictEqual(block, said[at])) return `block ${at} is ${JSON.stringify(block).slice(0, 300)}`;

  const results = new Map(all.filter(isResult).map((block) => [block.tool_use_id, block]));
  const answered = new Set<string | undefined>();
  for (const block of found.filter(isResult)) {
    const id = block.tool_use_id;
    if (answered.has(id)) return `${id} has two results`;
    answered.add(id);
    if (isDeepStrictEqual(block, results.get(id))) continue;
    // A call that had not begun runs when the submission is carried on: its result is of then.
    if (prompt === undefined && !acknowledged.has(id ?? '')) continue;
    if (!isUnknown(block)) return `the result of ${id} is ${JSON.stringify(block).slice(0, 300)}`;
    if (acknowledged.has(id ?? '')) return `${id} had a result, which is unknown now`;
  }
  const calls = saidAgain.filter(({ type }) => type === 'tool_use').map(({ id }) => id);
  const open = calls.find((id) => !answered.has(id));
  if (open !== undefined) return `${open} has no result`;
  const missing = [...acknowledged].find((id) => !answered.has(id));
  return missing === undefined ? undefined : `the result of ${missing} is gone`;
}

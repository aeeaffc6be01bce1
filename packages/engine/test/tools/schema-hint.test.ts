/** A deferred tool that the model calls before it has loaded it: what the model reads of the schema, and when. */
import { describe, expect, it } from 'vitest';
import { CallParked } from '../../src/protocol/session/parking.ts';
import type { AnyTool, ToolContext, ToolOutput } from '../../src/protocol/tools/tool.ts';
import { withSchemaHint } from '../../src/tools/gate/schema-hint.ts';

const SCHEMA = { type: 'object', required: ['path'] };
const HINT = `The schema of this tool had not been loaded. It is: ${JSON.stringify(SCHEMA)}`;

const tool = (about: Partial<AnyTool>): AnyTool => ({
  name: 'Deferred',
  inputJsonSchema: SCHEMA,
  description: () => 'deferred',
  parse: (input) => ({ ok: true, input }),
  run: async () => ({ data: null, content: 'fine' }),
  ...about,
});

/** What comes out of a run, after the progress that it reports. */
async function outputOf(about: Partial<AnyTool>, aborted = false): Promise<ToolOutput> {
  const context = { signal: aborted ? AbortSignal.abort() : new AbortController().signal };
  const running = withSchemaHint(tool(about)).run({}, context as ToolContext);
  if (running instanceof Promise) return running;
  for (;;) {
    const next = await running.next();
    if (next.done === true) return next.value;
  }
}

describe('an input', () => {
  it('that is wrong has the schema as its last issue', async () => {
    const parsed = await withSchemaHint(
      tool({ parse: () => ({ ok: false, issues: ['path is missing'] }) }),
    ).parse({});
    expect(parsed).toEqual({ ok: false, issues: ['path is missing', HINT] });
  });

  it('that is right is passed on as it was read', async () => {
    const parsed = await withSchemaHint(tool({ parse: () => ({ ok: true, input: { path: 'a' } }) })).parse(
      {},
    );
    expect(parsed).toEqual({ ok: true, input: { path: 'a' } });
  });

  it('has the beginning of a schema that is long', async () => {
    const parse: AnyTool['parse'] = () => ({ ok: false, issues: [] });
    const description = 'x'.repeat(10_000);
    const parsed = await withSchemaHint(
      tool({ parse, inputJsonSchema: { type: 'object', description } }),
    ).parse({});
    const [hint = ''] = parsed.ok ? [] : parsed.issues;
    expect(hint.length).toBeLessThan(8_200);
    expect(hint).toMatch(/x… \(\d+ characters in all\)$/);
  });
});

describe('a run', () => {
  const text = { type: 'text', text: 'no such file' } as const;
  const fails = (content: ToolOutput['content']): ToolOutput => ({ data: 1, content, isError: true });

  it.each<[string, ToolOutput, ToolOutput]>([
    ['that succeeds is passed on', { data: 1, content: 'done' }, { data: 1, content: 'done' }],
    ['that fails with text has the schema below it', fails('bad'), fails(`bad\n\n${HINT}`)],
    [
      'that fails with blocks has it as the last block',
      fails([text]),
      fails([text, { type: 'text', text: HINT }]),
    ],
  ])('%s', async (_, output, expected) => {
    expect(await outputOf({ run: async () => output })).toEqual(expected);
    const run: AnyTool['run'] = async function* () {
      yield { type: 'progress', data: {} } as never;
      return output;
    };
    expect(await outputOf({ run })).toEqual(expected);
  });

  it('that throws says what was thrown, and the schema', async () => {
    const cause = new Error('no such file');
    const run = async (): Promise<ToolOutput> => {
      throw cause;
    };
    await expect(outputOf({ run })).rejects.toMatchObject({ message: `no such file\n\n${HINT}`, cause });
  });

  it('that was aborted, or that parks the call, throws what the tool threw', async () => {
    const thrown = new Error('aborted');
    const parked = new CallParked({ on: 'time', wakeAt: 1 });
    const throws = (error: Error) => async (): Promise<ToolOutput> => {
      throw error;
    };
    await expect(outputOf({ run: throws(thrown) }, true)).rejects.toBe(thrown);
    await expect(outputOf({ run: throws(parked) })).rejects.toBe(parked);
  });
});

import { EventEmitter } from 'node:events';
import { openScope } from '@turnwright/base/async/scope.ts';
import { systemClock } from '@turnwright/base/clock.ts';
import { systemIds } from '@turnwright/base/ids/hash-and-uuid.ts';
import {
  answerOf,
  callOf,
  contextIn,
  drain,
  gateOf,
  resultsOf,
  toolOf,
} from '@turnwright/test/tools/support.ts';
import { describe, expect, test } from 'vitest';
import type { AnyTool } from '../../src/protocol/tools/tool.ts';
import { editTool } from '../../src/tools/builtin/files/edit.ts';
import { builtinTools } from '../../src/tools/builtin/index.ts';
import { createToolsPort } from '../../src/tools/tools-port.ts';

const portOf = (tools: readonly AnyTool[]) =>
  createToolsPort({
    tools,
    gate: gateOf(),
    makeContext: (call, { signal }, queryTracking) =>
      contextIn('/start', { signal, toolUseId: call.block.id, queryTracking }),
    clock: systemClock,
    ids: systemIds,
    base: { cwd: '/start' },
  });

const at = (scope = openScope()) => ({ scope, iteration: 1, chainId: 'c1', depth: 2 });

describe('wireTools', () => {
  test('the same array for ever, in the order given, described once', async () => {
    let described = 0;
    const port = portOf([
      toolOf('B', {
        description: async () => {
          described += 1;
          return `B ${described}`;
        },
      }),
      toolOf('A'),
    ]);
    const first = await port.wireTools('m');
    expect(await port.wireTools('m')).toBe(first);
    expect(first.map((tool) => tool.name)).toEqual(['B', 'A']);
    expect(first[0]).toEqual({ name: 'B', description: 'B 1', input_schema: { type: 'object' } });
  });

  test('sessions that describe a tool alike share what is sent of it, and others do not', async () => {
    const inputJsonSchema = { type: 'object' };
    const wireOf = (description: string) =>
      portOf([toolOf('A', { inputJsonSchema, description: async () => description })]).wireTools('m');
    const [first] = await wireOf('one');
    expect((await wireOf('one'))[0]).toBe(first);
    expect((await wireOf('two'))[0]).toEqual({
      name: 'A',
      description: 'two',
      input_schema: inputJsonSchema,
    });
    expect(first?.description).toBe('one');
  });

  test('F152 a tool whose description fails affects no other tool', async () => {
    const port = portOf([
      toolOf('Bad', { description: () => Promise.reject(new Error('no')) }),
      toolOf('Good'),
    ]);
    expect(await port.wireTools('m')).toEqual([
      { name: 'Bad', input_schema: { type: 'object' } },
      { name: 'Good', description: 'Good', input_schema: { type: 'object' } },
    ]);
  });

  test('names the API would refuse are refused here', () => {
    expect(() => portOf([toolOf('with space')])).toThrow(/cannot be a tool's name/);
    expect(() => portOf([toolOf('T'), toolOf('T')])).toThrow(/Two tools are named "T"/);
  });

  test('the built-in tools describe themselves and take the parameter names of the reference', async () => {
    const wire = await portOf(builtinTools()).wireTools('m');
    const parameters = Object.fromEntries(
      wire.map((tool) => [tool.name, Object.keys(tool.input_schema['properties'] as object)]),
    );
    expect(parameters).toEqual({
      Bash: ['command', 'timeout', 'description', 'run_in_background'],
      Edit: ['file_path', 'old_string', 'new_string', 'replace_all'],
      Glob: ['pattern', 'path'],
      Grep: [
        'pattern',
        'path',
        'glob',
        'output_mode',
        '-A',
        '-B',
        '-C',
        'context',
        '-n',
        '-i',
        '-o',
        'type',
        'head_limit',
        'offset',
        'multiline',
      ],
      NotebookEdit: ['notebook_path', 'cell_id', 'new_source', 'cell_type', 'edit_mode'],
      Read: ['file_path', 'offset', 'limit'],
      TaskOutput: ['task_id', 'block', 'timeout'],
      TaskStop: ['task_id', 'shell_id'],
      TodoWrite: ['todos'],
      Write: ['file_path', 'content'],
    });
    for (const tool of wire) expect(tool.description?.length).toBeGreaterThan(80);
  });
});

describe('open', () => {
  test('context modifiers last beyond the iteration; the chain is that of the iteration', async () => {
    const port = portOf([
      toolOf('Move', {
        run: async () => ({ data: 1, content: 'x', modifyContext: (c) => ({ ...c, cwd: `${c.cwd}/on` }) }),
      }),
      toolOf('Where', {
        run: async (_i, c) => ({
          data: 1,
          content: `${c.cwd} ${c.queryTracking.chainId} ${c.queryTracking.depth}`,
        }),
      }),
    ]);
    const first = port.open(at());
    first.add(callOf('Move'));
    await drain(first);
    const second = port.open(at());
    second.add(callOf('Where'));
    expect(resultsOf(await drain(second)).map((r) => answerOf(r).text)).toEqual(['/start/on c1 2']);
  });

  test('the scope ends what runs', async () => {
    const scope = openScope();
    const executor = portOf([
      toolOf('T', {
        run: (_i, c) =>
          new Promise((_, reject) => c.signal.addEventListener('abort', () => reject(c.signal.reason))),
      }),
    ]).open(at(scope));
    executor.add(callOf('T'));
    await new Promise((resolve) => setImmediate(resolve));
    await scope.close();
    expect(resultsOf(await drain(executor)).map((r) => answerOf(r).isError)).toEqual([true]);
  });

  test('F106 iterations leave nothing behind in the scope of the session', async () => {
    const session = openScope();
    const port = portOf([toolOf('T')]);
    for (let i = 0; i < 100; i += 1) {
      const scope = session.child();
      const executor = port.open(at(scope));
      executor.add(callOf('T'));
      await drain(executor);
      await scope.close();
    }
    expect(EventEmitter.getEventListeners(session.signal, 'abort')).toEqual([]);
  });
});

describe('backfill', () => {
  test('Edit shows its default', () => {
    const input = { file_path: 'a', old_string: 'b', new_string: 'c' };
    const block = { type: 'tool_use' as const, id: 't', name: 'Edit', input };
    expect(portOf([editTool]).backfill(block).input).toEqual({ ...input, replace_all: false });
    const all = { ...block, input: { ...input, replace_all: true } };
    expect(portOf([editTool]).backfill(all)).toBe(all);
  });
  const block = { type: 'tool_use', id: 't', name: 'T', input: { a: 1 } } as const;
  test('a copy is made only for a field that was added', () => {
    expect(portOf([toolOf('T')]).backfill(block)).toBe(block);
    expect(portOf([toolOf('T', { backfillObservableInput: () => {} })]).backfill(block)).toBe(block);
    expect(
      portOf([
        toolOf('T', {
          backfillObservableInput: () => {
            throw new Error('x');
          },
        }),
      ]).backfill(block),
    ).toBe(block);
    const filled = portOf([
      toolOf('T', {
        backfillObservableInput: (input) => {
          input['b'] = 2;
        },
      }),
    ]).backfill(block);
    expect(filled.input).toEqual({ a: 1, b: 2 });
    expect(block.input).toEqual({ a: 1 });
  });

  test('a field that is only overwritten makes no copy; beside an added one it is shown', () => {
    const overwrites = toolOf('T', {
      backfillObservableInput: (input) => {
        input['a'] = 'changed';
      },
    });
    expect(portOf([overwrites]).backfill(block)).toBe(block);
    const both = toolOf('T', {
      backfillObservableInput: (input) => {
        input['a'] = 'changed';
        input['b'] = 2;
      },
    });
    expect(portOf([both]).backfill(block).input).toEqual({ a: 'changed', b: 2 });
    expect(block.input).toEqual({ a: 1 });
  });
});

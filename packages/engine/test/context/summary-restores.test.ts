import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type RehearsalRequest, type Reply, text, toolUse } from '@turnwright/testing/rehearsal';
import { describe, expect, it } from 'vitest';
import type { CompactionSource } from '../../src/protocol/model/context.ts';
import { createReadTool } from '../../src/tools/builtin/files/read.ts';
import { todoWriteTool } from '../../src/tools/builtin/planning/todo-write.ts';
import { type Body, done, lookAt, rehearsedEngine, resultOf, script, tokensOf } from './rehearsed-engine.ts';

const textOf = (body: Body | undefined) => JSON.stringify(body?.messages);
const FILLED = [lookAt(6_200), lookAt(6_200), lookAt(250)];

const source = (name: string, words: string): CompactionSource => ({
  name,
  collect: async () => [
    {
      type: 'attachment',
      uuid: `restored-${name}`,
      timestamp: '2026-01-01T00:00:00.000Z',
      attachment: { type: name },
      rendered: [{ type: 'text', text: words }],
    },
  ],
});

describe('behind a summary', () => {
  it('F31: todos, project rules, loaded skills, the plan and running tasks stand in the rendered request', async () => {
    const todos = [
      { content: 'Paint the gate', status: 'in_progress', activeForm: 'Painting the gate' },
      { content: 'Oil the hinges', status: 'pending', activeForm: 'Oiling the hinges' },
    ];
    const run = await rehearsedEngine({
      reply: script([{ blocks: [toolUse('TodoWrite', { todos })] }, ...FILLED, done()]),
      config: {
        settingSources: ['project'],
        compaction: {
          sources: [
            source('skills', 'The skill "masonry" is loaded.'),
            source('plan', 'The plan: gate first.'),
            source('tasks', 'Task b1 is running: npm test.'),
          ],
        },
        tools: [todoWriteTool],
      },
      withLook: true,
    });
    writeFileSync(join(run.cwd, 'CLAUDE.md'), 'Gates are painted green.');
    await run.run('Do the gate.');
    expect(run.sent('compaction')).toHaveLength(1);
    const sent = textOf(run.sent('main').at(-1));
    for (const words of [
      '1. [>] Paint the gate',
      '2. [ ] Oil the hinges',
      'Gates are painted green.',
      'The skill \\"masonry\\" is loaded.',
      'The plan: gate first.',
      'Task b1 is running: npm test.',
      'Do the gate.',
    ])
      expect(sent).toContain(words);
  });

  it('recent files come back from disk, as they are now, the latest first', async () => {
    const read = (name: string): Reply => ({ blocks: [toolUse('Read', { file_path: name })] });
    const run = await rehearsedEngine({
      reply: script([read('one.txt'), read('two.txt'), ...FILLED, done()]),
      config: { tools: [createReadTool()] },
      withLook: true,
    });
    writeFileSync(join(run.cwd, 'one.txt'), 'The first file.\n');
    writeFileSync(join(run.cwd, 'two.txt'), 'The second file.\n');
    await run.run('Read.');
    const sent = textOf(run.sent('main').at(-1)) ?? '';
    expect(sent).toContain('two.txt, as it is on disk now:\\nThe second file.');
    expect(sent.indexOf('The second file.')).toBeLessThan(sent.indexOf('The first file.'));
  });

  it('threshold, instructions and the whole request are options', async () => {
    const run = await rehearsedEngine({
      reply: script([lookAt(6_000), lookAt(2_000), lookAt(10), done()], () => done('A summary.')),
      config: {
        compaction: {
          threshold: 0.5,
          prompt: 'Sum the <summary> up in Latin.',
          instructions: 'Keep the colours.',
        },
      },
    });
    await run.run('Look.');
    const [asked] = run.sent('compaction');
    expect(textOf(asked)).toContain('Sum the <summary> up in Latin.');
    expect(textOf(asked)).toContain('Keep the colours.');
    expect(textOf(asked)).not.toContain('<analysis>');
    expect(run.decisions()[0]?.context?.autocompactAt).toBe(7_500);
  });
});

describe('the History tool', () => {
  const secret = 'The serial number is QX-4711-B.';
  const answers = (look: (request: RehearsalRequest) => Reply) => (request: RehearsalRequest) =>
    request.kind === 'compaction' ? { blocks: [text('<summary>Nothing of note.</summary>')] } : look(request);

  it('F32: finds what only old turns held, bounded, without hidden reasoning', async () => {
    const run = await rehearsedEngine({
      reply: answers((request) => {
        switch (request.call) {
          case 1:
            return {
              blocks: [
                { type: 'thinking', thinking: 'Hidden: QX-4711-B must not be told.' },
                toolUse('Tell', {}),
              ],
            };
          case 2:
          case 3:
          case 4:
            return lookAt(request.call === 4 ? 250 : 6_200);
          case 5:
            return { blocks: [toolUse('History', { query: 'serial NUMBER' })] };
          case 6: {
            const uuid = /\[([^\]]+)\] result of Tell/.exec(request.lastResult ?? '')?.[1] ?? '';
            return { blocks: [toolUse('History', { uuid })] };
          }
          default:
            return done('Found.');
        }
      }),
      config: { thinking: { type: 'enabled', budgetTokens: 1_024 }, maxOutputTokens: 2_000 },
      tell: secret + tokensOf(5_000),
    });
    const messages = await run.run('What is the number?');
    const bodies = run.sent('main');
    expect(textOf(bodies[4])).not.toContain('QX-4711-B');
    expect(resultOf(messages)).toMatchObject({ result: 'Found.' });
    const found = JSON.stringify(bodies.at(-2)?.messages.at(-1));
    expect(found).toContain('QX-4711-B');
    const page = JSON.stringify(bodies.at(-1)?.messages.at(-1));
    expect(page).toContain(secret);
    expect(page).toContain('read on with offset 10000');
    expect(page + found).not.toContain('Hidden');
    expect(page.length).toBeLessThan(12_000);
  });

  it('is offered from the first request on, so that the bytes of the tools never change', async () => {
    const run = await rehearsedEngine({ reply: script([...FILLED, lookAt(10), done()]) });
    await run.run('Look.');
    const tools = run.server.requests.map(({ body }) =>
      JSON.stringify((body as Body).tools).replace(/,"cache_control":\{[^}]*\}/, ''),
    );
    expect(new Set(tools).size).toBe(1);
    expect(tools[0]).toContain('"History"');
    expect(textOf(run.sent('main').at(-1))).toContain('looked up with the History tool');
  });

  it.each([
    ['by option', { history: false }],
    ['where nothing is compacted', { auto: false }],
  ])('is not offered %s', async (_, compaction) => {
    const run = await rehearsedEngine({ reply: script([done()]), config: { compaction } });
    await run.run('Hello.');
    expect(run.sent('main')[0]?.tools?.map(({ name }) => name)).toEqual(['Look']);
  });
});

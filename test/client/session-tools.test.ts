import { existsSync } from 'node:fs';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { reply, toolUse } from '@turnwright/testing/rehearsal';
import { expect, it } from 'vitest';
import { gather, prompt, prompts, throughBothDoors, toolResults } from './doors.ts';

type Input = Record<string, unknown>;
interface Context {
  readonly requiresUserInteraction?: boolean;
}
const QUESTION = 'Which colour?';
const questions = [
  {
    question: QUESTION,
    header: 'Colour',
    options: [
      { label: 'Red', description: 'Like fire.' },
      { label: 'Green', description: 'Like grass.' },
    ],
    multiSelect: false,
  },
];
const toolNames = (body: Readonly<Record<string, unknown>> | undefined) =>
  ((body?.['tools'] ?? []) as { name: string; input_schema: unknown }[]).map(({ name }) => name);

throughBothDoors('tools of the session', (stage) => {
  it('AskUserQuestion is answered through updatedInput', async () => {
    const asked: unknown[] = [];
    const { messages } = await stage.run(
      [reply(toolUse('AskUserQuestion', { questions })), reply('Green it is.')],
      {
        toolConfig: { askUserQuestion: { previewFormat: 'html' } },
        canUseTool: async (_name: string, input: Input, { requiresUserInteraction }: Context) => {
          asked.push(requiresUserInteraction);
          return {
            behavior: 'allow',
            updatedInput: { questions: input['questions'], answers: { [QUESTION]: 'Green' } },
          };
        },
      },
    );
    expect(asked).toEqual([true]);
    expect(toolResults(messages)[0]?.text).toContain('Green');
    expect(messages).toContainEqual(
      expect.objectContaining({ tool_use_result: { questions, answers: { [QUESTION]: 'Green' } } }),
    );
    expect(JSON.stringify(stage.asked()[0]?.['tools'])).toContain('HTML fragment');
  });

  it('AskUserQuestion is not offered to a host that cannot answer', async () => {
    await stage.run([reply('Hm.')]);
    expect(toolNames(stage.asked()[0])).not.toContain('AskUserQuestion');
  });

  it('ExitPlanMode leaves plan mode with the approval, by the host’s mode', async () => {
    const { messages } = await stage.run(
      [
        reply(toolUse('ExitPlanMode', { plan: 'Paint it.' }, 'toolu_1')),
        reply(toolUse('Write', { file_path: join(stage.cwd, 'gate'), content: 'green' }, 'toolu_2')),
        reply('Painted.'),
      ],
      {
        permissionMode: 'plan',
        planModeInstructions: 'Think of gates alone.',
        canUseTool: async (_name: string, input: Input) => ({
          behavior: 'allow',
          updatedInput: input,
          updatedPermissions: [{ type: 'setMode', mode: 'acceptEdits', destination: 'session' }],
        }),
      },
    );
    expect(existsSync(join(stage.cwd, 'gate'))).toBe(true);
    expect(JSON.stringify(stage.asked()[0]?.['messages'])).toContain('Think of gates alone.');
    expect(messages).toContainEqual(
      expect.objectContaining({ subtype: 'status', permissionMode: 'acceptEdits' }),
    );
    expect(messages).toContainEqual(
      expect.objectContaining({
        tool_use_result: expect.objectContaining({ plan: 'Paint it.', isAgent: false }),
      }),
    );
  });

  it('NotebookEdit changes a cell', async () => {
    const path = join(stage.cwd, 'a.ipynb');
    const cells = [
      { cell_type: 'code', execution_count: null, id: 'one', metadata: {}, outputs: [], source: ['1'] },
    ];
    await writeFile(path, JSON.stringify({ cells, metadata: {}, nbformat: 4, nbformat_minor: 5 }, null, 1));
    const { messages } = await stage.run(
      [
        reply(toolUse('Read', { file_path: path }, 'toolu_1')),
        reply(toolUse('NotebookEdit', { notebook_path: path, cell_id: 'one', new_source: '2' }, 'toolu_2')),
        reply('Done.'),
      ],
      { permissionMode: 'acceptEdits' },
    );
    expect(JSON.parse(await readFile(path, 'utf8')).cells[0].source).toEqual(['2']);
    expect(messages).toContainEqual(
      expect.objectContaining({
        tool_use_result: expect.objectContaining({
          old_source: '1',
          new_source: '2',
          cell_id: 'one',
          language: 'python',
        }),
      }),
    );
  });

  it('ToolSearch loads a deferred tool of the host’s own server', async () => {
    const { tool, createSdkMcpServer } = stage.door;
    const answer = async () => ({ content: [{ type: 'text' as const, text: 'seven' }] });
    const { result } = await stage.run(
      [
        reply(toolUse('ToolSearch', { query: 'select:mcp__host__seven' }, 'toolu_1')),
        reply(toolUse('mcp__host__seven', {}, 'toolu_2')),
        reply('Seven.'),
      ],
      {
        env: { ...stage.env, ENABLE_TOOL_SEARCH: 'true' },
        mcpServers: {
          host: createSdkMcpServer({ name: 'host', tools: [tool('seven', 'Says seven.', {}, answer)] }),
        },
        allowedTools: ['mcp__host__seven'],
      },
    );
    expect(result).toMatchObject({ subtype: 'success', result: 'Seven.' });
    const [before, after] = stage.asked().map(toolNames);
    expect(before).toContain('ToolSearch');
    expect(before).not.toContain('mcp__host__seven');
    expect(after).toContain('mcp__host__seven');
    expect(JSON.stringify(stage.asked()[0]?.['messages'])).toContain('mcp__host__seven');
  });

  it('toolAliases send a call elsewhere, one hop', async () => {
    await writeFile(join(stage.cwd, 'a.txt'), 'words');
    const { messages } = await stage.run(
      [
        reply(toolUse('View', { file_path: 'a.txt' }, 'toolu_1')),
        reply(toolUse('Look', {}, 'toolu_2')),
        reply('Done.'),
      ],
      { toolAliases: { View: 'Read', Look: 'View' } },
    );
    const [first, second] = toolResults(messages);
    expect(first?.text).toContain('words');
    expect(second).toMatchObject({ is_error: true });
  });

  it('readFile keeps to the rules of Read; seedReadState lets a Write go through', async () => {
    const path = join(stage.cwd, 'a.txt');
    await writeFile(path, 'words');
    const { mtimeMs } = await stat(path);
    stage.play(reply(toolUse('Write', { file_path: path, content: 'new' })), reply('Written.'));
    const input = prompts();
    const running = stage.start(input, { permissionMode: 'acceptEdits' });
    const gathered = gather(running, (message) => {
      if (message.type === 'result') input.end();
    });
    expect(await running.readFile('a.txt')).toMatchObject({
      contents: 'words',
      absPath: path,
      requested_path: 'a.txt',
      lossy: false,
    });
    expect(await running.readFile('a.txt', { maxBytes: 2, encoding: 'base64' })).toMatchObject({
      contents: Buffer.from('wo').toString('base64'),
      truncated: true,
      encoding: 'base64',
    });
    expect(await running.readFile('/etc/hostname')).toBeNull();
    await running.seedReadState(path, Math.floor(mtimeMs));
    input.push(prompt('Go.'));
    const { result } = await gathered;
    expect(result).toMatchObject({ result: 'Written.' });
    expect(await readFile(path, 'utf8')).toBe('new');
  });

  it('bypassPermissions does not show the host files outside the working directories', async () => {
    await writeFile(join(stage.cwd, 'a.txt'), 'words');
    const input = prompts();
    const running = stage.start(input, {
      permissionMode: 'bypassPermissions',
      allowDangerouslySkipPermissions: true,
    });
    const gathered = gather(running);
    expect(await running.readFile('a.txt')).toMatchObject({ contents: 'words' });
    expect(await running.readFile('/etc/hostname')).toBeNull();
    input.end();
    await gathered;
  });
});

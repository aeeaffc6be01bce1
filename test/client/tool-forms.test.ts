import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { reply, toolUse } from '@turnwright/testing/rehearsal';
import { expect, it } from 'vitest';
import { type Message, type Stage, throughBothDoors } from './doors.ts';

const FREE = { permissionMode: 'bypassPermissions', allowDangerouslySkipPermissions: true };
const bash = (command: string) => toolUse('Bash', { command });

/** The structured results, in the order in which they were shown. */
const forms = (messages: readonly Message[]) =>
  messages.flatMap((message) =>
    message.type === 'user' && message.tool_use_result !== undefined ? [message.tool_use_result] : [],
  );

interface ResultBlock {
  readonly type: 'tool_result';
  readonly content: unknown;
  readonly is_error?: boolean;
}

const blocksOf = (message: unknown): readonly ResultBlock[] => {
  const { content } = (message as { message?: { content?: unknown }; content?: unknown }).message ?? {};
  return Array.isArray(content) ? content.filter(({ type }) => type === 'tool_result') : [];
};

const results = (messages: readonly Message[]) => messages.flatMap(blocksOf);

/** Those that the model was sent with the last request. */
const sent = (stage: Stage): readonly ResultBlock[] => {
  const { messages } = stage.asked().at(-1) as { messages: readonly { content: unknown }[] };
  return messages.flatMap((message) => blocksOf({ message }));
};

throughBothDoors('forms of tool results', (stage) => {
  it('a result of Bash says whether it is an error, others only when they are one', async () => {
    await writeFile(join(stage.cwd, 'a.txt'), 'x');
    const { messages } = await stage.run(
      [
        reply(bash('echo hi')),
        reply(toolUse('Read', { file_path: 'a.txt' })),
        reply(bash('false')),
        reply('Done.'),
      ],
      FREE,
    );
    for (const blocks of [results(messages), sent(stage)])
      expect(blocks.map((block) => ('is_error' in block ? block.is_error : 'not said'))).toEqual([
        false,
        'not said',
        true,
      ]);
  });

  it('output ends without white space, in the structured result and for hooks', async () => {
    const heard: unknown[] = [];
    const PostToolUse = [
      {
        hooks: [
          async (input: { tool_response?: unknown }) => {
            heard.push(input.tool_response);
            return {};
          },
        ],
      },
    ];
    const { messages } = await stage.run([reply(bash('echo " a "; echo; echo')), reply('Done.')], {
      ...FREE,
      hooks: { PostToolUse },
    });
    const form = {
      stdout: ' a',
      stderr: '',
      interrupted: false,
      isImage: false,
      noOutputExpected: false,
    };
    expect(forms(messages)).toEqual([form]);
    expect(heard).toEqual([form]);
  });

  it('what failed is a sentence', async () => {
    const { messages } = await stage.run(
      [reply(bash('echo out; exit 3')), reply(toolUse('Read', { file_path: 'absent' })), reply('Done.')],
      FREE,
    );
    expect(forms(messages)).toEqual([
      'Error: Exit code 3\nout',
      expect.stringMatching(/^Error: .*does not exist/),
    ]);
  });

  it('no match is no failure', async () => {
    const { messages } = await stage.run([reply(bash('grep zzz /dev/null')), reply('Done.')], FREE);
    expect(results(messages)).toMatchObject([
      { content: '(Bash completed with no output)', is_error: false },
    ]);
    expect(forms(messages)).toMatchObject([{ returnCodeInterpretation: 'No matches found' }]);
  });

  it('the folder lasts from call to call, for all tools and hooks, and is left outside the project', async () => {
    await mkdir(join(stage.cwd, 'sub'));
    await writeFile(join(stage.cwd, 'sub', 'a.txt'), 'below');
    const folders: string[] = [];
    const PreToolUse = [
      {
        hooks: [
          async (input: { cwd: string }) => {
            folders.push(input.cwd);
            return {};
          },
        ],
      },
    ];
    const { messages } = await stage.run(
      [
        reply(bash('cd sub')),
        reply(toolUse('Read', { file_path: 'a.txt' })),
        reply(bash('pwd')),
        reply(bash('cd /tmp')),
        reply(bash('pwd')),
        reply('Done.'),
      ],
      { ...FREE, hooks: { PreToolUse } },
    );
    const sub = join(stage.cwd, 'sub');
    expect(results(messages).map(({ content }) => content)).toEqual([
      '(Bash completed with no output)',
      '1\tbelow',
      sub,
      `Shell cwd was reset to ${stage.cwd}`,
      stage.cwd,
    ]);
    expect(folders).toEqual([stage.cwd, sub, sub, sub, stage.cwd]);
  });

  it('rules count from the project, wherever the shell is', async () => {
    await mkdir(join(stage.cwd, 'sub'));
    await writeFile(join(stage.cwd, 'secret.txt'), 'no');
    const { messages } = await stage.run(
      [
        reply(bash('cd sub')),
        reply(toolUse('Read', { file_path: '../secret.txt' })),
        reply(toolUse('Write', { file_path: '../new.txt', content: 'x' })),
        reply('Done.'),
      ],
      { permissionMode: 'acceptEdits', allowedTools: ['Bash(cd:*)'], disallowedTools: ['Read(/secret.txt)'] },
    );
    expect(results(messages).map(({ is_error }) => is_error === true)).toEqual([false, true, false]);
  });

  it("a hook's output in the tool's own form is shown as the tool would show it", async () => {
    const updatedToolOutput = { stdout: 'REPLACED\n', stderr: '', interrupted: false };
    const PostToolUse = [
      { hooks: [async () => ({ hookSpecificOutput: { hookEventName: 'PostToolUse', updatedToolOutput } })] },
    ];
    const { messages } = await stage.run([reply(bash('echo hi')), reply('Done.')], {
      ...FREE,
      hooks: { PostToolUse },
    });
    expect(results(messages)).toMatchObject([{ content: 'REPLACED', is_error: false }]);
    expect(forms(messages)).toEqual([updatedToolOutput]);
  });

  it('files: what was written and what was there before', async () => {
    const file_path = join(stage.cwd, 'a.txt');
    const { messages } = await stage.run(
      [
        reply(toolUse('Write', { file_path, content: 'one\n' })),
        reply(toolUse('Edit', { file_path, old_string: 'one', new_string: 'two' })),
        reply('Done.'),
      ],
      FREE,
    );
    const written = { type: 'create', filePath: file_path, content: 'one\n', structuredPatch: [] };
    expect(forms(messages)).toEqual([
      { ...written, originalFile: null, userModified: false },
      {
        filePath: file_path,
        oldString: 'one',
        newString: 'two',
        originalFile: 'one\n',
        replaceAll: false,
        structuredPatch: [expect.objectContaining({ lines: ['-one', '+two'] })],
        userModified: false,
      },
    ]);
  });

  it('a PDF is a document', async () => {
    await writeFile(join(stage.cwd, 'a.pdf'), '%PDF-1.4\n%%EOF\n');
    await stage.run([reply(toolUse('Read', { file_path: 'a.pdf' })), reply('Done.')], FREE);
    expect(sent(stage)).toMatchObject([
      { content: [{ type: 'text' }, { type: 'document', source: { media_type: 'application/pdf' } }] },
    ]);
  });

  it('numbers and booleans may come as text', async () => {
    await writeFile(join(stage.cwd, 'a.txt'), 'one\ntwo\n');
    const { messages } = await stage.run(
      [
        reply(toolUse('Bash', { command: 'echo hi', timeout: '5000' })),
        reply(toolUse('Read', { file_path: 'a.txt', offset: '2', limit: '1' })),
        reply(toolUse('Edit', { file_path: 'a.txt', old_string: 'o', new_string: '0', replace_all: 'true' })),
        reply('Done.'),
      ],
      FREE,
    );
    expect(results(messages).map(({ content }) => content)).toEqual([
      'hi',
      '2\ttwo',
      expect.stringContaining('2 occurrences'),
    ]);
  });

  it('who decided on a call is said beside its result', async () => {
    const said = ({ messages }: { messages: readonly Message[] }) =>
      messages.flatMap((message) =>
        message.type === 'user' && message.tool_use_result !== undefined
          ? (message.tool_result_meta ?? [undefined]).map((each) => each && { ...each, id: undefined })
          : [],
      );
    const ruled = await stage.run(
      [reply(bash('echo ruled')), reply(bash('touch denied')), reply(toolUse('Nobody', {})), reply('Done.')],
      { allowedTools: ['Bash(echo:*)'], disallowedTools: ['Bash(touch:*)'] },
    );
    const rejected = { decision: 'reject', source: 'config', reason_type: 'rule' };
    expect(said(ruled)).toEqual([
      { permission_decision: { decision: 'accept', source: 'config', reason_type: 'rule' } },
      { non_execution_kind: 'permission-rule', permission_decision: rejected },
      undefined,
    ]);
    const asked = await stage.run([reply([bash('touch yes'), bash('touch no')])], {
      canUseTool: async (_name: string, input: { command: string }) =>
        input.command === 'touch yes'
          ? { behavior: 'allow', updatedInput: input }
          : { behavior: 'deny', message: 'No.', interrupt: true },
    });
    expect(said(asked)).toEqual([
      { permission_decision: { decision: 'accept', source: 'user_temporary' } },
      { non_execution_kind: 'user-rejected' },
    ]);
    expect(forms(asked.messages).at(-1)).toBe('User rejected tool use');
    const denied = { non_execution_kind: 'permission-rule' };
    const broken = await stage.run([reply(bash('touch no')), reply('Done.')], {
      canUseTool: async () => {
        throw new Error('The window was closed.');
      },
    });
    const failed = { decision: 'reject', source: 'config', reason_type: 'other' };
    expect(said(broken)).toEqual([{ ...denied, permission_decision: failed }]);
    const alone = await stage.run([reply(bash('touch no')), reply('Done.')]);
    expect(said(alone)).toEqual([
      { non_execution_kind: 'user-rejected', permission_decision: { decision: 'reject', source: 'config' } },
    ]);
    const answers = (hookEventName: string, yes: object, no: object) => [
      {
        hooks: [
          async ({ tool_input }: { tool_input: { command: string } }) => ({
            hookSpecificOutput: { hookEventName, ...(tool_input.command === 'touch no' ? no : yes) },
          }),
        ],
      },
    ];
    const decide = (behavior: string) => ({ decision: { behavior, message: 'No.' } });
    const hooks = {
      PreToolUse: answers(
        'PreToolUse',
        { permissionDecision: 'allow' },
        { permissionDecision: 'deny', permissionDecisionReason: 'No.' },
      ),
      PermissionRequest: answers('PermissionRequest', decide('allow'), decide('deny')),
    };
    const byHook = { source: 'hook', reason_type: 'hook' };
    for (const [event, list] of Object.entries(hooks)) {
      const hooked = await stage.run([reply(bash('touch yes')), reply(bash('touch no')), reply('Done.')], {
        hooks: { [event]: list },
      });
      expect(said(hooked)).toEqual([
        { permission_decision: { decision: 'accept', ...byHook } },
        { non_execution_kind: 'permission-rule', permission_decision: { decision: 'reject', ...byHook } },
      ]);
    }
  });

  it('a decision has the name that the host gave its answer, and permissions beside it change nothing', async () => {
    const answers: Record<string, object> = {
      'touch 1': {
        behavior: 'allow',
        updatedPermissions: [{ type: 'setMode', mode: 'acceptEdits', destination: 'session' }],
      },
      'chmod +x 1': { behavior: 'allow', decisionClassification: 'user_permanent' },
      'chmod -x 1': { behavior: 'deny', message: 'No.', decisionClassification: 'user_temporary' },
      'chmod +w 1': { behavior: 'deny', message: 'No.' },
    };
    const { messages } = await stage.run(
      [...Object.keys(answers).map((command) => reply(bash(command))), reply('Done.')],
      { canUseTool: async (_name: string, input: { command: string }) => answers[input.command] ?? {} },
    );
    const results = messages.flatMap((message) =>
      message.type === 'user' ? (message.tool_result_meta ?? []) : [],
    );
    expect(results.map((each) => each.permission_decision)).toEqual([
      { decision: 'accept', source: 'user_temporary' },
      { decision: 'accept', source: 'user_permanent' },
      { decision: 'reject', source: 'user_temporary' },
      { decision: 'reject', source: 'user_reject' },
    ]);
    const told = messages.findIndex((message) => 'permissionMode' in message && message.subtype === 'status');
    expect(told).toBe(messages.findIndex(({ type }) => type === 'user') - 1);
  });

  it('a large result of a server is in a file of JSON, which the preview names', async () => {
    const { createSdkMcpServer, tool } = stage.door;
    const long = 'x'.repeat(40_000);
    const tell = tool('tell', 'Tells.', {}, async () => ({ content: [{ type: 'text', text: long }] }));
    await stage.run([reply(toolUse('mcp__t__tell', {})), reply('Done.')], {
      ...FREE,
      mcpServers: { t: createSdkMcpServer({ name: 't', tools: [tell] }) },
    });
    const [block] = sent(stage);
    const [, path = ''] =
      /^<persisted-output>\n.*stored in: (\S+\.json)\n[\s\S]*<\/persisted-output>$/.exec(
        String(block?.content),
      ) ?? [];
    expect(JSON.parse(await readFile(path, 'utf8'))).toEqual([{ type: 'text', text: long }]);
  });

  it('an answer of a server in structured form is one text for the model', async () => {
    const { createSdkMcpServer, tool } = stage.door;
    const structuredContent = { list: [1] };
    const tell = tool('tell', 'Tells.', {}, async () => ({
      content: [{ type: 'text', text: '[1]' }],
      structuredContent,
    }));
    const { messages } = await stage.run([reply(toolUse('mcp__t__tell', {})), reply('Done.')], {
      ...FREE,
      mcpServers: { t: createSdkMcpServer({ name: 't', tools: [tell] }) },
    });
    expect(sent(stage)).toMatchObject([{ content: '{"list":[1]}' }]);
    expect(forms(messages)).toEqual([{ content: '{"list":[1]}', structuredContent }]);
  });

  it('calls say what people call the tool, and how its server calls itself', async () => {
    const { createSdkMcpServer, tool } = stage.door;
    const said = async () => ({ content: [{ type: 'text' as const, text: 'said' }] });
    const tools = [
      tool('tell_it', 'Tells.', {}, said),
      tool('say-so', 'Says.', {}, said, { annotations: { title: 'Says So' } }),
    ];
    const names = ['mcp__t__tell_it', 'mcp__t__say-so', 'mcp__t__not_there', 'Not_there', 'Nothing', 'Bash'];
    const { messages } = await stage.run(
      [reply(names.map((name) => toolUse(name, { command: 'true' }))), reply('Done.')],
      { ...FREE, mcpServers: { t: createSdkMcpServer({ name: 'teller', tools }) } },
    );
    const meta = messages.flatMap((message) =>
      message.type === 'assistant' ? (message.tool_use_meta ?? []).map(({ id: _, ...others }) => others) : [],
    );
    expect(meta).toEqual([
      { display_name: 'Tell It', server_display_name: 'teller', tool_name: 'tell_it' },
      { display_name: 'Says So', server_display_name: 'teller', tool_name: 'say-so' },
      { display_name: 'Not There' },
      { display_name: 'Not There' },
    ]);
  });
});

import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { reply, toolUse } from '@turnwright/testing/rehearsal';
import { expect, it } from 'vitest';
import { is, throughBothDoors, toolResults } from './doors.ts';

const SHELL = { allowedTools: ['Bash(echo:*)', 'Bash(exit:*)'] };
const bash = (command: string) => toolUse('Bash', { command });

throughBothDoors('tools', (stage) => {
  it('a built-in tool runs; its structured output is shown', async () => {
    await writeFile(join(stage.cwd, 'note.txt'), 'The word is larch.');
    const { messages, result } = await stage.run([
      reply(toolUse('Read', { file_path: join(stage.cwd, 'note.txt') })),
      reply('Larch.'),
    ]);
    expect(toolResults(messages)[0]?.text).toContain('larch');
    expect(messages.find(is('user'))).toMatchObject({
      tool_use_result: expect.any(Object),
      parent_tool_use_id: null,
    });
    expect(result).toMatchObject({ num_turns: 2, result: 'Larch.' });
  });

  it('several calls of one answer all get their result', async () => {
    const { messages, result } = await stage.run(
      [reply([bash('echo one'), bash('echo two'), bash('echo three')]), reply('Done.')],
      SHELL,
    );
    expect(
      toolResults(messages)
        .map(({ text }) => text)
        .sort(),
    ).toEqual(['"one"', '"three"', '"two"']);
    expect(result).toMatchObject({ num_turns: 4 });
  });

  it('a failing command and an unknown tool are reported to the model', async () => {
    const { messages, result } = await stage.run(
      [reply([bash('exit 3'), toolUse('Frobnicate', {})]), reply('Well.')],
      SHELL,
    );
    const texts = JSON.stringify(toolResults(messages));
    expect(texts).toContain('Exit code 3');
    expect(texts).toContain('No such tool available: Frobnicate');
    expect(result).toMatchObject({ subtype: 'success', is_error: false });
  });

  it('input that does not fit is an InputValidationError', async () => {
    const { messages } = await stage.run([reply(toolUse('Read', { path: 'x' })), reply('Well.')]);
    expect(toolResults(messages)).toMatchObject([
      { text: expect.stringContaining('InputValidationError'), is_error: true },
    ]);
  });

  it('dangerouslyDisableSandbox is taken, not offered, and lifts no permission', async () => {
    const outside = (command: string) => toolUse('Bash', { command, dangerouslyDisableSandbox: true });
    const { messages, result } = await stage.run(
      [reply([outside('echo free'), outside('touch denied')]), reply('Well.')],
      SHELL,
    );
    expect(toolResults(messages).map(({ is_error }) => is_error)).toEqual([undefined, true]);
    expect(result?.permission_denials).toMatchObject([{ tool_input: { command: 'touch denied' } }]);
    expect(JSON.stringify(stage.asked()[0]?.['tools'])).not.toContain('dangerouslyDisableSandbox');
  });

  it('`tools` names what exists, `[]` is none, the preset is all', async () => {
    const toolsOf = async (tools: unknown) => {
      const { messages } = await stage.run([reply('Hi.')], { tools });
      const [init] = messages;
      return init?.type === 'system' && init.subtype === 'init' ? init.tools : [];
    };
    expect(await toolsOf([])).toEqual([]);
    expect(await toolsOf(['Read', 'Bash'])).toEqual(expect.arrayContaining(['Read', 'Bash']));
    expect(await toolsOf(['Read', 'Bash'])).not.toContain('Write');
    expect(await toolsOf({ type: 'preset', preset: 'claude_code' })).toContain('Write');
  });

  it('a disallowed tool vanishes, a disallowed call is denied', async () => {
    const { messages, result } = await stage.run([reply(bash('rm -rf x')), reply('Well.')], {
      disallowedTools: ['Write', 'Bash(rm:*)'],
      allowedTools: ['Bash'],
    });
    const [init] = messages;
    expect(init).toMatchObject({ tools: expect.not.arrayContaining(['Write']) });
    expect(toolResults(messages)).toMatchObject([{ is_error: true }]);
    expect(result?.permission_denials).toMatchObject([{ tool_name: 'Bash' }]);
  });

  it('without a host to ask: the call is denied and reported, and the turn continues', async () => {
    const { messages, result } = await stage.run([reply(bash('touch x')), reply('Well.')]);
    expect(messages.find(is('system', 'permission_denied'))).toMatchObject({ tool_name: 'Bash' });
    expect(result).toMatchObject({ subtype: 'success', permission_denials: [{ tool_name: 'Bash' }] });
  });

  it('acceptEdits writes files without asking; bypassPermissions runs everything', async () => {
    const path = join(stage.cwd, 'a.txt');
    await stage.run([reply(toolUse('Write', { file_path: path, content: 'x' })), reply('Done.')], {
      permissionMode: 'acceptEdits',
    });
    expect(await readFile(path, 'utf8')).toBe('x');
    const { result } = await stage.run([reply(bash('echo y > b.txt')), reply('Done.')], {
      permissionMode: 'bypassPermissions',
      allowDangerouslySkipPermissions: true,
    });
    expect(result?.permission_denials).toEqual([]);
    expect(await readFile(join(stage.cwd, 'b.txt'), 'utf8')).toBe('y\n');
  });

  it('WebFetch reads a page that a rule names, a long one through a small model', async () => {
    const pages = createServer((request, response) =>
      response
        .writeHead(200, { 'content-type': 'text/html' })
        .end(
          request.url === '/long' ? '<p>Larches shed.</p>'.repeat(1_000) : '<p>The word is <b>larch</b>.</p>',
        ),
    );
    await new Promise<void>((resolve) => pages.listen(0, '127.0.0.1', resolve));
    const host = `127.0.0.1:${(pages.address() as AddressInfo).port}`;
    const fetchOf = (path: string) => toolUse('WebFetch', { url: `http://${host}${path}`, prompt: 'Which?' });
    const { messages, result } = await stage.run(
      [
        reply([fetchOf('/'), toolUse('WebFetch', { url: 'http://169.254.169.254/', prompt: 'Which?' })]),
        reply(fetchOf('/long')),
        reply('They shed.', { when: { kind: 'helper' } }),
        reply('Larch.'),
      ],
      { allowedTools: [`WebFetch(domain:${host})`, 'WebFetch'] },
    );
    pages.close();
    expect(toolResults(messages).map(({ text }) => text)).toEqual(
      expect.arrayContaining([
        expect.stringContaining('The word is **larch**.'),
        expect.stringContaining('is link-local'),
        expect.stringContaining('They shed.'),
      ]),
    );
    expect(Object.keys(result?.modelUsage ?? {})).toHaveLength(2);
  });

  it('dontAsk denies what is not allowed and does not ask', async () => {
    let asked = 0;
    const { result } = await stage.run([reply([bash('touch x'), bash('echo hi')]), reply('Well.')], {
      ...SHELL,
      permissionMode: 'dontAsk',
      canUseTool: async () => {
        asked += 1;
        return { behavior: 'allow', updatedInput: {} };
      },
    });
    expect(asked).toBe(0);
    expect(result?.permission_denials).toHaveLength(1);
  });
});

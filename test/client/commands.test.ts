import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { reply, toolUse } from '@turnwright/testing/rehearsal';
import { expect, it } from 'vitest';
import { gather, is, openPrompt, prompt, throughBothDoors } from './doors.ts';

throughBothDoors('commands and memory', (stage) => {
  const write = async (files: Readonly<Record<string, string>>) => {
    for (const [path, text] of Object.entries(files)) {
      await mkdir(dirname(join(stage.cwd, path)), { recursive: true });
      await writeFile(join(stage.cwd, path), text);
    }
  };
  const settingSources = ['project'];

  it('a command file is listed, takes arguments, and allows and switches for its turn', async () => {
    const text =
      '---\ndescription: Touches\nallowed-tools: Bash(touch:*)\nmodel: haiku\n---\nTouch $0, as !`touch said` said.';
    await write({ '.claude/commands/try.md': text });
    stage.play(reply(toolUse('Bash', { command: 'touch made' })), reply('Done.'));
    const input = openPrompt('/try this');
    const running = stage.start(input, { settingSources });
    const commands = running.supportedCommands();
    const { result } = await gather(running, (message) => message.type === 'result' && input.end());
    expect(await commands).toContainEqual(expect.objectContaining({ name: 'try', description: 'Touches' }));
    expect(result).toMatchObject({ subtype: 'success', permission_denials: [] });
    expect(stage.asked()[0]).toMatchObject({ model: 'claude-haiku-5-5' });
    expect(JSON.stringify(stage.asked()[0])).toContain('Touch this, as ');
  });

  it('a prompt that calls a command meets the hooks of prompts as it was typed, then those of commands', async () => {
    await write({ '.claude/commands/try.md': 'Do it: $0.' });
    const seen: unknown[] = [];
    const note = async ({ hook_event_name, prompt }: Readonly<Record<string, unknown>>) => {
      seen.push([hook_event_name, prompt]);
      return {};
    };
    const hooks = { UserPromptSubmit: [{ hooks: [note] }], UserPromptExpansion: [{ hooks: [note] }] };
    await stage.run([reply('Done.')], { settingSources, hooks }, '/try this');
    expect(seen).toEqual([
      ['UserPromptSubmit', '/try this'],
      ['UserPromptExpansion', '/try this'],
    ]);
    const { messages } = stage.asked()[0] as {
      readonly messages: readonly { readonly content: readonly { readonly text: string }[] }[];
    };
    const texts = messages[0]?.content.map(({ text }) => text) ?? [];
    expect(texts.slice(-2)).toEqual([
      '<command-message>try</command-message>\n<command-name>/try</command-name>\n<command-args>this</command-args>\n',
      'Do it: this.',
    ]);
  });

  it('a hook that keeps a prompt back keeps back one that calls a command', async () => {
    await write({ '.claude/commands/try.md': 'Do it.' });
    const block = async () => ({ decision: 'block', reason: 'Not on Sundays.' });
    const { messages } = await stage.run(
      [],
      { settingSources, hooks: { UserPromptSubmit: [{ hooks: [block] }] } },
      '/try',
    );
    expect(JSON.stringify(messages)).toContain('Not on Sundays.');
    expect(stage.asked()).toEqual([]);
  });

  it('a prompt that begins with a slash and names no command goes to the model', async () => {
    const { result } = await stage.run([reply('A path.')], {}, '/nonexistent thing');
    expect(result).toMatchObject({ result: 'A path.' });
    expect(JSON.stringify(stage.asked()[0])).toContain('/nonexistent thing');
  });

  it('/clear resets the conversation: the old id on the message, the new one on the result', async () => {
    stage.play(reply('One.'), reply('Two.'));
    const input = openPrompt('First.');
    let count = 0;
    const { messages, results } = await gather(stage.start(input), (message) => {
      if (message.type !== 'result') return;
      count += 1;
      if (count === 1) input.push(prompt('/clear'));
      else if (count === 2) input.push(prompt('Second.'));
      else input.end();
    });
    const reset = messages.find(is('conversation_reset'));
    const [first, cleared, second] = results.map(({ session_id }) => session_id);
    expect(reset).toMatchObject({ session_id: first, new_conversation_id: cleared, trigger: 'clear' });
    expect([second, cleared === first]).toEqual([cleared, false]);
    expect(JSON.stringify(stage.asked()[1])).not.toContain('First.');
  });

  it('memory comes with its imports, and that of a folder once a file in it is touched', async () => {
    await write({
      'CLAUDE.md': 'Of the root. @more.md',
      'more.md': 'More of it.',
      'app/CLAUDE.md': 'Of app.',
      'app/a.ts': 'export {};',
    });
    await stage.run([reply(toolUse('Read', { file_path: 'app/a.ts' })), reply('Done.')], { settingSources });
    const [before, after] = stage.asked().map((body) => JSON.stringify(body));
    expect(before).toContain('More of it.');
    expect(before).not.toContain('Of app.');
    expect(after).toContain('Of app.');
  });
});

/** What the model is told of where it is, whatever system prompt there is. */
import { execFileSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { release, type } from 'node:os';
import { join } from 'node:path';
import { reply, toolUse } from '@turnwright/testing/rehearsal';
import { expect, it } from 'vitest';
import { throughBothDoors, toolResults } from './doors.ts';

interface Body {
  readonly system?: readonly { readonly text: string }[];
  readonly messages: readonly { readonly content: readonly { readonly text?: string }[] }[];
}

throughBothDoors('where the model is', (stage) => {
  const bodies = () => stage.asked() as unknown as readonly Body[];
  const firstMessage = (body: Body | undefined) => body?.messages[0]?.content.map(({ text }) => text) ?? [];
  const system = (body: Body | undefined) => (body?.system ?? []).map(({ text }) => text);

  it.each([
    ['none', undefined],
    ['an empty one', ''],
    ['one of the host', 'You are a parrot.'],
    ["Turnwright's own", { type: 'preset', preset: 'claude_code' }],
  ])('is sent before the first message, with this system prompt: %s', async (_, systemPrompt) => {
    await stage.run([reply('ok')], { systemPrompt, model: 'claude-sonnet-5' });
    const [told, prompt] = firstMessage(bodies()[0]);
    expect(prompt).toBe('Go.');
    for (const fact of [
      `Working directory: ${stage.cwd}`,
      'In a git repository: no',
      `Platform: ${process.platform}`,
      `Operating system: ${type()} ${release()}`,
      'Shell of your commands: bash',
      'You are Claude Sonnet 5; your id is claude-sonnet-5.',
      'Your knowledge reaches to January 2026.',
      `Today is ${new Date().toISOString().slice(0, 10)}.`,
    ])
      expect(told).toContain(fact);
  });

  it('sends no system prompt where there is none', async () => {
    await stage.run([reply('ok')]);
    expect(bodies()[0]).not.toHaveProperty('system');
  });

  it('is sent with the same bytes for the whole session', async () => {
    await stage.run([reply(toolUse('Bash', { command: 'sleep 0.1' })), reply('one')], {
      permissionMode: 'bypassPermissions',
      allowDangerouslySkipPermissions: true,
    });
    await stage.run([reply('two')], { continue: true });
    const told = bodies().map((body) => firstMessage(body)[0]);
    expect(told).toHaveLength(3);
    expect(new Set(told).size).toBe(1);
  });

  it('knows a repository, whose state is appended to a system prompt of any origin', async () => {
    execFileSync('git', ['init', '--quiet', '--initial-branch', 'larches'], { cwd: stage.cwd });
    await writeFile(join(stage.cwd, 'new.txt'), '');
    await mkdir(join(stage.cwd, 'deep'));
    await stage.run([reply('ok')], { systemPrompt: 'You are a parrot.', cwd: join(stage.cwd, 'deep') });
    expect(firstMessage(bodies()[0])[0]).toContain('In a git repository: yes');
    expect(system(bodies()[0])[0]).toBe('You are a parrot.');
  });

  it('names the folders that were added', async () => {
    const more = join(stage.cwd, '..', 'more');
    await mkdir(more);
    await stage.run([reply('ok')], { additionalDirectories: [more] });
    expect(firstMessage(bodies()[0])[0]).toContain(`Also yours to use: ${more}`);
  });

  it('tells an agent of the same place, and of its own model', async () => {
    const agents = { scout: { description: 'Looks.', prompt: 'You look.', model: 'haiku' } };
    const call = toolUse('Agent', { description: 'look', prompt: 'Look.', subagent_type: 'scout' });
    await stage.run([reply(call), reply('Nothing.'), reply('Done.')], { agents, model: 'opus' });
    const [told, prompt] = firstMessage(bodies()[1]);
    expect(prompt).toBe('Look.');
    expect(told).toContain('your id is claude-haiku-5-5');
    expect(told).toContain('In a git repository: no');
  });

  it('explains the folder of notes that CLAUDE_COWORK_MEMORY_PATH_OVERRIDE names, and opens it', async () => {
    const notes = join(stage.home, 'notes');
    await mkdir(notes);
    await writeFile(join(notes, 'MEMORY.md'), 'The build wants Node 22.');
    const env = { ...stage.env, CLAUDE_COWORK_MEMORY_PATH_OVERRIDE: notes };
    const file_path = join(notes, 'tests.md');
    const { messages } = await stage.run(
      [reply(toolUse('Write', { file_path, content: 'Slow.' })), reply('ok')],
      { env, systemPrompt: { type: 'preset', preset: 'claude_code', append: 'Be kind.' } },
    );
    const texts = system(bodies()[0]);
    expect(texts[1]).toContain(`The folder ${notes} is yours`);
    expect(texts[1]).toContain('The build wants Node 22.');
    expect(texts[2]).toBe('Be kind.');
    expect(toolResults(messages)[0]).not.toHaveProperty('is_error');
  });

  it('says nothing of notes otherwise', async () => {
    await stage.run([reply('ok')], { systemPrompt: { type: 'preset', preset: 'claude_code' } });
    expect(JSON.stringify(bodies()[0])).not.toContain('MEMORY.md');
  });
});

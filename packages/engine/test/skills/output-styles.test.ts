import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { reply } from '@turnwright/testing/rehearsal';
import { describe, expect, it } from 'vitest';
import { query } from '../../src/index.ts';
import { type SkillStage, skillStage } from './skill-folders.ts';

const OWN = { type: 'preset', preset: 'turnwright' } as const;
const system = (stage: SkillStage) =>
  JSON.stringify((stage.server.requests.at(-1)?.body as { readonly system?: unknown } | undefined)?.system);

describe('output styles', () => {
  it('of project, user and plugins take the place of how to answer', async () => {
    const stage = await skillStage();
    await stage.write('work/.claude/output-styles/pirate.md', '---\nname: Pirate\n---\nSay arr.');
    await stage.write('home/output-styles/haiku.md', 'Answer in seventeen syllables.');
    await stage.write('tools/output-styles/terse.md', 'One word.');
    const options = { systemPrompt: OWN, plugins: [{ type: 'local' as const, path: '../tools' }] };
    const messages = await stage.run([reply('Arr.')], { ...options, settings: { outputStyle: 'Pirate' } });
    expect(messages[0]).toMatchObject({ output_style: 'Pirate' });
    expect(system(stage)).toContain('# How to answer: Pirate\\nSay arr.');
    expect(system(stage)).not.toContain('Be brief and direct.');
    await stage.run([reply('Well.')], { ...options, settings: { outputStyle: 'tools:terse' } });
    expect(system(stage)).toContain('One word.');

    const running = query({ prompt: 'Go.', options: stage.options(options) });
    expect(await running.initializationResult()).toMatchObject({
      output_style: 'default',
      available_output_styles: [
        'default',
        'Proactive',
        'Concise',
        'Explanatory',
        'Learning',
        'Pirate',
        'haiku',
        'tools:terse',
      ],
    });
    await stage.write('home/output-styles/late.md', 'Late.');
    const { available_output_styles } = await running.reloadOutputStyles();
    expect(available_output_styles).toContain('late');
    await running.close();
  });

  it.each(['Proactive', 'Concise', 'Explanatory', 'Learning'])('%s is built in', async (name) => {
    const stage = await skillStage();
    const lines: string[] = [];
    const options = { settings: { outputStyle: name }, stderr: (line: string) => lines.push(line) };
    const [init] = await stage.run([reply('Hm.')], { ...options, systemPrompt: OWN });
    expect(init).toMatchObject({ output_style: name });
    expect(system(stage)).toContain(`# How to answer: ${name}\\n`);
    expect(system(stage)).not.toContain('Be brief and direct.');
    await stage.run([reply('Hm.')], { ...options, systemPrompt: 'You are a parrot.' });
    expect(system(stage)).not.toContain('How to answer');
    expect(JSON.stringify(stage.server.requests.at(-1)?.body)).toContain(`# How to answer: ${name}\\n`);
    expect(lines).toEqual([]);
  });

  it('of a file beats a built-in one of its name, and the name is reported as written', async () => {
    const stage = await skillStage();
    await stage.write('home/output-styles/Concise.md', 'One word.');
    await stage.run([reply('Hm.')], { systemPrompt: OWN, settings: { outputStyle: 'Concise' } });
    expect(system(stage)).toContain('# How to answer: Concise\\nOne word.');
    const [init] = await stage.run([reply('Hm.')], {
      systemPrompt: OWN,
      settings: { outputStyle: 'concise' },
    });
    expect(init).toMatchObject({ output_style: 'concise' });
    expect(system(stage)).toContain('Be brief and direct.');
  });

  it('that are not there, empty or out of the project leave the default', async () => {
    const stage = await skillStage();
    const lines: string[] = [];
    const far = await stage.write('elsewhere/far.md', 'Far.');
    await stage.write('work/.claude/output-styles/empty.md', '---\nname: empty\n---\n');
    await symlink(far, join(stage.cwd, '.claude/output-styles/far.md'));
    const messages = await stage.run([reply('Hi.')], {
      systemPrompt: OWN,
      settings: { outputStyle: 'far' },
      stderr: (line) => lines.push(line),
    });
    expect(messages[0]).toMatchObject({ output_style: 'far' });
    expect(system(stage)).toContain('Be brief and direct.');
    for (const words of [
      'empty.md was passed over',
      'far.md was passed over',
      'There is no output style "far", so the default one holds. There are: default, ',
    ])
      expect(lines.join('\n')).toContain(words);
    expect(lines).toHaveLength(3);
  });
});

import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { query } from '../../src/index.ts';
import { reply } from '../../src/rehearsal/index.ts';
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
      available_output_styles: ['default', 'Pirate', 'haiku', 'tools:terse'],
    });
    await stage.write('home/output-styles/late.md', 'Late.');
    const { available_output_styles } = await running.reloadOutputStyles();
    expect(available_output_styles).toContain('late');
    await running.close();
  });

  it('that are not there, empty or out of the project leave the default, with a warning', async () => {
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
    expect(messages[0]).toMatchObject({ output_style: 'default' });
    expect(system(stage)).toContain('Be brief and direct.');
    for (const words of [
      'empty.md was passed over',
      'far.md was passed over',
      'There is no output style "far"',
    ])
      expect(lines.join('\n')).toContain(words);
  });
});

/** Rules: where their files may be, how they name the files that they apply to, and by which name these are touched. */
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { reply, toolUse } from '@turnwright/testing/rehearsal';
import { describe, expect, test } from 'vitest';
import { projectUnderTest } from './project-under-test.ts';

const read = (file_path: string) => reply(toolUse('Read', { file_path }));

describe('rules', () => {
  const PLACES = [
    '.claude/rules/a.md',
    '.claude/rules/languages/a.md',
    '.claude/rules/one/two/three/a.md',
    '.turnwright/rules/team/a.md',
    'HOME/rules/languages/a.md',
  ];
  test.each(PLACES)('%s applies from the start, and with paths from the first file on', async (place) => {
    const project = await projectUnderTest({ 'cmd/main.go': 'package main' });
    const write = (path: string, text: string) => {
      const file = path.startsWith('HOME/') ? join(project.home, path.slice(5)) : project.at(path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text);
    };
    write(place, 'Always said.');
    write(place.replace('a.md', 'b.md'), '---\npaths:\n  - "**/*.go"\n  - "**/go.mod"\n---\nSaid for Go.');
    const { sent } = await project.run({ replies: [read('cmd/main.go'), reply('Done.')], prompt: 'Go.' });
    expect(sent[0]).toContain('Always said.');
    expect(sent[0]).not.toContain('Said for Go.');
    expect(sent[1]).toContain('Said for Go.');
  });

  const FORMS: readonly (readonly [paths: string, touched: string])[] = [
    ['paths: "cmd/*.{ts,go}"', 'cmd/main.go'],
    ['paths: cmd/*.{ts,go}', 'cmd/main.go'],
    ['paths: "lib/*.{a,b}, cmd/*.{ts,go}, x"', 'cmd/main.go'],
    ['paths: ["lib/*.{a,b}", "cmd/*.{ts,go}"]', 'cmd/main.go'],
    ['paths:\n  - "cmd/*.{ts,go}"', 'cmd/main.go'],
    ['paths: lib/*.js, **/*.go', 'cmd/main.go'],
  ];
  test.each(FORMS)('%s', async (paths, touched) => {
    const project = await projectUnderTest({
      'cmd/main.go': 'package main',
      'other.md': 'x',
      '.claude/rules/a.md': `---\n${paths}\n---\nSaid for it.`,
    });
    const { sent } = await project.run({
      replies: [read('other.md'), read(touched), reply('Done.')],
      prompt: 'Go.',
    });
    expect(sent[1]).not.toContain('Said for it.');
    expect(sent[2]).toContain('Said for it.');
  });

  test('a link leads to the file: the rule is there by either name', async () => {
    const project = await projectUnderTest({
      'real/a.txt': 'x',
      '.claude/rules/real.md': '---\npaths: real/**\n---\nSaid for the real one.',
      '.claude/rules/alias.md': '---\npaths: alias/**\n---\nSaid for the alias.',
    });
    symlinkSync('real', project.at('alias'));
    const { sent } = await project.run({ replies: [read('alias/a.txt'), reply('Done.')], prompt: 'Go.' });
    expect(sent[1]).toContain('Said for the real one.');
    expect(sent[1]).toContain('Said for the alias.');
  });

  test('linked folders: those of the user are read, those of a project within it; what leads out is named', async () => {
    const project = await projectUnderTest({ 'shared/in.md': 'Within the project.' });
    const outside = join(project.folder, 'outside');
    mkdirSync(outside);
    writeFileSync(join(outside, 'team.md'), 'Of the team.');
    mkdirSync(join(project.home, 'rules'), { recursive: true });
    mkdirSync(project.at('.claude/rules'), { recursive: true });
    symlinkSync(outside, join(project.home, 'rules', 'linked'));
    symlinkSync(project.at('shared'), project.at('.claude/rules/shared'));
    symlinkSync(outside, project.at('.claude/rules/outside'));
    const said: string[] = [];
    const stderr = (line: string) => said.push(line);
    const both = await project.run({ prompt: 'Go.', options: { stderr } });
    expect(both.sent[0]).toContain('Within the project.');
    expect(both.sent[0]).toContain('Of the team.');
    const alone = await project.run({ prompt: 'Go.', options: { stderr, settingSources: ['project'] } });
    expect(alone.sent[0]).not.toContain('Of the team.');
    expect(said.join('')).toMatch(/rules\/outside\/team\.md was not read as memory: it lies outside/);
  });
});

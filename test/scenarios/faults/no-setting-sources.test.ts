import { dirname, join } from 'node:path';
import { reply } from '@turnwright/testing/rehearsal';
import { describe, expect, it } from 'vitest';
import { watchedFiles } from '../../faulty-files.ts';
import { rehearse, successOf } from '../rehearse.ts';
import { tempFolder } from '../temp-folder.ts';

const TRAP = 'this is no JSON';

/** The folder and those that hold it, the root last. */
function withParents(folder: string): readonly string[] {
  const parent = dirname(folder);
  return parent === folder ? [folder] : [folder, ...withParents(parent)];
}

describe('F127 settingSources: []', () => {
  it('F127 no file of the user’s or the project’s is read', async () => {
    const home = tempFolder({ 'settings.json': TRAP, 'CLAUDE.md': 'home rules' });
    const cwd = tempFolder({
      '.claude/settings.json': TRAP,
      '.claude/settings.local.json': TRAP,
      '.turnwright/settings.json': TRAP,
      'CLAUDE.md': 'project rules',
      'AGENTS.md': 'agent rules',
      '.mcp.json': TRAP,
    });
    const touched: string[] = [];
    const files = watchedFiles((operation, path) => touched.push(`${operation} ${path}`));
    const run = await rehearse({
      place: { cwd, home },
      replies: [reply('Hi.')],
      options: {
        settingSources: [],
        systemPrompt: { type: 'preset', preset: 'turnwright' },
        engine: { files },
      },
    });
    expect(successOf(run)).toMatchObject({ is_error: false, result: 'Hi.' });
    // Only the session's own folder is used, and it is looked whether the working directory is in a repository.
    const outside = touched.filter((line) => !line.includes(`${home}/projects/`));
    expect(outside).toEqual(withParents(cwd).map((folder) => `exists ${join(folder, '.git')}`));
    expect(JSON.stringify(run.sent)).not.toMatch(/(home|project|agent) rules/);
  });
});

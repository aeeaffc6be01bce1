/** Where servers come from, what a folder that is not trusted may start, and what is left of them on resume. */
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type LanguageServersOption, listLanguageServers, type Options } from '@turnwright/engine';
import { callTool, say } from '@turnwright/testing';
import { expect, it } from 'vitest';
import { makeProject, work } from './edits.ts';

const PROGRAM = fileURLToPath(new URL('bad-server.mjs', import.meta.url));
const serverAt = (log: string) => ({
  command: process.execPath,
  args: [PROGRAM, 'pull', log],
  extensionToLanguage: { '.txt': 'plain' },
});
const edit = (from: string, to: string, id: string) =>
  callTool('Edit', { file_path: 'a.txt', old_string: from, new_string: to }, { id });
const BROKEN = 'a.txt:1:1 error bad: bad: BAD';

it('a plugin brings one, with its folder, and a broken entry costs itself', async () => {
  const cwd = await makeProject({
    'a.txt': 'first\n',
    'tools/.claude-plugin/plugin.json': '{"name":"tools","lspServers":"./more.json"}',
    'tools/.lsp.json': JSON.stringify({
      odd: { ...serverAt('${CLAUDE_PLUGIN_ROOT}/log'), env: { GIVEN: 'by ${CLAUDE_PLUGIN_ROOT}' } },
      broken: { command: 'x' },
    }),
    'tools/more.json': JSON.stringify({
      lspServers: { lost: { command: 'y', extensionToLanguage: { '.y': 'y' } } },
    }),
  });
  const plugins: Options = { plugins: [{ type: 'local', path: `${cwd}/tools` }] };
  const { results, stderr } = await work(
    cwd,
    [
      edit('first', 'BAD', 'one'),
      callTool('LSP', { operation: 'hover', filePath: 'a.txt', line: 1, character: 1 }, { id: 'hover' }),
      say('Done.'),
    ],
    { ...plugins, toolSearch: false },
  );
  expect(results['one']).toContain(BROKEN);
  expect(results['hover']).toBe(`hovered by ${cwd}/tools`);
  expect(existsSync(`${cwd}/tools/log`)).toBe(true);
  expect(stderr.join('\n')).toContain('"plugin:tools:broken" needs "extensionToLanguage"');
  const off = await work(cwd, [edit('BAD', 'BAD again', 'two'), say('.')], {
    ...plugins,
    languageServers: false,
  });
  expect(off.results['two']).not.toContain('problems');
});

it('none is started in a folder that is not trusted, wherever it is named', async () => {
  const cwd = await makeProject({ 'a.txt': 'first\n' });
  const log = `${cwd}/server.log`;
  const languageServers: LanguageServersOption = { servers: { odd: serverAt(log) } };
  const settings = JSON.stringify({ languageServers });
  const files = await makeProject({ '.claude/settings.json': settings, 'a.txt': 'first\n' });
  const untrusted: Options = { projectTrusted: false, trustRecorded: true };
  const script = () => [edit('first', 'BAD', 'one'), say('.')];
  const byOption = await work(cwd, script(), { ...untrusted, languageServers });
  expect(byOption.stderr.join('\n')).toContain('No language server is started');
  const byFile = await work(files, script(), { ...untrusted, settingSources: ['project'] });
  expect(byFile.stderr.join('\n')).toContain('its language servers do not run: this folder is not trusted');
  expect(existsSync(log)).toBe(false);
  const place = { cwd: files, env: {}, settingSources: ['project' as const] };
  expect(await listLanguageServers({ ...place, ...untrusted })).toEqual([]);
  expect(await listLanguageServers({ ...place, projectTrusted: true })).toMatchObject([
    { name: 'odd', state: 'idle' },
  ]);
});

it('a settings file of a trusted project names one, and a resumed session needs it no more', async () => {
  const home = await makeProject({});
  const cwd = await makeProject({ 'a.txt': 'first\n' });
  const log = `${home}/server.log`;
  const kept: Options = {
    persistSession: true,
    env: { PATH: process.env['PATH'], TURNWRIGHT_HOME: home },
    sessionId: '0b8f7a52-5d0e-4d0c-9a39-6f1f2a3b4c5d',
  };
  const first = await work(cwd, [edit('first', 'BAD', 'one'), say('Done.')], {
    ...kept,
    settings: JSON.stringify({ languageServers: { servers: { odd: serverAt(log) }, waitMs: 20_000 } }),
  });
  expect(first.results['one']).toContain(BROKEN);
  const { sessionId: resume, ...others } = kept;
  const again = await work(cwd, [say('I know.')], { ...others, ...(resume !== undefined && { resume }) });
  expect(JSON.stringify(again.requests[0])).toContain(BROKEN);
  expect(readFileSync(log, 'utf8').match(/^start/gm)).toHaveLength(1);
});

it('an agent sees the problems of its own edits', async () => {
  const cwd = await makeProject({ 'a.txt': 'first\n' });
  const { requests } = await work(
    cwd,
    [
      callTool('Agent', { description: 'edit', prompt: 'Edit.', subagent_type: 'editor' }, { id: 'agent' }),
      edit('first', 'BAD', 'one'),
      say('Edited.'),
      say('Done.'),
    ],
    {
      languageServers: { servers: { odd: serverAt(`${cwd}/log`) }, waitMs: 20_000 },
      agents: { editor: { description: 'Edits.', prompt: 'You edit.', tools: ['Edit'] } },
      allowedTools: ['Agent'],
    },
  );
  expect(JSON.stringify(requests[2])).toContain(BROKEN);
});

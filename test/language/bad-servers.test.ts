/** Servers that hang, lie, flood and die: an edit goes on, and is never held up longer than was said. */
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Options } from '@turnwright/engine';
import { callTool, type ScriptStep, say } from '@turnwright/testing';
import { expect, it } from 'vitest';
import { makeProject, work } from './edits.ts';

const PROGRAM = fileURLToPath(new URL('bad-server.mjs', import.meta.url));

const serverThat = (how: string, log: string, more: object = {}) => ({
  command: process.execPath,
  args: [PROGRAM, how, log],
  extensionToLanguage: { txt: 'plain' },
  ...more,
});

const edit = (from: string, to: string, id: string) =>
  callTool('Edit', { file_path: 'a.txt', old_string: from, new_string: to }, { id });

async function workWith(
  how: string,
  script: readonly ScriptStep[],
  options: Options & { waitMs?: number } = {},
) {
  const cwd = await makeProject({
    'a.txt': 'first\nBAD before\nlast\n',
    'b.txt': 'BAD of b\n',
    'secret.txt': 'BAD secret\n',
  });
  const log = `${cwd}/server.log`;
  const { waitMs = 20_000, ...others } = options;
  const begunMs = performance.now();
  const worked = await work(cwd, script, {
    toolSearch: false,
    languageServers: { servers: { odd: serverThat(how, log) }, waitMs },
    ...others,
  });
  const tookMs = performance.now() - begunMs;
  const noted = existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n') : [];
  const pids = noted.filter((line) => line.startsWith('start')).map((line) => Number(line.split(' ')[1]));
  return { ...worked, cwd, tookMs, noted, pids };
}

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

const attached = ({ requests }: Pick<Awaited<ReturnType<typeof work>>, 'requests'>) =>
  JSON.stringify(requests.at(-1)).includes('Language servers have found new problems');

it.each(['well', 'pull'])(
  'a server that is %s: errors before warnings, nothing of before, nothing twice',
  async (how) => {
    const { results, pids, noted } = await workWith(how, [
      edit('first', 'ODD\nBAD new', 'one'),
      edit('last', 'last but one', 'two'),
      edit('BAD new', 'fine', 'three'),
      edit('fine', 'BAD new', 'four'),
      say('Done.'),
    ]);
    expect(results['one']?.split('\n').slice(2)).toEqual([
      'New problems since this edit:',
      'a.txt:2:1 error bad: bad: BAD new',
      'a.txt:1:1 warning bad: odd: ODD',
    ]);
    expect(results['two']).not.toContain('problems');
    expect(results['three']).not.toContain('problems');
    expect(results['four']).toContain('a.txt:2:1 error');
    // One process, which ends with the session.
    expect(pids).toHaveLength(1);
    expect(noted).toContain(`process ${process.pid}`);
    expect(pids.filter(isAlive)).toEqual([]);
  },
);

it('a server that hangs holds no edit longer than the limit, and is not waited for again and again', async () => {
  const { results, pids, tookMs } = await workWith(
    'hang',
    [
      callTool('Write', { file_path: 'n.txt', content: 'x' }, { id: 'w' }),
      edit('last', 'l1', 'e1'),
      edit('l1', 'l2', 'e2'),
      edit('l2', 'l3', 'e3'),
      edit('l3', 'l4', 'e4'),
      say('Done.'),
    ],
    { waitMs: 300 },
  );
  expect(Object.values(results).every((text) => !text.includes('problems'))).toBe(true);
  // Two waits of 300 ms; the others do not wait for a server that is behind.
  expect(tookMs).toBeLessThan(5_000);
  expect(pids).toHaveLength(1);
  expect(pids.filter(isAlive)).toEqual([]);
});

it('what comes too late is in the next request', async () => {
  const worked = await workWith(
    'slow',
    [
      edit('first', 'BAD late', 'one'),
      callTool('Bash', { command: 'sleep 1.5' }, { id: 'wait' }),
      say('Done.'),
    ],
    { waitMs: 50, allowedTools: ['Bash'] },
  );
  expect(worked.results['one']).not.toContain('problems');
  expect(attached(worked)).toBe(true);
  expect(JSON.stringify(worked.requests.at(-1))).toContain('a.txt:1:1 error bad: bad: BAD late');
});

it('a server that lies: wrong positions are put right, files that are not there or denied are left out', async () => {
  const { results } = await workWith('lie', [edit('first', 'BAD', 'one'), say('Done.')], {
    disallowedTools: ['Read(secret.txt)'],
  });
  const text = results['one'] ?? '';
  // The same was there before.
  expect(text).not.toContain('outside');
  expect(text).not.toContain('absent');
  expect(text).not.toContain('untitled');
  expect(text).not.toContain('secret');
});

it('a flood of problems is bounded', async () => {
  const { results, requests, pids } = await workWith('flood', [
    callTool('Write', { file_path: 'n.txt', content: 'x' }, { id: 'new' }),
    say('Done.'),
  ]);
  const text = results['new'] ?? '';
  expect(text.length).toBeLessThan(12_000);
  expect(text).toMatch(/\(and \d+ more\)/);
  expect(JSON.stringify(requests.at(-1)).length).toBeLessThan(30_000);
  expect(pids.filter(isAlive)).toEqual([]);
});

it.each([
  ['endless', 'wrote too many messages'],
  ['huge', 'wrote a message of more than 16 MB'],
  ['noise', 'wrote something that is no message'],
  ['die', 'exited with code 7'],
  ['refuse', 'it answered: no licence'],
])('a server that is %s is stopped, said once, and started again after a pause', async (how, why) => {
  const { results, stderr, pids } = await workWith(how, [
    edit('first', 'one', 'one'),
    edit('one', 'two', 'two'),
    say('Done.'),
  ]);
  expect(results['one']).toContain('was edited.');
  expect(results['two']).toContain('was edited.');
  expect(stderr.join('\n')).toContain(why.replace('it answered', 'answered'));
  expect(stderr.filter((line) => line.includes('language server'))).toHaveLength(1);
  // The pause is not over.
  expect(pids).toHaveLength(1);
  expect(pids.filter(isAlive)).toEqual([]);
});

it('a program that is not there costs nothing but a sentence', async () => {
  const cwd = await makeProject({ 'a.txt': 'first\n' });
  const { results, stderr } = await work(cwd, [edit('first', 'BAD', 'one'), say('Done.')], {
    languageServers: {
      servers: {
        gone: { command: 'no-such-server', extensionToLanguage: { '.txt': 'plain' } },
        wrong: { command: 'x', extensionToLanguage: {} },
        socket: { ...serverThat('well', ''), transport: 'socket' as never },
      },
    },
  });
  expect(results['one']).toBe(`${cwd}/a.txt was edited.`);
  expect(stderr.join('\n')).toContain('The language server "gone" could not be started');
  expect(stderr.join('\n')).toContain('"wrong" needs "extensionToLanguage"');
  expect(stderr.join('\n')).toContain('"socket" must speak over its standard streams');
});

it('LSP shows no line of a file that may not be read, and cleans what servers write', async () => {
  const ask = (operation: string, more: object = {}) =>
    callTool('LSP', { operation, filePath: 'a.txt', line: 1, character: 1, ...more }, { id: operation });
  const { results } = await workWith(
    'well',
    [ask('goToDefinition'), ask('hover'), ask('documentSymbol'), ask('workspaceSymbol'), say('Done.')],
    { disallowedTools: ['Read(secret.txt)'] },
  );
  expect(results['goToDefinition']).toContain('/etc/hosts:1:1');
  expect(results['goToDefinition']).toContain('a.txt:2:1  BAD before');
  expect(results['goToDefinition']).not.toContain('BAD secret');
  expect(results['hover']).toBe('hovered undefined');
  expect(results['documentSymbol']).toContain('answered: no textDocument/documentSymbol');
  expect(results['workspaceSymbol']).toContain('needs `query`');
});

it('a denied file cannot be asked about', async () => {
  const { results, pids } = await workWith(
    'well',
    [
      callTool('LSP', { operation: 'hover', filePath: 'secret.txt', line: 1, character: 1 }, { id: 'h' }),
      say('.'),
    ],
    { disallowedTools: ['Read(secret.txt)'] },
  );
  expect(results['h']).not.toContain('hovered');
  expect(pids).toEqual([]);
});

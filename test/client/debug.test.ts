import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { reply, toolUse } from '@turnwright/testing/rehearsal';
import { expect, it } from 'vitest';
import { gather, throughBothDoors } from './doors.ts';

throughBothDoors('debug', (stage) => {
  const tools = [
    reply(toolUse('Bash', { command: 'echo whispered' }), {
      faults: [{ name: 'http-status', status: 529, times: 1 }],
    }),
    reply('Very private.'),
  ];
  const allowedTools = ['Bash(echo:*)'];

  it('debugFile: calls with their retries, records, the end; nothing of what was said, and for its owner alone', async () => {
    const debugFile = join(stage.cwd, 'logs', 'debug.txt');
    stage.play(...tools);
    const { result } = await gather(stage.start('My secret.', { debugFile, allowedTools }));
    expect(result).toMatchObject({ subtype: 'success' });
    const text = readFileSync(debugFile, 'utf8');
    for (const line of text.trimEnd().split('\n')) expect(line).toMatch(/^\d{4}-\d\d-\d\dT\S+Z \[\w+\] ./);
    expect(text).toMatch(/\[api\] \S+: ask claude-opus-5-5 \(main\): 1 messages, \d+ tools/);
    expect(text).toMatch(/\[api\] \S+: 529 overloaded, retry 1 of 10 in \d+ ms/);
    expect(text).toMatch(/\[session\] intent Bash toolu_\S+ \(\w+\)/);
    expect(text).toMatch(/\[session\] decision \S+: stop completed/);
    for (const said of ['My secret', 'whispered', 'Very private', 'sk-test'])
      expect(text).not.toContain(said);
    expect(statSync(debugFile).mode & 0o777).toBe(0o600);
  });

  it('debug: the lines come to stderr, and standard output stays the stream', async () => {
    let heard = '';
    stage.play(...tools);
    const { results, error } = await gather(
      stage.start('Go.', {
        debug: true,
        allowedTools,
        stderr: (data: string) => {
          heard += `${data}\n`;
        },
      }),
    );
    expect(error).toBeUndefined();
    expect(results).toHaveLength(1);
    expect(heard).toMatch(/\[session\] decision \S+: stop completed/);
  });

  it('warnings stand in the log as well as where they always do', async () => {
    const debugFile = join(stage.cwd, 'debug.txt');
    writeFileSync(join(stage.cwd, '.mcp.json'), 'not json');
    stage.play(reply('Hi.'));
    let heard = '';
    await gather(
      stage.start('Go.', {
        debugFile,
        settingSources: ['project'],
        agents: { a: { description: 'A.', prompt: 'A.', effort: 7 } },
        stderr: (data: string) => {
          heard += data;
        },
      }),
    );
    expect(heard).toContain('effort');
    expect(readFileSync(debugFile, 'utf8')).toMatch(/\[warning\] .*effort/);
  });

  it('a file that cannot be written is refused before any request', async () => {
    stage.play(reply('never'));
    const { result, error } = await gather(stage.start('Go.', { debugFile: join(stage.cwd, '.') }));
    expect(error ?? result).toBeDefined();
    expect(String((error as Error).message)).toContain('debugFile');
    expect(stage.asked()).toEqual([]);
  });
});

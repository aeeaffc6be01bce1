/** Every event that docs/hooks.md says fires does fire: to a callback of the host, and to a command of settings. */
import { readFileSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Query } from '@turnwright/engine';
import { reply, type Scenario, toolUse } from '@turnwright/testing/rehearsal';
import { expect, it } from 'vitest';
import { stdio, TOOLBOX } from '../mcp/servers-under-test.ts';
import { prompt, prompts, type Stage, throughBothDoors } from './doors.ts';

const guide = readFileSync(new URL('../../docs/hooks.md', import.meta.url), 'utf8');
const [, firing = '', silent = ''] =
  /\n\| event \| when \|([\s\S]*?)\n\| event \| why \|([\s\S]*?)\n## /.exec(guide) ?? [];
/** Names in the first column. */
const namesIn = (table: string) =>
  [...table.matchAll(/^\| (`[^|]*) \|/gm)].flatMap(([, cell = '']) =>
    [...cell.matchAll(/`(\w+)`/g)].map(([, name]) => String(name)),
  );
const FIRES = namesIn(firing);
const SILENT = namesIn(silent);

type Event = Record<string, unknown>;
const bash = (command: string) => toolUse('Bash', { command });

const ASK = toolUse('mcp__box__ask', {
  params: { message: 'Which?', requestedSchema: { type: 'object', properties: {} } },
});
const REPLIES: Scenario['replies'] = [
  reply(ASK, { when: { lastMessage: /^Ask again/ } }),
  reply('Asked.', { when: { lastMessage: /"turn":2/ } }),
  reply('Never.', {
    when: { lastMessage: /^Fail/ },
    faults: [{ name: 'http-status', status: 400 }],
    times: 'any',
  }),
  reply([bash('echo hi'), bash('exit 7'), bash('touch made'), bash('rm nothing'), ASK]),
  reply(bash('mkdir -p deeper && cd deeper')),
  reply(bash('cd ..')),
  reply(toolUse('Read', { file_path: 'a.txt' })),
  reply(bash('until ! cmp -s a.txt b.txt; do echo three >> a.txt; done')),
  reply(toolUse('Agent', { description: 'look', prompt: 'Look.', subagent_type: 'worker' })),
  reply('Seen.'),
  reply('Done.'),
  reply('<summary>They did it.</summary>', { when: { kind: 'compaction' } }),
];

/** One session in which everything happens. Resolves when it is over. */
async function everything(stage: Stage, more: object, idle: () => Promise<unknown>): Promise<void> {
  await mkdir(join(stage.cwd, '.claude', 'commands'), { recursive: true });
  await writeFile(join(stage.cwd, '.claude', 'commands', 'work.md'), 'Work on $ARGUMENTS.\n!`echo begun`');
  await writeFile(join(stage.cwd, 'CLAUDE.md'), 'Be kind.');
  await writeFile(join(stage.cwd, 'a.txt'), 'one\n');
  await writeFile(join(stage.cwd, 'b.txt'), 'one\n');
  stage.play(...REPLIES);
  const input = prompts();
  let answers = 0;
  const steps = ['/compact', '/clear', 'Ask again.', 'Fail.'];
  input.push(prompt('/work it'));
  const running = stage.start(input, {
    env: { ...stage.env, TURNWRIGHT_IDLE_NOTIFICATION_MS: '1' },
    settingSources: ['project'],
    allowedTools: [
      'Bash(echo:*)',
      'Bash(exit:*)',
      'Bash(mkdir:*)',
      'Bash(until:*)',
      'Bash(cmp:*)',
      'Edit',
      'Agent',
      'mcp__box',
    ],
    disallowedTools: ['Bash(rm:*)'],
    agents: { worker: { description: 'Works.', prompt: 'You work.' } },
    mcpServers: { box: stdio(TOOLBOX) },
    onElicitation: async () => ({ action: 'accept', content: { turn: ++answers } }),
    canUseTool: async (_: string, updatedInput: object) => ({
      behavior: 'allow',
      updatedInput,
      updatedPermissions: [
        {
          type: 'addRules',
          behavior: 'allow',
          rules: [{ toolName: 'Bash', ruleContent: 'touch made' }],
          destination: 'localSettings',
        },
      ],
    }),
    ...more,
  });
  try {
    for await (const message of running) {
      if (message.type !== 'result') continue;
      // A switch that changes nothing is none.
      if (steps.length === 2) await running.setModel('haiku');
      if (steps.length === 3 && 'updatePermissions' in running)
        await (running as unknown as Query).updatePermissions([
          { type: 'addDirectories', directories: [stage.cwd], destination: 'session' },
        ]);
      const next = steps.shift();
      if (next !== undefined) input.push(prompt(next));
      // Not waited for: the session is idle once its result was taken and the next message is asked for.
      else void idle().then(() => input.end());
    }
  } catch (error) {
    // The last prompt is one that fails.
    expect(String(error)).toContain('error result');
  }
}

function expectAll(stage: Stage, seen: readonly Event[]): void {
  const names = new Set(seen.map((event) => event['hook_event_name']));
  const of = (name: string) => seen.filter((event) => event['hook_event_name'] === name);
  // The published client has no method that adds a folder.
  const isOwn = names.has('DirectoryAdded');
  const missing = FIRES.filter((name) => !names.has(name));
  expect(missing).toEqual(isOwn ? [] : ['DirectoryAdded']);
  const deeper = join(stage.cwd, 'deeper');
  expect(of('CwdChanged')).toMatchObject([
    { old_cwd: stage.cwd, new_cwd: deeper },
    { old_cwd: deeper, new_cwd: stage.cwd },
  ]);
  for (const event of of('CwdChanged')) expect(event).not.toHaveProperty('permission_mode');
  expect(SILENT.filter((name) => names.has(name))).toEqual([]);
  for (const event of seen)
    expect(event).toMatchObject({ session_id: expect.any(String), cwd: expect.stringContaining(stage.cwd) });
  const [first, , last] = of('SessionStart').map((event) => event['session_id']);
  const question = { mcp_server_name: 'box', mode: 'form' };
  const asked = { ...question, message: 'Which?', requested_schema: { type: 'object' } };
  const answered = { ...question, action: 'accept' };
  expect(of('Elicitation')).toMatchObject([first, last].map((session_id) => ({ ...asked, session_id })));
  expect(of('ElicitationResult')).toMatchObject([
    { ...answered, session_id: first, content: { turn: 1 } },
    { ...answered, session_id: last, content: { turn: 2 } },
  ]);
  for (const event of [...of('Elicitation'), ...of('ElicitationResult')])
    expect(event).not.toHaveProperty('permission_mode');
  expect(new Set(of('Notification').map((event) => event['notification_type']))).toEqual(
    new Set(['permission_prompt', 'elicitation_dialog', 'idle_prompt']),
  );
  const model = { source: 'sdk', requested_model: 'haiku', cache_ttl: '5m', pricing: 'catalog' };
  expect([...of('PreModelSwitch'), ...of('PostModelSwitch')]).toMatchObject([model, model]);
  expect(of('SessionStart').map((event) => event['source'])).toEqual(['startup', 'compact', 'clear']);
}

throughBothDoors('hook events', (stage) => {
  it('the guide has each event once', () => {
    expect(FIRES.length).toBeGreaterThan(20);
    expect([...new Set([...FIRES, ...SILENT])]).toHaveLength(34);
  });

  it('all that fire reach callbacks', async () => {
    const seen: Event[] = [];
    let told = () => {};
    const idle = new Promise<void>((resolve) => {
      told = resolve;
    });
    const note = async (event: Event) => {
      seen.push(event);
      const failed = seen.some((each) => each['hook_event_name'] === 'StopFailure');
      if (failed && event['notification_type'] === 'idle_prompt') told();
      return {};
    };
    const hooks = Object.fromEntries([...FIRES, ...SILENT].map((event) => [event, [{ hooks: [note] }]]));
    await everything(stage, { hooks }, () => idle);
    expectAll(stage, seen);
  });

  it('all that fire reach commands', async () => {
    const folder = join(stage.cwd, '..', 'heard');
    await mkdir(folder);
    // A file for each, so that none writes into another's line.
    const command = `cat > '${folder}'/$(date +%s%N)-$$`;
    const seen = async () => {
      const names = (await readdir(folder)).sort();
      const texts = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')));
      return texts.flatMap((text) => (text.endsWith('}\n') ? [JSON.parse(text) as Event] : []));
    };
    const hooks = Object.fromEntries(
      [...FIRES, ...SILENT].map((event) => [event, [{ hooks: [{ type: 'command', command, timeout: 20 }] }]]),
    );
    await everything(stage, { settings: { hooks } }, async () => {
      while (!(await seen()).some((event) => event['notification_type'] === 'idle_prompt')) {
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
    });
    expectAll(stage, await seen());
  });
});

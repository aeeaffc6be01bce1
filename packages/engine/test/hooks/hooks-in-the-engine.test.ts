/** Hooks of settings, from `query()` to a process and back. */
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gather } from '@turnwright/test/sdk/query-under-test.ts';
import { deferred } from '@turnwright/testing';
import {
  type RehearsalServer,
  reply,
  type Scenario,
  startRehearsal,
  toolUse,
} from '@turnwright/testing/rehearsal';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { getSessionInfo, type HookCallback, type Options, query, type SDKMessage } from '../../src/index.ts';

let folder: string;
let server: RehearsalServer;
const log = () => readFile(join(folder, 'log'), 'utf8').catch(() => '');

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'turnwright-hooks-'));
  server = await startRehearsal();
});
afterEach(async () => {
  await server.close();
  await rm(folder, { recursive: true, force: true });
});

const command = (text: string, more: object = {}) => ({ type: 'command', command: text, ...more });
const on = (event: string, ...hooks: object[]) => ({ hooks: { [event]: [{ hooks }] } });
/** Writes down the event it was called for, and what it was called with. */
const logging = (path = '.hook_event_name') =>
  command(
    `node -e 'let s="";process.stdin.on("data",d=>s+=d).on("end",()=>{const e=JSON.parse(s);require("fs").appendFileSync("log",e${path}+"\\n")})'`,
  );

async function run(
  replies: Scenario['replies'],
  options: Options = {},
  prompt = 'Go.',
  onMessage: (message: SDKMessage) => void = () => {},
) {
  server.setScenario({ name: 'case', replies });
  const env = {
    PATH: process.env['PATH'] ?? '',
    HOME: folder,
    TURNWRIGHT_HOME: join(folder, 'home'),
    ANTHROPIC_BASE_URL: server.url,
    ANTHROPIC_API_KEY: 'sk-test',
  };
  const warnings: string[] = [];
  const running = query({
    prompt,
    options: { cwd: folder, env, stderr: (line) => warnings.push(line), persistSession: false, ...options },
  });
  const { messages, error } = await gather(running, onMessage);
  return { messages, error, warnings };
}

const told = (messages: readonly SDKMessage[]) =>
  messages.flatMap((m) => (m.type === 'system' && m.subtype === 'informational' ? [m.content] : []));
const results = (messages: readonly SDKMessage[]) =>
  JSON.stringify(messages.filter((m) => m.type === 'user'));
const sent = () => JSON.stringify(server.requests.filter(({ path }) => path === '/v1/messages').at(-1)?.body);

describe('events of a run', () => {
  it('fire in their order, each with its process', async () => {
    const events = [
      'SessionStart',
      'UserPromptSubmit',
      'PreToolUse',
      'PostToolUse',
      'PostToolUseFailure',
      'PostToolBatch',
      'Stop',
      'SessionEnd',
    ];
    const hooks = Object.fromEntries(
      events.map((event) => [event, [{ hooks: [{ ...logging(), timeout: 30 }] }]]),
    );
    const { error } = await run(
      [
        reply([toolUse('Bash', { command: 'true' })]),
        reply(toolUse('Bash', { command: 'false' })),
        reply('Done.'),
      ],
      { settings: { hooks }, allowedTools: ['Bash'] },
    );
    expect(error).toBeUndefined();
    expect((await log()).trim().split('\n')).toEqual([
      'SessionStart',
      'UserPromptSubmit',
      ...['PreToolUse', 'PostToolUse', 'PostToolBatch'],
      ...['PreToolUse', 'PostToolUseFailure', 'PostToolBatch'],
      'Stop',
      'SessionEnd',
    ]);
  });

  it('SessionStart is shown, its stdout and its first message reach the model', async () => {
    const first = {
      hookSpecificOutput: { hookEventName: 'SessionStart', initialUserMessage: 'Read the plan.' },
    };
    const { messages } = await run([reply('Done.')], {
      settings: on(
        'SessionStart',
        command('echo "branch: main"'),
        command(`echo '${JSON.stringify(first)}'`),
      ),
    });
    expect(messages.flatMap((m) => (m.type === 'system' ? [m.subtype] : [])).slice(0, 5)).toEqual([
      'hook_started',
      'hook_started',
      'hook_response',
      'hook_response',
      'init',
    ]);
    expect(sent()).toContain('branch: main');
    expect(sent()).toContain('Read the plan.');
  });

  it('UserPromptExpansion can keep a slash command back', async () => {
    const ship = { name: 'ship', description: '', run: () => ({ messages: ['Ship.'], shouldQuery: true }) };
    const settings = on('UserPromptExpansion', command('echo "not now" >&2; exit 2'));
    const { messages } = await run([], { settings, engine: { commands: [ship] } }, '/ship now');
    expect(messages.at(-1)).toMatchObject({ subtype: 'success', result: 'not now', num_turns: 0 });
  });

  it('PostToolBatch can end the run before the model is asked again', async () => {
    const { messages } = await run([reply(toolUse('Bash', { command: 'true' }))], {
      allowedTools: ['Bash'],
      hooks: {
        PostToolBatch: [{ hooks: [async () => ({ decision: 'block', reason: 'Enough for today.' })] }],
      },
    });
    expect(messages.at(-1)).toMatchObject({ subtype: 'success', terminal_reason: 'hook_stopped' });
  });

  it('FileChanged hears of a file that changed under the model', async () => {
    const file = join(folder, 'a.txt');
    await writeFile(file, 'one\n');
    const changed: unknown[] = [];
    await run(
      [
        reply(toolUse('Read', { file_path: file })),
        reply(toolUse('Bash', { command: `sleep 0.05; echo two > ${file}` })),
        reply('Done.'),
      ],
      {
        allowedTools: ['Bash'],
        hooks: {
          FileChanged: [
            {
              hooks: [
                async ({ file_path, event }) => {
                  changed.push([file_path, event]);
                  return {};
                },
              ],
            },
          ],
        },
      },
    );
    expect(changed).toEqual([[file, 'change']]);
  });

  it('FileChanged is heard inside an agent too', async () => {
    const file = join(folder, 'a.txt');
    await writeFile(file, 'one\n');
    const changed: unknown[] = [];
    const hook: HookCallback = async ({ file_path, event, agent_type }) => {
      changed.push([file_path, event, agent_type]);
      return {};
    };
    await run(
      [
        reply(toolUse('Agent', { description: 'look', prompt: 'Look.', subagent_type: 'worker' })),
        reply(toolUse('Read', { file_path: file })),
        reply(toolUse('Bash', { command: `sleep 0.05; echo two > ${file}` })),
        reply('Seen.'),
        reply('Done.'),
      ],
      {
        allowedTools: ['Bash', 'Agent'],
        agents: { worker: { description: 'Works.', prompt: 'You work.' } },
        hooks: { FileChanged: [{ hooks: [hook] }] },
      },
    );
    expect(changed).toEqual([[file, 'change', 'worker']]);
  });

  it('ConfigChange hears of a settings file that the session wrote', async () => {
    server.setScenario({ name: 'case', replies: [reply('Done.')] });
    const changes: unknown[] = [];
    const hook: HookCallback = async ({ source, file_path }) => {
      changes.push([source, file_path]);
      return {};
    };
    const home = join(folder, 'home');
    const running = query({
      prompt: 'Go.',
      options: {
        cwd: folder,
        env: {
          HOME: folder,
          TURNWRIGHT_HOME: home,
          ANTHROPIC_BASE_URL: server.url,
          ANTHROPIC_API_KEY: 'x',
        },
        persistSession: false,
        settingSources: ['user'],
        hooks: { ConfigChange: [{ matcher: 'user_settings', hooks: [hook] }] },
      },
    });
    await running.updateSettings('userSettings', { effortLevel: 'high' });
    await gather(running);
    expect(changes).toEqual([['user_settings', join(home, 'settings.json')]]);
  });

  it('sessionTitle names the session, but for one that the host has named', async () => {
    const entitle =
      (hookEventName: 'SessionStart' | 'UserPromptSubmit', sessionTitle: string): HookCallback =>
      async () => ({ hookSpecificOutput: { hookEventName, sessionTitle } });
    const hooks = {
      SessionStart: [{ hooks: [entitle('SessionStart', 'Fresh')] }],
      UserPromptSubmit: [{ hooks: [entitle('UserPromptSubmit', 'About mining')] }],
    };
    const titleAfter = async (options: Options) => {
      const { messages } = await run([reply('Done.')], { hooks, persistSession: true, ...options });
      const at = { dir: folder, env: { HOME: folder, TURNWRIGHT_HOME: join(folder, 'home') } };
      return (await getSessionInfo(messages.at(-1)?.session_id ?? '', at))?.customTitle;
    };
    expect(await titleAfter({})).toBe('About mining');
    expect(await titleAfter({ title: 'Mine' })).toBe('Mine');
  });

  it('StopFailure hears the error as it is shown', async () => {
    const failures: unknown[] = [];
    const hook: HookCallback = async ({ error, last_assistant_message, effort, permission_mode }) => {
      failures.push([error, last_assistant_message, effort, permission_mode]);
      return {};
    };
    await run(
      [
        reply(['I look.', toolUse('Bash', { command: 'true' })]),
        reply('', { faults: [{ name: 'http-status', status: 400 }] }),
      ],
      {
        allowedTools: ['Bash'],
        hooks: { StopFailure: [{ hooks: [hook] }] },
      },
    );
    expect(failures).toEqual([
      ['unknown', expect.stringMatching(/^API Error: 400/), { level: 'medium' }, undefined],
    ]);
  });

  it('StopFailure is not waited for: the result comes while its hook still runs', async () => {
    const shown = deferred<void>();
    let ended = false;
    const hook: HookCallback = async () => {
      await shown.promise;
      ended = true;
      return {};
    };
    const { messages } = await run(
      [reply('', { faults: [{ name: 'http-status', status: 400 }] })],
      { hooks: { StopFailure: [{ hooks: [hook] }] } },
      'Go.',
      (message) => {
        if (message.type !== 'result') return;
        expect(ended).toBe(false);
        shown.resolve();
      },
    );
    expect(messages.at(-1)).toMatchObject({ terminal_reason: 'api_error' });
    expect(ended).toBe(true);
  });

  it('the end of the session gives a StopFailure hook a moment to finish', async () => {
    const slow = command(`sleep 0.2; touch '${join(folder, 'told')}'`);
    await run([reply('', { faults: [{ name: 'http-status', status: 400 }] })], {
      settings: on('StopFailure', slow),
    });
    expect(existsSync(join(folder, 'told'))).toBe(true);
  });

  it('a systemMessage and the failure of an observer are shown', async () => {
    const { messages } = await run([reply('Done.')], {
      settings: on('Stop', command(`echo '{"systemMessage": "All quiet."}'`), command('kill -9 $$')),
    });
    expect(told(messages)).toEqual(['Stop says: All quiet.', expect.stringContaining('killed by SIGKILL')]);
    expect(messages.at(-1)).toMatchObject({ subtype: 'success', result: 'Done.' });
  });
});

describe('PermissionRequest answers in the place of the person', () => {
  const touch = () => toolUse('Bash', { command: 'touch made' });
  const asked: string[] = [];
  const canUseTool: NonNullable<Options['canUseTool']> = async (name) => {
    asked.push(name);
    return { behavior: 'deny', message: 'The host says no.' };
  };
  const deciding = (decision: object): Options['hooks'] => ({
    PermissionRequest: [
      { hooks: [async () => ({ hookSpecificOutput: { hookEventName: 'PermissionRequest', decision } })] },
    ],
  });
  beforeEach(() => void asked.splice(0));

  it('allow, with another input', async () => {
    const decision = { behavior: 'allow', updatedInput: { command: 'echo instead' } };
    const { messages } = await run([reply(touch()), reply('Done.')], {
      canUseTool,
      hooks: deciding(decision),
    });
    expect(results(messages)).toContain('instead');
    expect(asked).toEqual([]);
  });

  it('deny', async () => {
    const decision = { behavior: 'deny', message: 'Not on Fridays.' };
    const { messages } = await run([reply(touch()), reply('Done.')], {
      canUseTool,
      hooks: deciding(decision),
    });
    expect(results(messages)).toContain('Not on Fridays.');
    expect(asked).toEqual([]);
  });

  it('no decision: a notification is emitted, and the host is asked', async () => {
    const wanted: unknown[] = [];
    const { messages } = await run([reply(touch()), reply('Done.')], {
      canUseTool,
      hooks: {
        Notification: [
          {
            matcher: 'permission_prompt',
            hooks: [
              async ({ title }) => {
                wanted.push(title);
                return {};
              },
            ],
          },
        ],
        PermissionRequest: [{ hooks: [async () => ({})] }],
      },
    });
    expect(asked).toEqual(['Bash']);
    expect(wanted).toEqual(['Permission to use Bash']);
    expect(results(messages)).toContain('The host says no.');
  });
});

describe('settings', () => {
  it('if: only calls that the rule might mean', async () => {
    await run(
      [
        reply([toolUse('Bash', { command: 'true' }), toolUse('Bash', { command: 'cd . && git status' })]),
        reply('.'),
      ],
      {
        allowedTools: ['Bash'],
        settings: on('PreToolUse', { ...logging('.tool_input.command'), if: 'Bash(git *)' }),
      },
    );
    expect(await log()).toBe('cd . && git status\n');
  });

  it('F93 what a command writes as updatedInput is checked, judged and run', async () => {
    const answer = (input: object) =>
      command(
        `echo '${JSON.stringify({ hookSpecificOutput: { hookEventName: 'PreToolUse', updatedInput: input } })}'`,
      );
    const good = await run([reply(toolUse('Bash', { command: 'echo one' })), reply('.')], {
      allowedTools: ['Bash'],
      settings: on('PreToolUse', answer({ command: 'echo two' })),
    });
    expect(results(good.messages)).toContain('two');
    const bad = await run([reply(toolUse('Bash', { command: 'echo one' })), reply('.')], {
      allowedTools: ['Bash'],
      settings: on('PreToolUse', answer({ command: 7 })),
    });
    expect(results(bad.messages)).toContain('InputValidationError');
    const denied = await run([reply(toolUse('Bash', { command: 'echo one' })), reply('.')], {
      allowedTools: ['Bash'],
      disallowedTools: ['Bash(rm:*)'],
      settings: on('PreToolUse', answer({ command: 'rm -rf x' })),
    });
    expect(results(denied.messages)).toContain('denied');
  });

  it('a hook that cannot be read stops the run; an event that is not there is named', async () => {
    const { error } = await run([], { settings: on('PreToolUse', { type: 'command' }) });
    expect(String(error)).toMatch(/hooks\.PreToolUse\.0\.hooks\.0\.command/);
    const { warnings } = await run([reply('Done.')], {
      settings: {
        hooks: {
          Lunch: [{ hooks: [command('true')] }],
        },
      },
    });
    expect(warnings).toEqual([expect.stringMatching(/hooks\.Lunch was passed over/)]);
  });

  it('disableAllHooks switches commands off, and no callback of the host', async () => {
    const stopped: unknown[] = [];
    await run([reply('Done.')], {
      settings: { ...on('Stop', logging()), disableAllHooks: true },
      hooks: {
        Stop: [
          {
            hooks: [
              async () => {
                stopped.push('callback');
                return {};
              },
            ],
          },
        ],
      },
    });
    expect([await log(), stopped]).toEqual(['', ['callback']]);
  });

  describe('F98 hooks of a repository', () => {
    beforeEach(async () => {
      await mkdir(join(folder, '.claude'));
      await writeFile(join(folder, '.claude/settings.json'), JSON.stringify(on('SessionStart', logging())));
    });

    it('do not run before it is trusted, and a warning says so', async () => {
      const { warnings } = await run([reply('Done.')], {
        settingSources: ['project'],
        projectTrusted: false,
      });
      expect(await log()).toBe('');
      expect(warnings).toEqual([expect.stringMatching(/settings\.json: its hooks \(1\) do not run/)]);
    });

    it('run once it is', async () => {
      await run([reply('Done.')], { settingSources: ['project'], projectTrusted: true });
      expect(await log()).toBe('SessionStart\n');
    });
  });

  it('of a plugin run with its folder in the environment', async () => {
    const root = join(folder, 'plugin');
    await mkdir(join(root, '.claude-plugin'), { recursive: true });
    await mkdir(join(root, 'hooks'));
    await writeFile(join(root, '.claude-plugin/plugin.json'), JSON.stringify({ name: 'greeter' }));
    await writeFile(
      join(root, 'hooks/hooks.json'),
      JSON.stringify(on('SessionStart', command('echo "from $CLAUDE_PLUGIN_ROOT"'))),
    );
    await run([reply('Done.')], { plugins: [{ type: 'local', path: root }] });
    expect(sent()).toContain(`from ${root}`);
  });
});

it('hooksListing() says what there is', async () => {
  server.setScenario({ name: 'case', replies: [reply('Done.')] });
  const running = query({
    prompt: 'Go.',
    options: {
      cwd: folder,
      env: { ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: 'x' },
      persistSession: false,
      settings: on('Stop', command('true')),
      hooks: { PreToolUse: [{ matcher: 'Bash', hooks: [async () => ({})] }] },
    },
  });
  expect((await running.hooksListing()).hooks).toMatchObject([
    { event: 'PreToolUse', matcher: 'Bash', source: 'sessionHook', type: 'callback' },
    { event: 'Stop', source: 'flagSettings', type: 'command', commandText: 'true' },
  ]);
  await running.close();
});

/**
 * What docs/sessions.md says is there again after `kill -9`: one process is killed in the middle of a session that has some
 * of everything, and `--continue` goes on with it, without a task, with a prompt, and in a conversation. Needs
 * `npm run build`.
 */
import { cpSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { against, bareEnv, temporaryFolder, turnwright } from '@turnwright/test/cli/bin.ts';
import { converse } from '@turnwright/test/conversation/on-terminal/converse.ts';
import { bodyOf, messageRequests, type SentBody, wholeText } from '@turnwright/test/scenarios/sent.ts';
import { hasTmux } from '@turnwright/test/terminal/tmux.ts';
import {
  type RehearsalRequest,
  type Reply,
  reply,
  startRehearsal,
  toolUse,
} from '@turnwright/testing/rehearsal';
import { expect, onTestFinished, test } from 'vitest';
import {
  getSessionInfo,
  listSessions,
  query,
  type SDKMessage,
  sessionPrompts,
  sessionResumePoint,
} from '../../src/index.ts';

const TOOLBOX = fileURLToPath(new URL('../../../../test/mcp/servers/toolbox.mjs', import.meta.url));
const SERVERS = JSON.stringify({ mcpServers: { box: { command: process.execPath, args: [TOOLBOX] } } });
const TODOS = [{ content: 'Mend the lamp', status: 'in_progress', activeForm: 'Mending the lamp' }];

/** Of the user, in the home. */
const FILES = {
  'settings.json': JSON.stringify({ fileCheckpointingEnabled: true }),
  'agents/keeper.md':
    '---\nname: keeper\ndescription: Keeps.\nmodel: claude-sonnet-5\npermissionMode: dontAsk\n---\nYou keep the lamp.',
  'commands/work.md':
    '---\nmodel: claude-haiku-4-5\nallowed-tools: Bash(mkdir:*), Bash(sleep:*), Write\n---\nWork through the night: $ARGUMENTS',
};

/** What the next request to the model holds, whichever way the session goes on. */
const HELD: Readonly<Record<string, (body: SentBody) => boolean>> = {
  'the prompt': (body) => wholeText(body).includes('Work through the night: all of it'),
  'calls and their results': (body) => wholeText(body).includes('touch forbidden'),
  'the prompt of its agent': (body) => JSON.stringify(body.system).includes('You keep the lamp.'),
  'tools that a search loaded': (body) => (body.tools ?? []).some(({ name }) => name === 'mcp__box__echo'),
};
const missingIn = (body: SentBody | undefined) =>
  Object.entries(HELD).flatMap(([name, holds]) => (body !== undefined && holds(body) ? [] : [name]));

interface Script {
  readonly answer: (request: RehearsalRequest) => Reply;
  /** Resolves when the last request before the kill is made. */
  readonly atWork: Promise<void>;
  killed(): void;
}

function script(): Script {
  let isKilled = false;
  let working: () => void = () => undefined;
  const atWork = new Promise<void>((resolve) => {
    working = resolve;
  });
  const bash = (command: string, more: object = {}) => toolUse('Bash', { command, ...more });
  return {
    atWork,
    killed: () => {
      isKilled = true;
    },
    answer({ results, lastMessage }) {
      if (lastMessage.includes('And now?')) return reply('All is well.');
      switch (results.size) {
        case 0:
          return reply([
            toolUse('TodoWrite', { todos: TODOS }),
            toolUse('ToolSearch', { query: 'select:mcp__box__echo' }),
          ]);
        case 2:
          return reply([
            toolUse('Write', { file_path: 'made.txt', content: 'new\n' }),
            bash('touch forbidden'),
            bash('mkdir lent'),
            bash('sleep 60', { run_in_background: true }),
          ]);
        case 6:
          if (isKilled)
            return reply([
              bash('mkdir -p lent-again'),
              bash('rmdir lent-again'),
              toolUse('Write', { file_path: 'made.txt', content: 'newer\n' }),
            ]);
          working();
          return reply('Never.', { timing: { ttftMs: 600_000 } });
        default:
          return reply('Finished after all.');
      }
    },
  };
}

const messagesIn = (stdout: string) =>
  stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as SDKMessage);

test('what a killed process leaves behind is there again in the next one', { timeout: 300_000 }, async () => {
  const { answer, atWork, killed } = script();
  const server = await startRehearsal({ scenario: answer });
  onTestFinished(() => server.close());
  const sent = () => messageRequests(server).map(bodyOf);
  const cwd = temporaryFolder();
  const env: Record<string, string> = { ...bareEnv(against(server)), ENABLE_TOOL_SEARCH: 'true' };
  const home = join(env['HOME'] as string, 'config');
  for (const [name, text] of Object.entries(FILES)) {
    mkdirSync(dirname(join(home, name)), { recursive: true });
    writeFileSync(join(home, name), text);
  }
  const servers = ['--mcp-config', SERVERS];
  const died = await turnwright(
    [
      ...['-p', ...servers, '--agent', 'keeper', '--name', 'Night'],
      ...['--allowedTools', 'Bash(rmdir:*)', '--', '/work all of it'],
    ],
    { cwd, env, onStart: (child) => void atWork.then(() => child.kill('SIGKILL')) },
  );
  expect(died).toMatchObject({ signal: 'SIGKILL' });
  killed();
  expect(missingIn(sent().at(-1))).toEqual([]);
  // Each way to go on begins where the process was killed.
  const copy = (name: string) => {
    cpSync(home, `${home}-${name}`, { recursive: true });
    return { cwd, env: { ...env, TURNWRIGHT_HOME: `${home}-${name}` } };
  };
  const prompted = copy('prompted');
  const talked = copy('talked');

  const before = sent().length;
  const place = { cwd, env: { ...env, TURNWRIGHT_HOME: home } };
  expect(await sessionResumePoint(undefined, place)).toEqual({
    todos: TODOS,
    interrupted: { waitedFor: 'model' },
    model: 'claude-sonnet-5',
  });
  const went = await turnwright(
    ['-p', '--continue', ...servers, '--output-format', 'stream-json', '--verbose'],
    place,
  );
  expect(went).toMatchObject({ code: 0 });
  expect(missingIn(sent()[before])).toEqual([]);
  // The command's model and rules hold to the end of its submission, the agent's mode in all of the session.
  expect(sent()[before]?.model).toBe('claude-haiku-4-5');
  expect(existsSync(join(cwd, 'lent-again'))).toBe(true);
  const said = messagesIn(went.stdout);
  expect(said).toContainEqual(expect.objectContaining({ subtype: 'init', permissionMode: 'dontAsk' }));
  expect(said).toContainEqual(
    expect.objectContaining({ subtype: 'task_notification', status: 'stopped', summary: 'sleep 60' }),
  );
  const result = said.find((message) => message.type === 'result');
  const spent = (usage: Readonly<Record<string, { readonly outputTokens: number }>> | undefined) =>
    usage?.['claude-haiku-4-5']?.outputTokens ?? 0;
  // Flags are those of the new process.
  expect(result).toMatchObject({
    subtype: 'success',
    permission_denials: [
      { tool_input: { command: 'touch forbidden' } },
      { tool_input: { command: 'rmdir lent-again' } },
    ],
  });
  // Which files were read is not known any more.
  expect(wholeText(sent()[before + 1])).toContain('made.txt exists and has not been read yet');
  // Costs and usage of the process that was killed are part of it.
  expect(spent(result?.modelUsage)).toBeGreaterThan(spent(result?.model_usage_since_last_result) + 50);

  const [{ sessionId } = { sessionId: '' }] = await listSessions({ dir: cwd, env: prompted.env });
  expect(await getSessionInfo(sessionId, { env: prompted.env })).toMatchObject({ customTitle: 'Night' });
  const answered = sent().length;
  expect(await turnwright(['-p', '--continue', ...servers, '--', 'And now?'], prompted)).toMatchObject({
    code: 0,
    stdout: 'All is well.\n',
  });
  expect(missingIn(sent()[answered])).toEqual([]);
  expect(sent()[answered]?.model).toBe('claude-sonnet-5');
  expect(wholeText(sent()[answered])).toMatch(/sleep 60.*stopped|stopped.*sleep 60/s);
  const [first] = await sessionPrompts(sessionId, { dir: cwd, env: prompted.env });
  const rewinding = query({ options: { ...prompted, resume: sessionId, settingSources: ['user'] } });
  expect(existsSync(join(cwd, 'made.txt'))).toBe(true);
  expect(await rewinding.rewindFiles(first?.uuid ?? '')).toMatchObject({ canRewind: true });
  rewinding.close();
  expect(existsSync(join(cwd, 'made.txt'))).toBe(false);

  if (!hasTmux) return;
  const talk = await converse(server, { ...talked, args: ['--continue', ...servers] });
  await talk.seen('the last prompt was cut off while the model was to answer; Enter goes on');
  await talk.seen('▸ Mend the lamp');
  await talk.seen('all of it');
  const shown = sent().length;
  talk.keys('Enter');
  await talk.seen('Finished after all.');
  expect(missingIn(sent()[shown])).toEqual([]);
  expect(sent()[shown]?.model).toBe('claude-haiku-4-5');
  talk.keys('C-d');
  await talk.until('ended with 0');
});

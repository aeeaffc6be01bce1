/** A session keeps who it is: every way to start one with an agent, and every way to resume it. */
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { commandLine } from '@turnwright/test/cli/command-line.ts';
import { reply } from '@turnwright/testing/rehearsal';
import { describe, expect, it } from 'vitest';
import { forkSession, InMemorySessionStore, type Options, type SDKMessage } from '../../src/index.ts';
import { type SkillStage, skillStage } from '../skills/skill-folders.ts';

const REVIEWER =
  '---\nname: reviewer\ndescription: Reviews.\ntools: Read, Grep\nmodel: haiku\npermissionMode: plan\n---\nI-AM-THE-REVIEWER\n';
const DEFINED = {
  description: 'Reviews.',
  prompt: 'I-AM-THE-REVIEWER',
  tools: ['Read', 'Grep'],
  model: 'haiku',
  permissionMode: 'plan',
} as const;

interface Init {
  readonly session_id: string;
  readonly permissionMode: string;
}

const initOf = (messages: readonly SDKMessage[]) =>
  messages.find((message) => message.type === 'system' && message.subtype === 'init') as unknown as Init;

/** The last request: what it offers, and to which model. */
function lastRequest({ server }: SkillStage) {
  const bodies = server.requests.filter(({ path }) => path === '/v1/messages').map(({ body }) => body);
  const { tools, model, system } = bodies.at(-1) as {
    tools?: { name: string }[];
    model: string;
    system: unknown;
  };
  return {
    tools: (tools ?? []).map(({ name }) => name).sort(),
    model,
    isReviewer: JSON.stringify(system).includes('I-AM-THE-REVIEWER'),
  };
}

const AS_REVIEWER = { tools: ['Grep', 'Read'], model: expect.stringContaining('haiku'), isReviewer: true };

/** Where the agent is defined and named; `again` is named once more, as a host that defines agents does. */
const STARTS: Readonly<
  Record<
    string,
    {
      readonly first: Options;
      readonly again?: Options;
      readonly file?: string;
      readonly more?: readonly [string, string];
    }
  >
> = {
  'a file of the user': { first: { agent: 'reviewer' }, file: 'home/agents/reviewer.md' },
  'a file in a sub-folder': { first: { agent: 'reviewer' }, file: 'home/agents/some/reviewer.md' },
  'a file of a trusted project': {
    first: { agent: 'reviewer', projectTrusted: true },
    again: { projectTrusted: true },
    file: 'work/.claude/agents/reviewer.md',
  },
  'a plugin': {
    first: { agent: 'tools:reviewer', plugins: [{ type: 'local', path: '../tools' }] },
    again: { plugins: [{ type: 'local', path: '../tools' }] },
    file: 'tools/agents/reviewer.md',
  },
  'the settings': {
    first: {},
    file: 'home/agents/reviewer.md',
    more: ['home/settings.json', '{"agent":"reviewer"}'],
  },
  options: {
    first: { agent: 'reviewer', agents: { reviewer: DEFINED } },
    again: { agents: { reviewer: DEFINED } },
  },
};

type Resume = (stage: SkillStage, id: string, again: Options) => Promise<Options>;
const RESUMES: Readonly<Record<string, Resume>> = {
  resume: async (_, resume) => ({ resume }),
  'resume, with the id in capitals': async (_, id) => ({ resume: id.toUpperCase() }),
  continue: async () => ({ continue: true }),
  'a fork by option': async (_, resume) => ({ resume, forkSession: true }),
  'a fork by function': async (stage, id) => {
    const { sessionId } = await forkSession(id, { dir: stage.cwd, env: stage.options().env });
    return { resume: sessionId };
  },
};

async function start(name: string) {
  const stage = await skillStage();
  const { first, again = {}, file, more } = STARTS[name] as (typeof STARTS)[string];
  if (file !== undefined) await stage.write(file, REVIEWER);
  if (more !== undefined) await stage.write(...more);
  const { session_id: id } = initOf(await stage.run([reply('One.')], first));
  expect(lastRequest(stage)).toEqual(AS_REVIEWER);
  return { stage, id, again };
}

describe.each(Object.keys(STARTS))('a session of an agent from %s', (name) => {
  it.each(Object.keys(RESUMES))('keeps it: %s', async (how) => {
    const { stage, id, again } = await start(name);
    // The settings name it no more: the session is what it was.
    if (name === 'the settings') await stage.write('home/settings.json', '{}');
    const messages = await stage.run([reply('Two.')], {
      ...again,
      ...(await RESUMES[how]?.(stage, id, again)),
    });
    expect(lastRequest(stage)).toEqual(AS_REVIEWER);
    expect(initOf(messages)).toMatchObject({ permissionMode: 'plan' });
    if (how !== 'a fork by option') return;
    const third = await stage.run([reply('Three.')], { ...again, resume: initOf(messages).session_id });
    expect(initOf(third)).toMatchObject({ permissionMode: 'plan' });
    expect(lastRequest(stage)).toEqual(AS_REVIEWER);
  });
});

describe('a session of an agent', () => {
  it('that is gone is refused, and says what to do', async () => {
    const { stage, id } = await start('a file of the user');
    await rm(join(stage.home, 'agents/reviewer.md'));
    const run = stage.run([], { resume: id });
    await expect(run).rejects.toThrow(
      `The session ${id} is one of the agent "reviewer", which there is no more. Define it again, or name another one (agent, --agent). There are: general-purpose, Explore, Plan.`,
    );
    // Another one may go on with it, and then it is that one's.
    await stage.run([reply('Two.')], { resume: id, agent: 'Explore' });
    await stage.run([reply('Three.')], { resume: id });
    expect(lastRequest(stage).tools).not.toContain('Edit');
  });

  it('that options defined is refused where they do not', async () => {
    const { stage, id } = await start('options');
    await expect(stage.run([], { continue: true })).rejects.toThrow(`The session ${id} is one of the agent`);
  });

  it('of another program keeps its agent', async () => {
    const { stage, id } = await start('a file of the user');
    const projects = join(stage.home, 'projects');
    const [folder = ''] = await readdir(projects);
    const file = join(projects, folder, `${id}.jsonl`);
    const foreign = [
      { type: 'agent-setting', agentSetting: 'reviewer', sessionId: id },
      {
        type: 'user',
        uuid: 'u1',
        parentUuid: null,
        sessionId: id,
        cwd: stage.cwd,
        timestamp: '2026-01-01T00:00:00.000Z',
        message: { role: 'user', content: 'Say "type":"agent-setting".' },
      },
      {
        type: 'assistant',
        uuid: 'a1',
        parentUuid: 'u1',
        sessionId: id,
        cwd: stage.cwd,
        timestamp: '2026-01-01T00:00:01.000Z',
        message: {
          id: 'm1',
          role: 'assistant',
          model: 'm',
          content: [{ type: 'text', text: 'Yes.' }],
          usage: { input_tokens: 1, output_tokens: 1 },
        },
      },
    ];
    await writeFile(file, foreign.map((record) => `${JSON.stringify(record)}\n`).join(''));
    await stage.run([reply('Two.')], { resume: id });
    expect(lastRequest(stage)).toEqual(AS_REVIEWER);
    expect(await readFile(file, 'utf8')).toContain('Two.');
  });

  it('in a store of the host is refused without its agent, and goes on with it', async () => {
    const stage = await skillStage();
    await stage.write('home/agents/reviewer.md', REVIEWER);
    const sessionStore = new InMemorySessionStore();
    const { session_id: resume } = initOf(
      await stage.run([reply('One.')], { agent: 'reviewer', sessionStore }),
    );
    await expect(stage.run([], { resume, sessionStore })).rejects.toThrow(
      `The session ${resume} is one of the agent "reviewer", and would go on without its limits. Name the agent (agent, --agent), or another one.`,
    );
    await stage.run([reply('Two.')], { resume, sessionStore, agent: 'reviewer' });
    expect(lastRequest(stage)).toEqual(AS_REVIEWER);
  });

  it('goes back before a prompt and stays what it is', async () => {
    const { stage, id } = await start('a file of the user');
    const second = await stage.run([reply('Two.')], { resume: id });
    const answer = second.find((message) => message.type === 'assistant');
    await stage.run([reply('Three.')], { resume: id });
    await stage.run([reply('Four.')], { resume: id, resumeSessionAt: String(answer?.uuid) });
    await stage.run([reply('Five.')], { resume: id });
    expect(lastRequest(stage)).toEqual(AS_REVIEWER);
  });
});

describe('on the command line', () => {
  const env = (stage: SkillStage) => stage.options().env as Record<string, string>;

  it.each([
    ['--continue', () => ['--continue']],
    ['--resume', (id: string) => ['--resume', id]],
    ['--resume with capitals', (id: string) => ['--resume', id.toUpperCase()]],
    ['--fork-session', (id: string) => ['--resume', id, '--fork-session']],
  ] as const)('%s keeps it', async (_, flags) => {
    const stage = await skillStage();
    await stage.write('home/agents/reviewer.md', REVIEWER);
    const run = (args: readonly string[], text: string) => {
      stage.server.setScenario({ name: 'cli', replies: [reply(text)] });
      return commandLine(['-p', 'Go.', '--output-format', 'json', ...args], {
        env: env(stage),
        cwd: stage.cwd,
      });
    };
    const { session_id: id } = JSON.parse((await run(['--agent', 'reviewer'], 'One.')).stdout);
    expect(await run(flags(id), 'Two.')).toMatchObject({ code: 0 });
    expect(lastRequest(stage)).toEqual(AS_REVIEWER);
    await rm(join(stage.home, 'agents/reviewer.md'));
    const { code, stderr } = await run(flags(id), 'Three.');
    expect({ code, stderr }).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('is one of the agent "reviewer", which there is no more'),
    });
  });
});

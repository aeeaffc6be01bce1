/** Which command lines the conversation runs itself, which are the engine's, and which do not exist. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { reply } from '@turnwright/testing/rehearsal';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { COMMANDS } from '../../../packages/cli/src/conversation/commands/index.ts';
import { BUILTIN_COMMANDS } from '../../../packages/engine/src/commands/builtin.ts';
import { commandsUnderTest, type Harness } from './command-under-test.ts';

let harness: Harness;
beforeAll(async () => {
  harness = await commandsUnderTest({
    options: { tools: ['Skill'] },
    async prepare({ cwd }) {
      const commands = join(cwd, '.claude', 'commands');
      await mkdir(commands, { recursive: true });
      await writeFile(join(commands, 'ship.md'), '---\ndescription: Ships it\n---\nShip $ARGUMENTS now.');
      const skill = join(cwd, '.claude', 'skills', 'haiku');
      await mkdir(skill, { recursive: true });
      await writeFile(
        join(skill, 'SKILL.md'),
        '---\nname: haiku\ndescription: Writes a haiku\n---\nSeventeen.',
      );
    },
  });
});
afterAll(() => harness.close());

describe('a command line', () => {
  it('of a file or a skill is the engine’s, and reaches the model as what the file says', async () => {
    expect(await harness.run('/ship it')).toBe(false);
    expect(await harness.run('/haiku')).toBe(false);
    await harness.ask('/ship the boat', [reply('Shipped.')]);
    expect(JSON.stringify(harness.server.requests.at(-1)?.body)).toContain('Ship the boat now.');
  });

  it('that does not exist gets a sentence; one that is nearly right goes back to the editor; no model is asked', async () => {
    const requests = harness.server.requests.length;
    harness.printed.length = 0;
    expect(await harness.run('/modle opus')).toBe(true);
    expect(await harness.run('/xyzzy plugh')).toBe(true);
    expect(harness.printed).toEqual([
      'There is no command /modle. Did you mean /model?',
      'There is no command /xyzzy. /help shows which there are.',
    ]);
    expect(harness.drafts).toContain('/modle opus');
    expect(harness.drafts).not.toContain('/xyzzy plugh');
    expect(harness.server.requests).toHaveLength(requests);
  });

  it('is none where the text only begins with a path', async () => {
    expect(await harness.run('/usr/bin is full, why?')).toBe(false);
    expect(await harness.run('say /help')).toBe(false);
  });

  it('of /clear and /compact is sent to the session, with its argument', async () => {
    harness.sent.length = 0;
    for (const line of ['/clear', '/compact keep the plan', '/compact', '/exit', '/quit', '/new'])
      expect(await harness.run(line)).toBe(true);
    expect(harness.sent).toEqual([
      '/clear',
      '/compact keep the plan',
      '/compact',
      '(exit)',
      '(exit)',
      '/clear',
    ]);
  });

  it('that fails prints why', async () => {
    harness.printed.length = 0;
    await harness.run('/model bogus:');
    await harness.run('/effort immense');
    expect(harness.printed.join(' ')).toContain('There is no effort "immense"');
  });
});

describe('completion', () => {
  it('offers names of commands, those of files and skills too', async () => {
    expect(await harness.complete('/co')).toEqual(['/compact ', '/context', '/cost', '/config ', '/copy ']);
    expect(await harness.complete('/s')).toEqual([
      '/status',
      '/sandbox ',
      '/statusline ',
      '/skills',
      '/ship',
    ]);
    expect(await harness.complete('/hai')).toEqual(['/haiku']);
    expect(await harness.complete('hello')).toEqual([]);
  });

  it('offers values of arguments', async () => {
    expect(await harness.complete('/effort m')).toEqual(expect.arrayContaining(['/effort medium']));
    expect(await harness.complete('/model h')).toEqual(['/model haiku']);
    expect(await harness.complete('/cost x')).toEqual([]);
  });
});

describe('/help', () => {
  it('lists the commands; Enter runs one, or puts it into the editor when it takes an argument', async () => {
    harness.screens.length = 0;
    await harness.run('/help', ["'/todos", 'enter']);
    expect(harness.screens[0]).toMatchInlineSnapshot(`
      "Commands (? shows the keys) · 32 below
      search: 
      ❯ /help [question]                        Shows the commands, and calls one; w…
        /clear                                  Begins a new conversation; this one …
        /compact [what to keep]                 Replaces the conversation so far by …
        /btw <question>                         Asks something beside the conversati…
        /resume [id or title]                   Continues an earlier session of this…
        /rewind                                 Goes back to before a prompt, files …
        /fork [title of the copy]               Goes on in a copy of this session
        /rename [title]                         Gives the session a title
        /plan [task]                            Plans before anything is changed; wi…
        /goal [!command|condition|off]          Keeps the model at work until a comm…
        Shows the commands, and calls one; with a question, what the documentation
        says
        also: /commands
      type to search · ↑↓ choose · Enter calls it · Esc leaves"
    `);
    expect(harness.printed.at(-1)).toBe('There is no todo list.');
    await harness.run('/help', ["'ships it", 'enter']);
    await harness.run('/help', ["'/export", 'enter']);
    expect(harness.drafts.slice(-2)).toEqual(['/ship ', '/export ']);
  });
});

describe('the table of commands', () => {
  const names = COMMANDS.flatMap(({ name, aliases = [] }) => [name, ...aliases]);

  it('has each name once, and every command that the engine has', () => {
    expect(new Set(names).size).toBe(names.length);
    expect(BUILTIN_COMMANDS.map(({ name }) => name).filter((name) => !names.includes(name))).toEqual([]);
  });

  it('is the table of docs/screen.md', async () => {
    const page = await readFile(new URL('../../../docs/screen.md', import.meta.url), 'utf8');
    const rows = [...page.matchAll(/^\| `\/([\w-]+)(?: ([^`]+))?`([^|]*) \| ([^|]+) \|$/gm)];
    expect(
      rows.map(([, name, argument, aliases = '', summary]) => ({ name, argument, aliases, summary })),
    ).toEqual(
      COMMANDS.map(({ name, argument, aliases = [], summary }) => ({
        name,
        argument: argument?.replaceAll('|', '\\|'),
        aliases: aliases.map((alias) => `, \`/${alias}\``).join(''),
        summary,
      })),
    );
  });
});

/** What a command prints on a terminal cannot drive it, whatever it quotes; a pipe or a file gets every byte. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { bareEnv, temporaryFolder } from '@turnwright/test/cli/bin.ts';
import { commandLine, commandLineAtTerminal } from '@turnwright/test/cli/command-line.ts';
import { everyNth } from '@turnwright/test/long-form.ts';
import { type RehearsalServer, reply, startRehearsal } from '@turnwright/testing/rehearsal';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createOutput } from '../src/output.ts';

/** By what they would do. */
const SEQUENCES: Readonly<Record<string, string>> = {
  'a title': '\x1b]0;EVIL\x07',
  'the clipboard': '\x1b]52;c;RVZJTA==\x07',
  'a link': '\x1b]8;;http://evil.example\x1b\\here\x1b]8;;\x1b\\',
  'a notice': '\x1b]9;EVIL\x07',
  clearing: '\x1b[2J\x1b[H',
  moving: '\x1b[1A\x1b[2K',
  'a mode': '\x1b[?1049h\x1b[?25l',
  'a report': '\x1b[6n\x1b[c',
  colours: '\x1b[30;40m\x1b[8m',
  'a device string': '\x1bP+q544e\x1b\\',
  'application strings': '\x1b_x\x1b\\\x1b^x\x1b\\\x1bXx\x1b\\',
  'a reset': '\x1bc',
  'a character set': '\x1b(0\x0e',
  'C1 forms': '\x9b2J\x9d0;EVIL\x9c\x90q\x9c\x85\x84',
  'a backspace': 'ab\b\bEVIL',
  'a return': 'safe\rEVIL',
  'a bell': '\x07',
  'a delete': '\x7f',
  'an unfinished one': '\x1b[',
  'a vertical tab and a form feed': '\x0b\x0c',
  'bidi overrides': '\u202eEVIL\u202c\u202d\u202a\u202b',
  'bidi isolates': '\u2066EVIL\u2069\u2067\u2068',
  'direction marks': '\u200e\u200f\u061c',
  'line separators': '\u2028\u2029',
  tags: '\u{e0001}\u{e0041}\u{e007f}',
  'no width': '\u200b\u2060\ufeff\u2063',
  annotations: '\ufff9a\ufffab\ufffb',
};
/** NUL stands in no argument and no name of a file. */
const NUL = '\0';
/** What stays as it is: families, marks above letters, right-to-left text, Persian joins. */
const GOOD = '👩‍👩‍👧 e\u0301 ñ שלום می\u200cروم 漢字';
const ALL = `${Object.values(SEQUENCES).join(' ')} ${GOOD}`;

const DRIVES =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there
  /[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e007f}]/u;

// biome-ignore lint/suspicious/noControlCharactersInRegex: as above
const COLOURS = /\x1b\[[\d;]*m/g;

let server: RehearsalServer;
/** An API that refuses everything, in these words. */
const refusing = createServer((request, response) => {
  request.resume();
  response.writeHead(400, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ type: 'error', error: { type: 'invalid_request_error', message: ALL } }));
});
beforeAll(async () => {
  server = await startRehearsal();
  await new Promise<void>((listening) => refusing.listen(0, '127.0.0.1', listening));
});
afterAll(async () => {
  await server.close();
  refusing.close();
});

describe('the writer', () => {
  const printed = async (isTTY: boolean, how: 'write' | 'paint', text: string) => {
    let seen = '';
    const stream = {
      isTTY,
      on: () => stream,
      write(piece: string, done: () => void) {
        seen += piece;
        done();
      },
    };
    await createOutput(stream as never)[how](text);
    return seen;
  };

  it.each([...Object.entries(SEQUENCES), ['NUL', NUL]])(
    'shows %s on a terminal, and passes it on elsewhere',
    async (_, text) => {
      expect(await printed(true, 'write', `a${text}b`)).not.toMatch(DRIVES);
      expect((await printed(true, 'paint', `a${text}b`)).replace(COLOURS, '')).not.toMatch(DRIVES);
      expect(await printed(false, 'write', text)).toBe(text);
      expect(await printed(false, 'paint', text)).toBe(text);
      // In pieces, as an answer streams.
      const pieces = await Promise.all([...text].map((piece) => printed(true, 'write', piece)));
      expect(pieces.join('')).not.toMatch(DRIVES);
    },
  );

  it('keeps text as it is, tabs and lines included', async () => {
    const text = `${GOOD}\n\tif (a) {\n`;
    expect(await printed(true, 'write', text)).toBe(text);
    expect(await printed(true, 'paint', text)).toBe(text);
  });

  it('keeps our colours, and what wipes a line', async () => {
    expect(await printed(true, 'paint', '\x1b[1mbold\x1b[22m')).toBe('\x1b[1mbold\x1b[22m');
  });
});

/** A folder with these files, and the environment of a person whose home it is not. */
function place(files: Readonly<Record<string, string>> = {}) {
  const cwd = temporaryFolder();
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(cwd, name)), { recursive: true });
    writeFileSync(join(cwd, name), text);
  }
  const home = temporaryFolder();
  const env = {
    ...bareEnv(),
    HOME: home,
    TURNWRIGHT_HOME: join(home, 'config'),
    ANTHROPIC_BASE_URL: server.url,
    ANTHROPIC_API_KEY: 'sk-key',
    NO_COLOR: '1',
  };
  return { cwd, env };
}
const own = (at: ReturnType<typeof place>, name: string, text: string) => {
  mkdirSync(dirname(join(at.env.TURNWRIGHT_HOME, name)), { recursive: true });
  writeFileSync(join(at.env.TURNWRIGHT_HOME, name), text);
};

const answers = (text: string) => server.setScenario(() => reply(text));

interface Row {
  readonly args: readonly string[];
  readonly at?: () => ReturnType<typeof place>;
  readonly before?: () => void;
}
const MCP = JSON.stringify({ mcpServers: { [ALL]: { type: 'http', url: 'http://127.0.0.1:9/' } } });
const PLACES: Readonly<Record<string, Row>> = {
  'an answer': { args: ['-p', 'Hi.'], before: () => answers(ALL) },
  'an answer as JSON': { args: ['-p', '--output-format', 'json', 'Hi.'], before: () => answers(ALL) },
  'an answer as lines of JSON': {
    args: ['-p', '--output-format', 'stream-json', '--verbose', 'Hi.'],
    before: () => answers(ALL),
  },
  'an answer with every step': { args: ['-p', '--verbose', 'Hi.'], before: () => answers(ALL) },
  'an error of the API': {
    args: ['-p', 'Hi.'],
    at: () => {
      const at = place();
      const url = `http://127.0.0.1:${(refusing.address() as AddressInfo).port}`;
      return { ...at, env: { ...at.env, ANTHROPIC_BASE_URL: url } };
    },
  },
  'settings that are no JSON': {
    args: ['-p', 'Hi.'],
    at: () => {
      const at = place();
      own(at, 'settings.json', `{ "a": ${ALL}`);
      return at;
    },
  },
  'settings with an unknown rule': {
    args: ['-p', 'Hi.'],
    at: () => {
      const at = place();
      own(
        at,
        'settings.json',
        JSON.stringify({ permissions: { allow: [`Bash(${ALL}`], deny: [`X${ALL}(`] } }),
      );
      return at;
    },
    before: () => answers('Ok.'),
  },
  'a setting that nobody knows': {
    args: ['doctor'],
    at: () => {
      const at = place();
      own(at, 'settings.json', JSON.stringify({ [ALL]: 1, model: ALL }));
      return at;
    },
  },
  'a server’s name in a list': { args: ['mcp', 'list'], at: () => place({ '.mcp.json': MCP }) },
  'a server’s name at the login': { args: ['mcp', 'login', ALL], at: () => place({ '.mcp.json': MCP }) },
  'a server that is not there': { args: ['mcp', 'get', ALL] },
  'a server that is removed': { args: ['mcp', 'remove', ALL] },
  'a command file’s rule': {
    args: ['-p', '/go'],
    at: () =>
      place({ '.claude/commands/go.md': `---\nallowed-tools: ${JSON.stringify(`Bash(${ALL}`)}\n---\nGo.` }),
    before: () => answers('Ok.'),
  },
  'what is to be trusted': {
    args: ['trust'],
    at: () =>
      place({ '.claude/settings.json': JSON.stringify({ permissions: { allow: [`Bash(${ALL})`] } }) }),
  },
  'a flag': { args: [`--${ALL}`] },
  'a command': { args: ['sessions', ALL] },
  'a model': { args: ['models', ALL] },
  'a file of settings': { args: ['-p', '--settings', `/none/${ALL}`, 'Hi.'] },
  'a folder': { args: ['-p', '--add-dir', `/none/${ALL}`, 'Hi.'] },
  'a mode': { args: ['-p', '--permission-mode', ALL, 'Hi.'] },
  'a scenario': { args: ['rehearse', `/none/${ALL}.json`] },
  'a session': { args: ['-p', '--resume', ALL, 'Hi.'] },
};

describe('printed on a terminal', () => {
  it.each(everyNth(3, Object.keys(PLACES)))('%s', async (name) => {
    const { args, at = place, before } = PLACES[name] as Row;
    before?.();
    const { stdout, stderr } = await commandLineAtTerminal(args, at());
    // Our own status line wipes itself.
    const printed = (stdout + stderr).replaceAll('\r\x1b[2K', '');
    expect(printed.length).toBeGreaterThan(0);
    expect(printed).not.toMatch(DRIVES);
  });

  it('titles of sessions, what they cost, and why they ended', async () => {
    const at = place();
    answers(ALL);
    await commandLine(['-p', ALL.replaceAll(NUL, '')], at);
    for (const args of [['sessions'], ['sessions', 'list'], ['explain'], ['cost'], ['context']]) {
      const { stdout, stderr } = await commandLineAtTerminal(args, at);
      expect(stdout.length + stderr.length, args.join(' ')).toBeGreaterThan(0);
      expect(stdout + stderr, args.join(' ')).not.toMatch(DRIVES);
    }
  });

  it('an answer keeps its letters', async () => {
    answers(`${GOOD}\n\tx`);
    expect((await commandLineAtTerminal(['-p', 'Hi.'], place())).stdout).toBe(`${GOOD}\n\tx\n`);
  });

  it('a pipe gets an answer byte by byte', async () => {
    answers(ALL + NUL);
    expect((await commandLine(['-p', 'Hi.'], place())).stdout).toBe(`${ALL}${NUL}\n`);
    const { stdout } = await commandLine(['-p', '--output-format', 'json', 'Hi.'], place());
    expect(JSON.parse(stdout).result).toBe(ALL + NUL);
  });
});

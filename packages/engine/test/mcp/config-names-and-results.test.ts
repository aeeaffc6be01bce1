import { cleanText } from '@turnwright/base/text/clean-text.ts';
import { CRUDE, call, roomOf, stdio, toolIn } from '@turnwright/test/mcp/servers-under-test.ts';
import { beforeEach, describe, expect, it } from 'vitest';
import { serverSlug, toolNames } from '../../src/mcp/servers/names.ts';
import { isSameServer, parseServer } from '../../src/mcp/servers/parse-server.ts';
import { toToolOutput } from '../../src/mcp/tools/call-result.ts';
import { inServerNames, readToolSchema } from '../../src/mcp/tools/read-tool-schema.ts';
import { namesTool } from '../../src/permissions/rules/permission-rule.ts';
import { fromSdkTool } from '../../src/sdk/sdk-tool.ts';

describe('a configuration', () => {
  it('is of a kind by what it holds', () => {
    const kinds = [{ command: 'x' }, { url: 'https://a.b/c' }, { type: 'streamable-http', url: 'http://a' }];
    expect(kinds.map((each) => parseServer(each, { values: {} }))).toMatchObject([
      { ok: true, config: { type: 'stdio', args: [], env: {} } },
      { ok: true, config: { type: 'http', url: 'https://a.b/c' } },
      { ok: true, config: { type: 'http' } },
    ]);
    for (const wrong of [
      null,
      {},
      { command: '' },
      { command: 'x', args: 'y' },
      { type: 'ftp' },
      { command: 'x', timeout: -1 },
    ])
      expect(parseServer(wrong, { values: {} })).toMatchObject({
        ok: false,
        problem: expect.stringMatching(/^Its configuration/),
      });
  });

  it('has variables replaced once, everywhere, with defaults', () => {
    const env = { HOST: 'h.example', KEY: `\${HOST}`, EMPTY: '' };
    const remote = {
      type: 'http',
      url: `https://\${HOST}/\${PATH_:-mcp}`,
      headers: { k: `\${KEY}\${EMPTY:-e}\${EMPTY}` },
    };
    expect(parseServer(remote, { values: env })).toMatchObject({
      config: { url: 'https://h.example/mcp', headers: { k: `\${HOST}e` } },
    });
  });
});

describe('servers of plugins', () => {
  const program = { command: 'x', args: ['a'], env: { A: '1', B: '2' } };
  const address = { type: 'http', url: 'https://a.example/mcp', headers: { k: '1' } };

  it.each<[object, object, boolean]>([
    [program, { type: 'stdio', ...program }, true],
    [program, { ...program, env: { B: '2', A: '1', CLAUDE_PLUGIN_ROOT: '/p' } }, true],
    [{ command: 'x' }, { command: 'x', args: [] }, true],
    [program, { ...program, args: ['b'] }, false],
    [program, { ...program, env: { A: '1' } }, false],
    [program, address, false],
    [address, { ...address, type: 'sse', url: 'https://a.example/mcp/' }, true],
    [address, { ...address, url: 'https://a.example/other' }, false],
    [address, { ...address, headers: { k: '2' } }, false],
    [{}, {}, false],
  ])('are told apart by what they reach: %j, %j', (one, other, same) => {
    expect(isSameServer(one, other)).toBe(same);
  });

  it('are connected once, and not beside one that a file names', async () => {
    const config = { command: process.execPath, args: ['-e', ''] };
    const other = { ...config, args: ['-e', '0'] };
    const room = await roomOf(
      {},
      {
        entries: [
          { name: 'mine', scope: 'project', config },
          { name: 'plugin:p:mine', scope: 'plugin', config },
          { name: 'plugin:p:other', scope: 'plugin', config: other },
          { name: 'plugin:q:other', scope: 'plugin', config: other },
        ],
      },
    );
    const names = () => room.statuses().map(({ name }) => name);
    expect(names()).toEqual(['mine', 'plugin:p:other']);
    expect(room.warnings).toEqual([
      'The server plugin:p:mine is mine, which is there already.',
      'The server plugin:q:other is plugin:p:other, which is there already.',
    ]);
    await room.setScope('plugin', { 'plugin:q:other': other, 'plugin:q:mine': config });
    expect(names()).toEqual(['mine', 'plugin:q:other']);
  });
});

describe('F154 names', () => {
  it('are taken by the API, distinct, and the same whatever the order', () => {
    const raw = ['a b', 'a.b', 'a_b', 'x'.repeat(200), 'x'.repeat(201), '日本'];
    const names = toolNames('s', raw);
    expect(names.get('a_b')).toBe('mcp__s__a_b');
    expect(new Set(names.values()).size).toBe(raw.length);
    for (const name of names.values()) expect(name).toMatch(/^[a-zA-Z0-9_-]{1,128}$/);
    expect([...toolNames('s', raw.toReversed())].sort()).toEqual([...names].sort());
    expect(toolNames('s', ['a'], new Set(['mcp__s__a'])).get('a')).toMatch(/^mcp__s__a_[0-9a-f]{8}$/);
  });

  it('of servers never blur into those of tools', () => {
    expect(serverSlug('my server', new Set())).toBe('my_server');
    expect(serverSlug('a__b_', new Set())).toBe('a_b');
    expect(serverSlug('a b', new Set(['a_b']))).toMatch(/^a_b_[0-9a-f]{8}$/);
    expect(serverSlug('日本', new Set())).toBe('server');
  });

  it('of servers within the program neither', async () => {
    const handler = async () => ({ content: [] });
    for (const name of ['gh__x', 'gh_', '__gh', 'gh x']) {
      const { name: tool } = await fromSdkTool(name, name, {
        name: 'b',
        description: '',
        inputSchema: {},
        handler,
      });
      expect(namesTool('mcp__gh', [tool]), tool).toBe(name === 'gh_' || name === '__gh');
      expect(tool.split('__')).toHaveLength(3);
    }
  });

  it('T115 of two servers with the same tool are two, and both work', async () => {
    const room = await roomOf({ one: stdio(CRUDE, ['names']), two: stdio(CRUDE, ['names']) });
    expect(room.tools).toHaveLength(8);
    expect(new Set(room.tools.map((tool) => tool.name)).size).toBe(8);
    expect((await call(toolIn(room, 'mcp__two__a_b'), { q: 1 })).text).toBe('{"q":1}');
  });
});

describe('F152 a schema', () => {
  it('that the API would refuse is made one that it takes', () => {
    const either = readToolSchema({
      anyOf: [
        {
          type: 'object',
          properties: { a: { type: 'string' }, c: { type: 'number' } },
          required: ['a', 'c'],
        },
        { type: 'object', properties: { b: { type: 'number' }, c: { type: 'string' } }, required: ['c'] },
      ],
    });
    expect(either).toMatchObject({
      schema: {
        type: 'object',
        properties: {
          a: { type: 'string' },
          b: { type: 'number' },
          c: { anyOf: [{ type: 'number' }, { type: 'string' }] },
        },
        required: ['c'],
      },
    });
    expect(either.ok && 'anyOf' in either.schema).toBe(false);
    expect(
      readToolSchema({
        $schema: 'http://json-schema.org/draft-04/schema#',
        $ref: '#/definitions/in',
        definitions: {
          in: {
            type: 'object',
            properties: {
              n: { type: 'integer', minimum: 1, exclusiveMinimum: true, required: true, pattern: '(' },
            },
          },
        },
      }),
    ).toMatchObject({
      schema: { type: 'object', properties: { n: { type: 'integer', minimum: 1, exclusiveMinimum: 1 } } },
    });
    expect(readToolSchema(undefined)).toMatchObject({ schema: { type: 'object', properties: {} } });
  });

  it('has properties renamed for the model and named back for the server', () => {
    const odd = readToolSchema({ type: 'object', properties: { $a: {}, '#a': {}, b: {} }, required: ['$a'] });
    expect(odd).toMatchObject({ schema: { properties: { _a: {}, _a_2: {}, b: {} }, required: ['_a'] } });
    expect(odd.ok && inServerNames({ _a: 1, _a_2: 2, b: 3 }, odd.renamed)).toEqual({ $a: 1, '#a': 2, b: 3 });
  });

  it('that cannot be saved says why', () => {
    let deep: Record<string, unknown> = {};
    for (let n = 0; n < 100; n++) deep = { properties: { a: deep } };
    const cases: [unknown, RegExp][] = [
      [{ type: 'string' }, /describes no object/],
      ['text', /not an object/],
      [{ properties: { a: { type: 'strange' } } }, /unknown type "strange"/],
      [{ properties: { a: { $ref: '#/$defs/missing' } } }, /is not in it/],
      [{ properties: { a: { $ref: 'https://elsewhere/x' } } }, /is not in it/],
      [deep, /nested deeper/],
      [{ description: 'x'.repeat(200_000) }, /longer than/],
    ];
    for (const [schema, why] of cases)
      expect(readToolSchema(schema)).toMatchObject({ ok: false, problem: expect.stringMatching(why) });
  });

  it('that is bad costs its own tool alone, by name', async () => {
    const room = await roomOf({ crude: stdio(CRUDE, ['schemas']) });
    expect(room.tools.map((tool) => tool.name)).toEqual(
      ['good', 'union', 'dollar', 'none'].map((name) => `mcp__crude__${name}`),
    );
    expect(room.warnings).toEqual([
      expect.stringContaining('The tool "words" was left out'),
      expect.stringContaining('The tool "broken" was left out'),
    ]);
    expect(room.statuses()[0]?.quarantined).toHaveLength(2);
    expect((await call(toolIn(room, 'mcp__crude__dollar'), { _filter: 'x' })).text).toBe('{"$filter":"x"}');
    expect(await toolIn(room, 'mcp__crude__good').description(undefined, { cwd: '/', model: 'm' })).toBe(
      'plain red hidden',
    );
  });
});

it('T114 texts lose invisible characters, and are bounded', () => {
  expect(cleanText('a\u001b]0;title\u0007b\u001b[2Jc\u200bd\u202ee\u{e0041}f\r\n\tg', 100)).toBe(
    'abcdef\n\tg',
  );
  expect(cleanText('x'.repeat(1_000_000), 50)).toHaveLength(57);
  expect(cleanText('😀'.repeat(30), 11).match(/[\ud800-\udbff](?![\udc00-\udfff])/)).toBeNull();
});

const PLACE = { server: 'box', tool: 'mcp__box__t' };

it('T120 an image that is too large becomes a note', async () => {
  const image = async (data: string, mimeType: string) =>
    (await toToolOutput({ content: [{ type: 'image', data, mimeType }] }, PLACE)).content;
  expect(await image('A'.repeat(8 * 1024 * 1024), 'image/png')).toEqual([
    { type: 'text', text: '[An image of 6.0 MB is too large to be shown.]' },
  ]);
});

describe('what a server answers', () => {
  const text = (value: string) => ({ type: 'text', text: value });
  const png = { type: 'image', data: 'iVBORw0KGgo=', mimeType: 'image/png' };
  const image = {
    type: 'image',
    source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' },
  };
  const kept: string[] = [];
  const keep = async (bytes: Uint8Array, ending: string) => {
    kept.push(`${bytes.length} ${ending}`);
    return `/kept/${kept.length}.${ending}`;
  };
  const answered = (result: object) => toToolOutput({ ...result }, { ...PLACE, keep });
  beforeEach(() => kept.splice(0));

  it('structured content takes the place of the text, in whatever shape that is', async () => {
    const structuredContent = { list: [{ n: 1 }] };
    const json = '{"list":[{"n":1}]}';
    expect(await answered({ content: [text('[{"n":1}]')], structuredContent })).toEqual({
      content: json,
      data: { content: json, structuredContent },
    });
  });

  const structure = { id: 'T-1', list: [{ n: 1 }], note: 'The report is long.', ok: true };
  const link = { type: 'resource_link', uri: 'memo://a', name: 'a' };
  const memo = { type: 'resource', resource: { uri: 'memo://b', text: 'words' } };
  const linked = '[Resource link: a] memo://a';
  const embedded = '[Resource from box at memo://b] words';
  it.each<[string, readonly object[], readonly string[]]>([
    ['nothing', [], []],
    ['an empty text', [text('')], []],
    ['the structure as JSON', [text(JSON.stringify(structure))], []],
    ['the structure as JSON with blanks', [text(`${JSON.stringify(structure, null, 2)}\n`)], []],
    [
      'the structure with its keys in another order',
      [text('{"ok":true,"note":"The report is long.","list":[{"n":1}],"id":"T-1"}')],
      [],
    ],
    ['a part of it as JSON', [text('[{"n":1}]'), text('true'), text('1')], []],
    ['each entry of a list as a text', [text('{"n":1}')], []],
    ['one of its texts', [text('The report is long.'), text('report')], []],
    ['a text of its own', [text('TEXT BODY the document')], ['TEXT BODY the document']],
    [
      'a text that is longer than one of its texts',
      [text('The report is long. Read it.')],
      ['The report is long. Read it.'],
    ],
    ['other JSON', [text('{"n":2}')], ['{"n":2}']],
    ['a text of its own beside a known one', [text('own'), text('report')], ['own']],
    ['a link and a resource', [link, memo], [linked, embedded]],
  ])('beside structured content, %s: what it does not contain is kept', async (_, content, own) => {
    const json = JSON.stringify(structure);
    const shown = own.length === 0 ? json : [...own, json].map(text);
    const { content: good, isError } = await answered({ content, structuredContent: structure });
    expect({ good, isError }).toEqual({ good: shown, isError: undefined });
    expect(await answered({ content, structuredContent: structure, isError: true })).toMatchObject({
      content: [...own, json].join('\n'),
      data: [...own, json].join('\n'),
      isError: true,
    });
  });

  it('beside structured content, pictures are kept with the text that comes with them', async () => {
    const { content } = await answered({ content: [text('a'), png], structuredContent: structure });
    const source = text('[Image: source: /kept/1.png]');
    expect(content).toEqual([text('a'), image, source, text(JSON.stringify(structure))]);
  });

  const gif = 'R0lGODlhAQABAAAAACwAAAAAAQABAAACAkQBADs=';
  const jpeg = Buffer.from('ffd8ffc0000b080001000101011100ffd9', 'hex').toString('base64');
  const realPng =
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
  const svg = Buffer.from('<svg/>').toString('base64');
  it.each<[declared: string | undefined, data: string, shownAs: string | undefined, ending: string]>([
    ['image/png', realPng, 'image/png', 'png'],
    ['image/jpg', jpeg, 'image/jpeg', 'jpeg'],
    ['image/jpg', realPng, 'image/png', 'png'],
    ['image/pjpeg', jpeg, 'image/jpeg', 'jpeg'],
    ['IMAGE/PNG', realPng, 'image/png', 'png'],
    ['image/png', gif, 'image/gif', 'gif'],
    ['image/x-png', realPng, 'image/png', 'png'],
    ['image/svg+xml', svg, undefined, 'svg'],
    ['image/tiff', 'AAAA', undefined, 'tiff'],
    ['image/bmp', 'Qk0=', undefined, 'bmp'],
    ['image/vnd.microsoft.icon', 'AAABAA==', undefined, 'bin'],
    ['image/avif', 'AAAA', undefined, 'avif'],
  ])('an image of type %s is shown as what it is, or saved', async (mimeType, data, shownAs, ending) => {
    const resource = { uri: 'memo://i', mimeType, blob: data };
    const forms = [
      { type: 'image', data, mimeType },
      { type: 'resource', resource },
    ];
    for (const item of forms) {
      kept.splice(0);
      const { content } = await answered({ content: [item] });
      const blocks = (content as { type: string; text?: string; source?: object }[]).filter(
        ({ text: said }) => said !== '[Resource from box at memo://i]',
      );
      expect(kept).toEqual([`${Buffer.from(data, 'base64').length} ${ending}`]);
      if (shownAs === undefined)
        expect(blocks).toEqual([text(expect.stringContaining(`saved to /kept/1.${ending}`))]);
      else
        expect(blocks).toEqual([
          { type: 'image', source: { type: 'base64', media_type: shownAs, data } },
          text(`[Image: source: /kept/1.${ending}]`),
        ]);
    }
  });

  it('links and resources say where they lead and where they are from', async () => {
    const link = { uri: 'memo://a', name: 'a', title: 'A', description: 'about' };
    const content = [text('[Resource link: a] memo://a (about)')];
    expect(await answered({ content: [{ type: 'resource_link', ...link }] })).toEqual({
      content,
      data: { content, resourceLinks: [link] },
    });
    const resource = { uri: 'memo://b', text: 'words' };
    expect((await answered({ content: [{ type: 'resource', resource }] })).content).toEqual([
      text('[Resource from box at memo://b] words'),
    ]);
  });

  it('pictures and other bytes are kept in files that are named', async () => {
    const resource = { uri: 'memo://c', mimeType: 'application/pdf', blob: 'JVBERi0=' };
    const { content } = await answered({
      content: [png, { type: 'audio', data: 'AAAA', mimeType: 'audio/wav' }, { type: 'resource', resource }],
    });
    expect(content).toEqual([
      image,
      text('[Image: source: /kept/1.png]'),
      text('[Audio from box] Binary content (audio/wav, 3 bytes) saved to /kept/2.wav'),
      text('[Resource from box at memo://c] Binary content (application/pdf, 5 bytes) saved to /kept/3.pdf'),
    ]);
    expect(kept).toEqual(['8 png', '3 wav', '5 pdf']);
  });

  it('nothing is said to be nothing; what is said besides is in the structured form', async () => {
    expect(await answered({ content: [] })).toEqual({
      content: '(mcp__box__t completed with no output)',
      data: [],
    });
    expect((await answered({ content: [text('m')], _meta: { foo: 1 } })).data).toEqual({
      content: [text('m')],
      _meta: { foo: 1 },
    });
  });

  it('a failure is its text', async () => {
    expect(await answered({ content: [text('one'), text('two')], isError: true })).toMatchObject({
      content: 'one\ntwo',
      isError: true,
    });
    expect((await answered({ isError: true })).content).toBe('mcp__box__t failed and did not say why.');
  });
});

import { describe, expect, it } from 'vitest';
import { listField, readFrontmatter, toolsField } from '../src/text/frontmatter.ts';
import { parseYaml } from '../src/yaml/lenient-yaml.ts';

describe('frontmatter', () => {
  it('is what stands between two lines of three dashes at the head', async () => {
    const text = '---\ndescription: Reviews\npaths: [a, b]\n---\n# Body\n---\nmore\n';
    expect(await readFrontmatter(text)).toEqual({
      fields: { description: 'Reviews', paths: ['a', 'b'] },
      body: '# Body\n---\nmore\n',
    });
    expect(await readFrontmatter('\uFEFF---\r\na: 1\r\n---\r\nBody')).toEqual({
      fields: { a: 1 },
      body: 'Body',
    });
    expect(await readFrontmatter('---\n---\nBody')).toEqual({ fields: {}, body: 'Body' });
  });

  it('is nothing elsewhere', async () => {
    for (const text of ['Body', 'Body\n---\na: 1\n---\n', '---\nnever closed', '----\na: 1\n----\n'])
      expect(await readFrontmatter(text)).toEqual({ fields: {}, body: text });
  });

  it('that cannot be read is passed over, and says why', async () => {
    for (const block of ['a: [1\n  b', '- 1', 'word', `a: ${'x'.repeat(140_000)}`]) {
      const read = await readFrontmatter(`---\n${block}\n---\nBody`);
      expect(read).toMatchObject({
        fields: {},
        body: 'Body',
        problem: expect.stringContaining('frontmatter'),
      });
    }
  });

  it('is read line by line where it is what people write, and no YAML', async () => {
    const text = '---\ndescription: Fix: the thing\nargument-hint: [file] [line]\n# note\nmodel:\n---\n';
    expect(await readFrontmatter(text)).toEqual({
      fields: { description: 'Fix: the thing', 'argument-hint': '[file] [line]', model: null },
      body: '',
    });
  });

  const COLON = 'description: Use when: asked';
  const USE = { description: 'Use when: asked' };
  const hooks =
    'hooks:\n  PreToolUse:\n    - matcher: Bash\n      hooks: [{ type: command, command: "true" }]';
  const read = { PreToolUse: [{ matcher: 'Bash', hooks: [{ type: 'command', command: 'true' }] }] };

  it.each<[string, object]>([
    [`${COLON}\ntools:\n  - Read\n  - Grep`, { ...USE, tools: ['Read', 'Grep'] }],
    [`tools:\n- Read\n${COLON}`, { ...USE, tools: ['Read'] }],
    [`${COLON}\n${hooks}`, { ...USE, hooks: read }],
    [`${hooks}\n${COLON}`, { ...USE, hooks: read }],
    [`${COLON}\nnotes: |\n  a\n  b\nmodel: opus # good`, { ...USE, notes: 'a\nb\n', model: 'opus' }],
    [`${COLON}\n\n# Note: this\nx: {a: 1}\n"y": 2`, { ...USE, x: { a: 1 }, y: 2 }],
    [`${COLON}\n  and more\ntools: Read`, { description: 'Use when: asked and more', tools: 'Read' }],
    [`${COLON}\nand more`, { description: 'Use when: asked and more' }],
    [`${COLON}\n\n  <example>\n  user: "y"`, { description: 'Use when: asked\n<example> user: "y"' }],
    ['description: d\ntags:\n\t- one\n\t- two', { description: 'd', tags: ['one', 'two'] }],
    ['tags:\n\tx:\n\t\t- one\nb: 1', { tags: { x: ['one'] }, b: 1 }],
    ["description: 'it's broken'\nb:\n  - 1", { description: "it's broken", b: [1] }],
    ['description: "Quoted" and more\nb:\n  - 1', { description: '"Quoted" and more', b: [1] }],
    ['hint: "[a: b]" "[c]"\nb:\n  - 1', { hint: '"[a: b]" "[c]"', b: [1] }],
    ['hint: "a" or "b c"\nb:\n  - 1', { hint: '"a" or "b c"', b: [1] }],
    ['d: "say "hi" now"\nb:\n  - 1', { d: 'say "hi" now', b: [1] }],
    ["d: 'the users' data'\nb:\n  - 1", { d: "the users' data", b: [1] }],
    ['a: one: 1\na: two: 2', { a: 'two: 2' }],
    ['description: one\ndescription: two', { description: 'two' }],
    [
      'a: @x\nb: `y`\nc: %z\nd: {TODO} w\ne: [WIP] v',
      { a: '@x', b: '`y`', c: '%z', d: '{TODO} w', e: '[WIP] v' },
    ],
  ])('reads key by key what is no YAML: %j', async (block, fields) => {
    expect(await readFrontmatter(`---\n${block}\n---\nBody`)).toEqual({ fields, body: 'Body' });
    const crlf = `---\n${block}\n---\nBody`.replaceAll('\n', '\r\n');
    expect(await readFrontmatter(crlf)).toMatchObject({
      fields: Object.fromEntries(Object.entries(fields).map(([key]) => [key, expect.anything()])),
    });
  });

  it('a value that cannot be read costs its key, which is named', async () => {
    const text = '---\ndescription: a: b\nhooks:\n  - x: y: z\n   - w\ntools: Read\n---\nBody';
    expect(await readFrontmatter(text)).toEqual({
      fields: { description: 'a: b', tools: 'Read' },
      body: 'Body',
      unread: ['hooks'],
      problem: 'its frontmatter has values that cannot be read: hooks',
    });
  });

  it('may be long: generated files keep a history in it', async () => {
    const history = Array.from({ length: 400 }, (_, at) => `  - 1.${at} "${'x'.repeat(60)}": done`).join(
      '\n',
    );
    const read = await readFrontmatter(`---\nname: long\nhistory:\n${history}\ndescription: d\n---\nBody`);
    expect(read).toMatchObject({ fields: { name: 'long', description: 'd' }, body: 'Body' });
  });

  it('may follow blank lines and a comment, and end with more dashes', async () => {
    for (const before of ['\n', '\n \n', '<!-- Licence:\nfree -->\n', '\uFEFF\n<!-- a -->\n\n'])
      expect(await readFrontmatter(`${before}---\na: b\n----\nBody`)).toEqual({
        fields: { a: 'b' },
        body: 'Body',
      });
    for (const text of ['\n---\nJust text\n---\nBody', '\n---\n---\nBody', 'a\n---\na: b\n---\n'])
      expect(await readFrontmatter(text)).toEqual({ fields: {}, body: text });
  });

  it('T112 a bomb of aliases is refused', async () => {
    const lines = ['a0: &a0 [x, x, x, x, x, x, x, x, x]'];
    for (let i = 1; i < 9; i += 1)
      lines.push(`a${i}: &a${i} [${Array.from({ length: 9 }, () => `*a${i - 1}`).join(', ')}]`);
    const read = await readFrontmatter(`---\n${lines.join('\n')}\n---\nBody`);
    expect(read).toMatchObject({ fields: {}, problem: expect.stringContaining('alias') });
  });

  it('a list is written in three ways', () => {
    expect(listField('Read, Bash(git log, git diff:*), Grep')).toEqual([
      'Read',
      'Bash(git log, git diff:*)',
      'Grep',
    ]);
    expect(listField('[a, b]')).toEqual(['a', 'b']);
    expect(listField(['a', 1])).toEqual(['a', '1']);
    expect(listField(undefined)).toEqual([]);
    expect(toolsField('Read Bash(git log:*, git diff) Grep')).toEqual([
      'Read',
      'Bash(git log:*, git diff)',
      'Grep',
    ]);
    expect(toolsField(['Read Grep', 'Edit'])).toEqual(['Read', 'Grep', 'Edit']);
  });
});

it('what is read without the parser is what the parser would read', async () => {
  const values = [
    'Paints walls.',
    'Read, Bash(git log:*), Edit',
    'a "quoted" word, isn\'t it?',
    'true',
    'False',
    'null',
    'Yes',
    'trailing blanks   ',
    'a: b',
    'ends:',
    'a #comment',
    'a#b',
    '12',
    'e12',
    '1e3',
    '[a, b]',
    'a - b',
    '- a',
    '*star',
    'x*y',
    '.inf',
    'nan',
    'ünder',
    '',
  ];
  for (const value of values) {
    const block = `name: paint\nvalue: ${value}`;
    let expected: unknown;
    try {
      expected = parseYaml(block);
    } catch {
      continue; // no YAML: read line by line
    }
    expect((await readFrontmatter(`---\n${block}\n---\nBody.`)).fields, value).toEqual(expected);
  }
});

import { describe, expect, it } from 'vitest';
import { listField, readFrontmatter } from '../../src/util/text/frontmatter.ts';
import { parseYaml } from '../../src/util/text/parse-yaml.ts';

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
    for (const block of ['a: [1\n  b', '- 1', 'word', `a: ${'x'.repeat(20_000)}`]) {
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
      fields: { description: 'Fix: the thing', 'argument-hint': '[file] [line]', model: '' },
      body: '',
    });
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

/**
 * The commands of README and docs, as they are written: each is one that exists, with flags that exist (exit code 2 is a
 * call that cannot run as written, 127 a program that does not exist), against a model on loopback.
 */
import { join } from 'node:path';
import { reply, toolUse } from '@turnwright/testing/rehearsal';
import { describe, expect, it } from 'vitest';
import { type CodeBlock, codeBlocks } from '../code-blocks.ts';
import { stepsOf } from './page.ts';
import { reader } from './reader.ts';

/** Blocks that a test of their own runs, by words in them or by page. */
const ELSEWHERE: readonly (string | RegExp)[] = [
  'docs/models.md', // packages/cli/test/models-page.test.ts
  'docs/deploy.md', // test/durable/deploy-page.test.ts
  /^turnwright inspect --open/m, // packages/cli/test/inspect-command.test.ts
  /turnwright durable migrate/, // packages/durable/test/readme.test.ts
  'docs/worktrees.md', // packages/cli/test/worktrees.test.ts
  'docs/start.md',
  /^docs\/recipes\//,
  // Of this repository: .ci/run runs npm ci, npm start, npm test and the gate of bench.
  /^npm (?:ci|run bench)/,
];

/** A conversation needs a terminal: packages/cli/test/conversation */
const CONVERSATION = /^(?:npx )?turnwright\s*(?:--continue\s*)?(?:#.*)?$/;

/** What a page has in place before its commands, by words in them. */
const BEFORE: readonly (readonly [words: RegExp, commands: string])[] = [
  [/rehearse notes\.yaml/, `cat > notes.yaml <<'END'\n${notes()}END`],
  [
    /turnwright eval cases /,
    `mkdir -p cases/a && echo '{}' | tee plain.json > careful.json && cat > cases/a/case.yaml <<'END'
prompt: Say hello.
checks: [{ answer: true, contains: Done }]
END`,
  ],
  [/mcp login issues/, 'turnwright mcp add --transport http issues http://127.0.0.1:1/mcp'],
];

function notes(): string {
  return codeBlocks('yaml').find(({ page }) => page === 'docs/rehearsal.md')?.text ?? '';
}

const isElsewhere = ({ page, text }: CodeBlock) =>
  ELSEWHERE.some((what) => (typeof what === 'string' ? page === what : what.test(page) || what.test(text)));
const blocks = codeBlocks('sh').filter((block) => !isElsewhere(block));

/** Ends by itself, where the page leaves it running, and gets what it asks for. */
function followed(line: string): string {
  const ending = line.includes('--serve') ? `timeout 5 ${line.replace('8080', '0')}` : line;
  const asks = /^(?:npx )?turnwright login/.test(line) ? ` <<< 'sk-ant-given'` : '';
  const name = line.replace(/#.*/, '').replace(/["$`\\]/g, '');
  return `{ ${ending}\n}${asks} || echo "$? from ${name}"`;
}

describe('the commands', () => {
  it('are in several pages, and those of the recipes are followed elsewhere', () => {
    expect(blocks.length).toBeGreaterThan(7);
    expect(stepsOf('docs/start.md').length).toBeGreaterThan(5);
  });

  it.each(blocks.map((block) => ({ place: `${block.page}:${block.line}`, block })))(
    'of $place run',
    { timeout: 120_000 },
    async ({ block: { text } }) => {
      const someone = await reader(({ tools }) =>
        tools.includes('StructuredOutput')
          ? reply(toolUse('StructuredOutput', { names: ['query'] }))
          : reply('Done.'),
      );
      const { follow, folder, env } = someone;
      const prepare = [
        'git init -q && git -c user.name=a -c user.email=a@example.com commit -q --allow-empty -m one',
        "mkdir bin && printf '#!/bin/sh\\necho sk-ant-stored\\n' > bin/pass && chmod +x bin/pass",
        "printf '#!/bin/sh\\ncat\\n' > bin/jq && chmod +x bin/jq",
        'turnwright -p "Say hello."',
      ];
      await follow({ kind: 'commands', text: prepare.join('\n'), prints: undefined });
      env['PATH'] = `${join(folder, 'bin')}:${env['PATH']}`;
      for (const [words, commands] of BEFORE)
        if (words.test(text)) await follow({ kind: 'commands', text: commands, prints: undefined });
      const lines = text
        .trim()
        .split('\n')
        .filter((line) => !CONVERSATION.test(line));
      const script = lines.map(followed).join('\n');
      const printed = await follow({ kind: 'commands', text: script, prints: undefined });
      expect(
        printed.split('\n').filter((line) => /^(?:2|12[67]) from /.test(line)),
        printed,
      ).toEqual([]);
    },
  );
});

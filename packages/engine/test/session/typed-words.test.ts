import { describe, expect, it } from 'vitest';
import { foldSessionSummary, toSessionInfo } from '../../src/session/session-summary.ts';
import { typedWords } from '../../src/session/typed-words.ts';

/** Prompts of one session as transcripts keep them, and what a list shows. */
const FORMS: readonly (readonly [prompts: readonly unknown[], shown: string | undefined])[] = [
  [
    [
      [
        { type: 'text', text: '<ide_selection>The user selected\nfoo</ide_selection>' },
        { type: 'text', text: 'fix this' },
      ],
    ],
    'fix this',
  ],
  [['<ide_opened_file>The user opened a.ts</ide_opened_file>\nmake it blue'], 'make it blue'],
  [['<ide_opened_file>x</ide_opened_file>', 'second words'], 'second words'],
  [
    [
      '<command-name>/clear</command-name>\n<command-message>clear</command-message>\n<command-args></command-args>',
      '<local-command-stdout></local-command-stdout>',
      'real prompt',
    ],
    'real prompt',
  ],
  [
    [
      '<command-name>/clear</command-name>\n<command-message>clear</command-message>\n<command-args></command-args>',
    ],
    '/clear',
  ],
  [
    [
      '<command-message>review</command-message>\n<command-name>/review</command-name>\n<command-args>the thing</command-args>',
    ],
    '/review the thing',
  ],
  [
    ['<command-message>review</command-message>\n<command-name>/review</command-name>', 'then this'],
    'then this',
  ],
  [['<bash-input>ls</bash-input>', '<bash-stdout>a</bash-stdout><bash-stderr></bash-stderr>'], '! ls'],
  [['<system-reminder>r</system-reminder>\nwords'], 'words'],
  [['<ide_selection>sel</ide_selection>\n\nfix it <b>now</b>'], 'fix it <b>now</b>'],
  [['<tick>1</tick>', '<task-notification><task-id>a</task-id></task-notification>', 'go'], 'go'],
  [['[Request interrupted by user]', '[Request interrupted by user for tool use]', 'next'], 'next'],
  // What a person may type.
  [['<div>hello</div> what is this'], '<div>hello</div> what is this'],
  [['a < b and <ide_selection>'], 'a < b and <ide_selection>'],
  [['<system-reminder>not closed'], '<system-reminder>not closed'],
];

const key = { projectKey: '', sessionId: 's' };

describe('the title of a session in lists', () => {
  it.each(FORMS)('%j', (prompts, shown) => {
    const entries = prompts.map((content, at) => ({
      type: 'user',
      uuid: `u${at}`,
      message: { role: 'user', content },
    }));
    const info = toSessionInfo(foldSessionSummary(undefined, key, entries));
    expect(info).toMatchObject({ summary: shown, firstPrompt: shown });
    const last = typeof prompts[0] === 'string' && prompts.length === 1 ? prompts[0] : undefined;
    if (last === undefined) return;
    const named = foldSessionSummary(undefined, key, [{ type: 'last-prompt', lastPrompt: last }]);
    expect(toSessionInfo(named)?.summary).toBe(shown);
  });

  it('is found in one pass, however long the markup is', () => {
    const text = `${'<a-b>x</a-b>'.repeat(20_000)}words`;
    expect(typedWords(text)).toEqual({ words: 'words' });
  });
});

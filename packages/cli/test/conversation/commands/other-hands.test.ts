/** Every command of Claude Code is one of the conversation, or has a sentence that says what to do instead. */
import { commandAdvice, settingsKeys } from '@turnwright/engine';
import { createBindings } from '@turnwright/terminal/input/bindings.ts';
import { commandsUnderTest } from '@turnwright/test/conversation/commands/command-under-test.ts';
import { expect, test } from 'vitest';
import { COMMANDS } from '../../../src/conversation/commands/index.ts';
import { FOREIGN_KEYS } from '../../../src/conversation/screen/keys.ts';
import { SETTING_WORDS } from '../../../src/conversation/settings/setting-words.ts';

/** Of its public reference of commands (November 2026), aliases and removed ones among them. */
const KNOWN =
  'add-dir advisor agents allowed-tools android app artifacts auto-mode-setup autocompact autofix-pr background bashes batch bg branch bug cd checkpoint checkup chrome claude-api clear code-review color compact config context continue copy cost dataviz debug deep-research design-login design-sync desktop diff doctor effort exit export fast feedback fewer-permission-prompts focus fork goal heapdump help hooks ide import init insights install-github-app install-slack-app ios keybindings list-agents login logout loop mcp memory migrate-installer mobile model new output-style passes peers permissions plan plugin powerup pr-comments privacy-settings proactive quit radio rc recap release-notes reload-plugins reload-skills remote-control remote-env rename reset resume review rewind routines run run-skill-generator sandbox schedule scroll-speed security-review settings setup-bedrock setup-vertex share simplify skills stats status statusline stickers stop subtask tasks team-onboarding teleport terminal-setup theme todos tp tui ultraplan ultrareview undo update upgrade usage usage-credits verify version vim voice web-setup workflows'.split(
    ' ',
  );
const OWN = new Set(COMMANDS.flatMap(({ name, aliases = [] }) => [name, ...aliases]));

test('each known name is a command, or has one sentence', async () => {
  const without: string[] = [];
  const both: string[] = [];
  for (const name of KNOWN) {
    const advice = await commandAdvice(name);
    if (advice !== undefined) expect(advice, name).toMatch(/^\S.*\.$/);
    if (advice === undefined && !OWN.has(name)) without.push(name);
    if (advice !== undefined && OWN.has(name)) both.push(name);
  }
  expect([without, both]).toEqual([[], []]);
});

test('no command of the conversation is in the table of those that are nowhere', async () => {
  const advised = await Promise.all([...OWN].map(commandAdvice));
  expect(advised.filter((sentence) => sentence !== undefined)).toEqual([]);
});

test('no key with a sentence does something', () => {
  const bound = createBindings().help.flatMap(({ keys }) => keys.toLowerCase().split(', '));
  expect(Object.keys(FOREIGN_KEYS).filter((key) => bound.includes(key))).toEqual([]);
});

test('/config has words for each setting, and for no other', async () => {
  const keys = (await settingsKeys()).map(({ key }) => key);
  expect(Object.keys(SETTING_WORDS).toSorted()).toEqual(keys.toSorted());
});

test('a wrong use gets one clear sentence', async () => {
  const harness = await commandsUnderTest();
  try {
    for (const line of [
      '/tasks all',
      '/tasks stop b1',
      '/sandbox maybe',
      '/output-style nosuch',
      '/config nosuch=1',
      '/config theme=pink',
      '/config autoCompactWindow=-1',
      '/config hooks={}',
      '/statusline parts model,weather',
      '/vim',
    ])
      await harness.run(line);
    expect(
      harness.printed.map((row) => row.replaceAll(harness.home, '<home>')).join('\n'),
    ).toMatchInlineSnapshot(`
      "Write /tasks, or /tasks stop <id> with an id of its list.
      No task b1 runs. /tasks lists them.
      Write /sandbox, /sandbox on or /sandbox off; the rest is in /config sandbox.
      There is no output style "nosuch". It is one of default, Proactive, Concise,
      Explanatory, Learning; a file in .claude/output-styles is one more.
      There is no setting "nosuch". /config lists them.
      theme is one of auto, dark, light, basic, none.
      autoCompactWindow is a number above 0.
      hooks is a list or an object: change it in its file.
      There is no part "weather". There are model, mode, context, cost, cache, turn,
      background, place.
      There is no /vim here. The prompt has no vim keys; Ctrl+G opens it in your own
      editor ($VISUAL, $EDITOR)."
    `);
  } finally {
    await harness.close();
  }
});

test('a line stays in the prompt only where it is nearly a command; two in one word are not sent', async () => {
  const harness = await commandsUnderTest();
  try {
    for (const line of ['/modle', '/bug', '/bug/vim', '/modle/vim', '/xyzzy now'])
      expect(await harness.run(line), line).toBe(true);
    expect(harness.drafts).toEqual(['/modle']);
    expect(harness.printed.join('\n')).toContain('/bug/vim is two commands in one, so nothing was sent.');
    for (const line of ['/usr/bin is full', '/app/src/a.ts has a fault', '/home/help'])
      expect(await harness.run(line), line).toBe(false);
  } finally {
    await harness.close();
  }
});

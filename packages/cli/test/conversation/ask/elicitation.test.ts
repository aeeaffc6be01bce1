/** Forms and addresses of MCP servers, answered by keys. */

import type { ElicitationAnswer, ElicitationRequest } from '@turnwright/engine';
import { createTheme } from '@turnwright/terminal/text/theme.ts';
import { type VirtualClock, virtualClock } from '@turnwright/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openDialog } from '../../../src/conversation/ask/dialog.ts';
import { DEFAULT_KEYS } from '../../../src/conversation/ask/dialog-keys.ts';
import type { DialogPage } from '../../../src/conversation/ask/dialog-page.ts';
import { elicitationPage } from '../../../src/conversation/ask/elicitation-pages.ts';
import { createOverlays } from '../../../src/conversation/overlays.ts';
import { keyOf } from './asking-under-test.ts';

const drawing = { theme: createTheme('none'), cwd: '/work', home: undefined, keys: DEFAULT_KEYS };
let clock: VirtualClock;
let overlays: ReturnType<typeof createOverlays>;
beforeEach(() => {
  clock = virtualClock();
  overlays = createOverlays({
    theme: drawing.theme,
    clock,
    invalidate: () => undefined,
    typing: () => ({ lastKeyMs: undefined, draftIsEmpty: true }),
    view: async () => undefined,
  });
});
afterEach(() => overlays.closeAll());

async function open(request: ElicitationRequest) {
  const first: DialogPage<ElicitationAnswer> = elicitationPage(request, drawing);
  const place = () => ({ number: 1, of: 1 });
  const answered = overlays.open<ElicitationAnswer>((over) =>
    openDialog(over, { first, place, keys: DEFAULT_KEYS, signal: new AbortController().signal }),
  );
  await clock.settle();
  const press = async (...keys: readonly string[]) => {
    for (const key of keys) {
      await clock.advance(500);
      const typed = key.startsWith("'") ? [...key.slice(1)] : [key];
      for (const each of typed) overlays.onEvent(keyOf(each, clock.monotonicMs()));
    }
  };
  const rows = () => overlays.current?.frame({ columns: 79, rows: 14 }).rows.join('\n') ?? '';
  return { answered, press, rows };
}

const form = (properties: Record<string, unknown>, required: readonly string[] = []): ElicitationRequest => ({
  serverName: 'desk',
  message: 'Where does it go?',
  mode: 'form',
  requestedSchema: { type: 'object', properties, required },
});

describe('a form', () => {
  const request = form(
    {
      name: { type: 'string', title: 'Name', minLength: 2 },
      count: { type: 'integer', title: 'Count', minimum: 1, maximum: 9 },
      urgent: { type: 'boolean', title: 'Urgent' },
      kind: { type: 'string', enum: ['a', 'b'], enumNames: ['First', 'Second'] },
      note: { type: 'string' },
    },
    ['name', 'count', 'urgent', 'kind'],
  );

  it('asks for field after field, checks what is typed, and shows all before it is sent', async () => {
    const { answered, press, rows } = await open(request);
    expect(rows()).toContain('The server desk asks');
    expect(rows()).toContain('1 of 5 · Name (required)');
    await press('enter');
    expect(rows()).toContain('An answer is required.');
    await press("'x", 'enter');
    expect(rows()).toContain('At least 2 characters are needed.');
    await press("'y", 'enter', "'12", 'enter');
    expect(rows()).toContain('The greatest possible value is 9.');
    await press('backspace', 'enter', '1', '2', 'enter');
    expect(rows()).toContain('Name: xy');
    expect(rows()).toContain('Urgent: true');
    await press('1');
    expect(await answered).toEqual({
      action: 'accept',
      content: { name: 'xy', count: 1, urgent: true, kind: 'b' },
    });
  });

  it('is declined by a key and cancelled by Esc', async () => {
    const first = await open(form({ urgent: { type: 'boolean' } }));
    await first.press('d');
    expect(await first.answered).toEqual({ action: 'decline' });
    const second = await open(form({ urgent: { type: 'boolean' } }));
    await second.press('escape');
    expect(await second.answered).toEqual({ action: 'cancel' });
  });

  it('a field that may be empty is left out by Tab, which begins no sentence', async () => {
    const { answered, press, rows } = await open(form({ urgent: { type: 'boolean' } }));
    expect(rows()).toContain('Tab leave out');
    await press('tab', '1');
    expect(await answered).toEqual({ action: 'accept', content: {} });
  });

  it('without fields it is a yes or no', async () => {
    const { answered, press } = await open(form({}));
    await press('1');
    expect(await answered).toEqual({ action: 'accept', content: {} });
  });
});

it('an address is shown in full, and opened by the person', async () => {
  const url = `https://login.example.com/${'a'.repeat(120)}?x=1`;
  const { answered, press, rows } = await open({ serverName: 'desk', message: 'Log in.', mode: 'url', url });
  expect(rows().replaceAll(/\s+/g, '')).toContain(url);
  await press('1');
  expect(await answered).toEqual({ action: 'accept' });
});

it('hostile texts of a server reach no terminal', async () => {
  const { rows, press, answered } = await open({
    ...form({}),
    serverName: 'de\x1b]52;c;eA==\x07sk',
    message: 'a\x1b[2Jb\u202ec',
  });
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be there
  expect(rows()).not.toMatch(/[\x00-\x09\x0b-\x1f\u202e]/);
  await press('2');
  expect(await answered).toEqual({ action: 'decline' });
});

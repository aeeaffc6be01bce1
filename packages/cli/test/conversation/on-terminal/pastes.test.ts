/** A8 through the built command line in a pseudo-terminal: a paste is one prompt with its content, and runs nothing. */
import pty from '@lydell/node-pty';
import { against, BIN, bareEnv, temporaryFolder } from '@turnwright/test/cli/bin.ts';
import { inShortAndLongForm, sharedInShortForm } from '@turnwright/test/long-form.ts';
import { type RehearsalServer, reply, startRehearsal } from '@turnwright/testing/rehearsal';
import { afterAll, expect, it } from 'vitest';

const [START, END] = ['\x1b[200~', '\x1b[201~'];
/** Longer than what the burst rule waits for, also on a machine with much to do. */
const QUIET_MS = 400;

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** What ends the conversations and their models. */
const endings: (() => Promise<unknown>)[] = [];
afterAll(() => Promise.all(endings.map((end) => end())));

/** More than one conversation has. */
const MANY_ANSWERS = 20;

/**
 * A conversation, once its prompt is shown. The answers are numbered, and so are the requests. `says`: the terminal's
 * answer to what it is asked.
 */
async function converse(says = '') {
  const replies = Array.from({ length: MANY_ANSWERS }, (_, at) => reply(`Answer ${at + 1}.`));
  const server = await startRehearsal({ scenario: { name: 'pastes', replies } });
  const terminal = pty.spawn(process.execPath, [BIN], {
    cols: 80,
    rows: 24,
    cwd: temporaryFolder(),
    env: bareEnv({ TERM: 'xterm-256color', ...against(server) }),
  });
  const ended = new Promise((resolve) => terminal.onExit(resolve));
  endings.push(async () => {
    terminal.kill('SIGKILL');
    await ended;
    await server.close();
  });
  let shown = '';
  terminal.onData((data) => {
    shown += data;
  });
  const seen = async (text: string, from = 0) => {
    while (!shown.includes(text, from)) await pause(20);
  };
  await seen('›');
  terminal.write(says);
  return {
    server,
    terminal,
    shown: () => shown,
    /** Enters what was pasted, and waits for the end of the turn. */
    async enter() {
      const answer = `Answer ${server.requests.length + 1}.`;
      terminal.write('\r');
      await seen(answer);
      await seen('done', shown.lastIndexOf(answer));
    },
  };
}

/** In the long form each paste has a conversation of its own. */
const onMarking = sharedInShortForm(() => converse());
/** Its terminal answers who it is, and not that it marks pastes. */
const onUnmarking = sharedInShortForm(() => converse('\x1b[?1;2c'));

/** What a user's prompts were in the last request. */
function promptOf(server: RehearsalServer): string {
  const { messages } = server.requests.at(-1)!.body as { messages: { role: string; content: unknown }[] };
  const last = messages.findLast(({ role }) => role === 'user')?.content;
  if (typeof last === 'string') return last;
  const texts = (last as { type: string; text?: string }[]).map(({ text = '' }) => text);
  return texts.filter((text) => !text.startsWith('<system-reminder>')).join('');
}

function content(bytes: number): string {
  const line = 'a line of the log: 漢字 👍🏽 $(rm -rf build)\n\t!next\n';
  return `${line.repeat(Math.ceil(bytes / Buffer.byteLength(line))).slice(0, Math.max(0, bytes - 1))}.`;
}

const typed = (text: string) => text.replaceAll('\n', '\r');

/** More than the context holds is cut by the engine; that pastes of 5 MB arrive is in packages/terminal/test/input. */
const LARGE = inShortAndLongForm(100_000, 400_000);

it.each<[string, string, string]>([
  ['of one byte', `${START}x${END}`, 'x'],
  ['of 900 bytes', `${START}${typed(content(900))}${END}`, content(900)],
  ['of many bytes', `${START}${typed(content(LARGE))}${END}`, content(LARGE)],
  ['with an end mark and an Enter inside', `${START}one${END}\r!touch run\r${END}`, 'one\n!touch run\n'],
  ['with marks around an Enter', `${START}one${END}\r${START}two${END}`, 'one\ntwo'],
  ['without marks', typed(content(9_000)), content(9_000)],
  ['without marks, of a few lines', 'one\rtwo\rthree\r', 'one\ntwo\nthree\n'],
])('A8 a paste %s is one prompt', async (_, sent, prompt) => {
  const { server, terminal, shown, enter } = await (sent.startsWith(START) ? onMarking() : onUnmarking());
  const before = { requests: server.requests.length, shown: shown().length };
  terminal.write(sent);
  await pause(QUIET_MS + sent.length / 2_000);
  expect(server.requests).toHaveLength(before.requests);
  await enter();
  expect(server.requests).toHaveLength(before.requests + 1);
  expect(promptOf(server).trimEnd()).toBe(prompt.trimEnd());
  // A long one does not push everything else out of the terminal's history.
  expect(shown().length - before.shown).toBeLessThan(20_000);
});

it('A8 a paste is one prompt wherever its end mark is split', async () => {
  const cuts = Array.from({ length: inShortAndLongForm(2, END.length - 1) }, (_, at) => at + 1);
  const { server, terminal, enter } = await onMarking();
  for (const cut of cuts) {
    const before = server.requests.length;
    terminal.write(`${START}first ${cut}\rsecond\r${END.slice(0, cut)}`);
    await pause(100);
    terminal.write(END.slice(cut));
    await pause(QUIET_MS);
    expect(server.requests).toHaveLength(before);
    await enter();
    expect(promptOf(server).trimEnd()).toBe(`first ${cut}\nsecond`);
  }
});

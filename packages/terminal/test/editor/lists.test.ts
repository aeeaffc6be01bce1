/** History and its search, completion of commands and files, long pastes and images. */
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { clipboardImage } from '../../src/editor/clipboard.ts';
import type { Candidate } from '../../src/editor/completion.ts';
import { createImageFiles, pathsIn } from '../../src/editor/dropped-images.ts';
import { editExternally } from '../../src/editor/external-editor.ts';
import { historyFile, openHistory } from '../../src/editor/prompt-history.ts';
import { commandSource, fileSource, shellPathSource } from '../../src/editor/sources.ts';
import { historyOf, openDesk } from './desk.ts';

const [UP, DOWN, ESCAPE, CTRL_R, CTRL_S] = ['\x1b[A', '\x1b[B', '\x1b', '\x12', '\x13'];
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'turnwright-editor-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

describe('the history', () => {
  it('is gone through by ↑ and ↓, and what was being written comes back', async () => {
    const desk = await openDesk({ history: await historyOf('first', 'second\nline') });
    await desk.press('draft', UP);
    expect(desk.drawn()).toEqual(['› second', '  line|']);
    await desk.press(UP, UP);
    expect(desk.drawn()).toEqual(['› first|']);
    await desk.press(UP);
    expect(desk.left).toEqual(['up']);
    await desk.press('!', DOWN, DOWN, DOWN);
    expect(desk.editor.text).toBe('draft');
    await desk.press(UP, UP, UP);
    expect(desk.editor.text).toBe('first!');
  });

  it('keeps what is taken, once in a row', async () => {
    const history = await historyOf();
    const desk = await openDesk({ history });
    for (const text of ['one', 'one', ' ', 'two']) {
      await desk.press(text);
      desk.editor.take();
    }
    expect(history.entries.map(({ text }) => text)).toEqual(['one', 'two']);
    await desk.press(UP, UP);
    expect(desk.editor.text).toBe('one');
  });

  it('is searched by Ctrl+R: the newest match, then older ones, and back', async () => {
    const desk = await openDesk({ history: await historyOf('git push', 'npm test', 'git status', 'ls') });
    await desk.press('draft', CTRL_R, 'GIT');
    expect(desk.drawn()).toEqual(['› git status', '  search prompts: GIT|']);
    await desk.press(CTRL_R);
    expect(desk.drawn()).toEqual(['› git push', '  search prompts: GIT|']);
    await desk.press(CTRL_R, CTRL_S);
    expect(desk.drawn()[0]).toBe('› git status');
    await desk.press('x');
    expect(desk.drawn()).toEqual(['› draft', '  no such prompt: GITx|']);
    await desk.press('\x7f', '\r');
    expect(desk.drawn()).toEqual(['› |git status']);
    expect(desk.left).toEqual([]);
    await desk.press('\x1f');
    expect(desk.editor.text).toBe('draft');
  });

  it('a search that is left gives the draft back; another key takes the match and does what it does', async () => {
    const desk = await openDesk({ history: await historyOf('npm test') });
    await desk.press('draft', CTRL_R, 'npm', ESCAPE);
    expect(desk.drawn()).toEqual(['› draft|']);
    await desk.press(CTRL_R, 'test', '\x05', '!');
    expect(desk.drawn()).toEqual(['› npm test!|']);
  });

  it('is kept in a file of the home folder that only its owner may read, with the pastes', async () => {
    const file = historyFile(join(folder, 'home'), '/work/a project');
    expect(file).toMatch(/home\/history\/work-a-project-[0-9a-f]{12}\.jsonl$/);
    const desk = await openDesk({ history: await openHistory({ file, nowMs: () => 5 }) });
    await desk.press('look: ');
    await desk.paste('line\r'.repeat(20));
    const { text } = desk.editor.take();
    const again = await openHistory({ file, nowMs: () => 6 });
    // The first one still writes.
    await expect.poll(async () => (await readFile(file, 'utf8').catch(() => '')).length).toBeGreaterThan(0);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect((await stat(join(file, '..'))).mode & 0o777).toBe(0o700);
    expect(again.entries).toEqual([]);
    const next = await openDesk({ history: await openHistory({ file, nowMs: () => 7 }) });
    await next.press(UP);
    expect(next.editor.text).toBe('look: [paste 1: 20 lines]');
    expect(next.editor.take().text).toBe(text);
  });

  it('skips lines that are none, keeps the newest thousand, and goes on when the file cannot be written', async () => {
    const file = join(folder, 'history.jsonl');
    const lines = Array.from({ length: 2_500 }, (_, at) => JSON.stringify({ text: `prompt ${at}` }));
    await writeFile(file, `${lines.join('\n')}\n{"text":\nnull\n{"text":"\ufffc"}\n`, { mode: 0o644 });
    const history = await openHistory({ file, nowMs: () => 0 });
    expect(history.entries).toHaveLength(1_000);
    expect(history.entries.at(-1)?.text).toBe('prompt 2499');
    history.add({ text: 'one more', chips: [] });
    await history.settled();
    const written = (await readFile(file, 'utf8')).trim().split('\n');
    expect(written).toHaveLength(1_001);
    expect((await stat(file)).mode & 0o777).toBe(0o600);

    const problems: string[] = [];
    await mkdir(join(folder, 'taken'));
    const onProblem = (sentence: string) => problems.push(sentence);
    const broken = await openHistory({ file: join(folder, 'taken'), nowMs: () => 0, onProblem });
    broken.add({ text: 'kept in memory', chips: [] });
    await broken.settled();
    expect(broken.entries.map(({ text }) => text)).toEqual(['kept in memory']);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain('Prompts are not kept in');
  });
});

describe('completion', () => {
  const COMMANDS: readonly Candidate[] = [
    { text: '/clear', label: '/clear', detail: 'start over' },
    { text: '/compact', label: '/compact', detail: 'make room' },
    { text: '/model', label: '/model', detail: 'choose a model', continues: true },
  ];
  const commands = commandSource(async (line) =>
    line.startsWith('/model ')
      ? ['opus', 'sonnet']
          .filter((name) => name.startsWith(line.slice(7)))
          .map((name) => ({ text: `/model ${name}`, label: name }))
      : COMMANDS.filter(({ text }) => text.startsWith(line)),
  );
  const PATHS = ['src/', 'src/a.ts', 'my notes.md'];
  const suggest = async (query: string) => PATHS.filter((path) => path.includes(query));
  const sources = [commands, fileSource(suggest), shellPathSource(suggest)];

  it('of a command: the list is drawn below, ↑ ↓ choose, Tab takes', async () => {
    const desk = await openDesk({ sources });
    await desk.press('/c');
    expect(desk.drawn()).toEqual(['› /c|', '› /clear    start over', '  /compact  make room']);
    expect(desk.editor.context).toBe('completion');
    await desk.press(DOWN);
    expect(desk.rows().slice(1)).toEqual(['  /clear    start over', '› /compact  make room']);
    await desk.press('\t');
    expect(desk.drawn()).toEqual(['› /compact |']);
    expect(desk.editor.context).toBe('editor');
  });

  it('Enter completes a command and leaves it to be sent, unless an argument is to follow', async () => {
    const desk = await openDesk({ sources });
    await desk.press('/cl', '\r');
    expect(desk.editor.text).toBe('/clear');
    expect(desk.left).toEqual(['send']);
    desk.editor.clear();
    await desk.press('/mo', '\r');
    expect(desk.left).toEqual(['send']);
    expect(desk.drawn()).toEqual(['› /model |', '  opus', '  sonnet']);
    await desk.press('\r');
    expect(desk.left).toEqual(['send', 'send']);
    await desk.press('so', '\r');
    expect(desk.editor.text).toBe('/model sonnet');
    expect(desk.left).toEqual(['send', 'send', 'send']);
  });

  it('Enter on a part of a command that ends something completes it, and the next one sends it', async () => {
    const leaving = commandSource(async () => [{ text: '/exit', label: '/exit', waits: true }]);
    const desk = await openDesk({ sources: [leaving] });
    await desk.press('/ex', '\r');
    expect([desk.editor.text.trim(), desk.left]).toEqual(['/exit', []]);
    await desk.press('\r');
    expect(desk.left).toEqual(['send']);
  });

  it('of more than fit shows six of them around the chosen one, and counts the others', async () => {
    const many = Array.from({ length: 15 }, (_, at) => `file-${at}.ts`);
    const desk = await openDesk({ sources: [fileSource(async () => many)] });
    await desk.press('@file', ...Array(7).fill(DOWN));
    expect(desk.rows(40, 10).slice(1)).toEqual([
      ...['  file-4.ts', '  file-5.ts', '  file-6.ts', '› file-7.ts', '  file-8.ts', '  file-9.ts'],
      '  … 9 more',
    ]);
    expect(desk.rows(40, 4)).toEqual(['› @file', '  file-6.ts', '› file-7.ts', '  … 13 more']);
  });

  it('Escape closes the list, and it stays closed for this text', async () => {
    const desk = await openDesk({ sources });
    await desk.press('/c', ESCAPE);
    expect(desk.left).toEqual([]);
    expect(desk.drawn()).toEqual(['› /c|']);
    await desk.press('o');
    expect(desk.editor.context).toBe('completion');
  });

  it('of a file behind a blank, quoted where it must be, folder by folder', async () => {
    const desk = await openDesk({ sources });
    await desk.press('look at @sr');
    expect(desk.rows()).toEqual(['› look at @sr', '› src/', '  src/a.ts']);
    await desk.press('\t');
    expect(desk.editor.text).toBe('look at @src/');
    await desk.press(DOWN, '\t', '@no', '\x1b[C');
    expect(desk.editor.text).toBe('look at @src/a.ts @"my notes.md" ');
    await desk.press('me@no');
    expect(desk.editor.context).toBe('editor');
  });

  it('of a path in a shell command, when Tab asks for it', async () => {
    const desk = await openDesk({ sources });
    await desk.press('!cat my');
    expect(desk.editor.context).toBe('editor');
    await desk.press('\t', '\t');
    expect(desk.editor.text).toBe('!cat my\\ notes.md ');
  });

  it('an answer for an older text is dropped, and one that fails is none', async () => {
    const answers: ((found: readonly string[]) => void)[] = [];
    let changes = 0;
    const desk = await openDesk({
      sources: [fileSource(() => new Promise((resolve) => answers.push(resolve)))],
      onChange: () => {
        changes += 1;
      },
    });
    await desk.press('@a', 'b');
    answers[1]?.(['old.ts']);
    await new Promise((resolve) => setImmediate(resolve));
    expect([desk.editor.context, changes]).toEqual(['editor', 0]);
    answers[2]?.(['new.ts']);
    await expect.poll(() => desk.rows()).toEqual(['› @ab', '› new.ts']);
    const failing = await openDesk({ sources: [fileSource(() => Promise.reject(new Error('no ripgrep')))] });
    await failing.press('@a');
    expect(failing.drawn()).toEqual(['› @a|']);
  });
});

describe('a long paste', () => {
  it('is shown by its size and sent in full, each by its number', async () => {
    const desk = await openDesk();
    await desk.press('see ');
    await desk.paste('x\r'.repeat(3_000));
    await desk.press(' and ');
    await desk.paste('y'.repeat(801));
    expect(desk.drawn()).toEqual(['› see [paste 1: 3,000 lines] and [paste 2: 801 characters]|']);
    expect(desk.editor.pastes.map(({ text }) => text.length)).toEqual([6_000, 801]);
    expect(desk.editor.take().text).toBe(`see ${'x\n'.repeat(3_000)} and ${'y'.repeat(801)}`);
    await desk.paste('eight\r'.repeat(7));
    expect(desk.rows()).toHaveLength(8);
  });

  it('is one character to the keys, and comes back with undo and from the queue', async () => {
    const desk = await openDesk();
    await desk.paste('x\r'.repeat(10));
    await desk.press('\x1b[D', 'a', '\x1b[C', '\x7f');
    expect(desk.editor.text).toBe('a');
    await desk.press('\x1f');
    expect(desk.editor.text).toBe('a[paste 1: 10 lines]');
    const draft = desk.editor.take();
    desk.editor.replace(structuredClone(draft));
    expect(desk.editor.text).toBe('a[paste 1: 10 lines]');
    expect(desk.editor.take()).toEqual(draft);
    desk.editor.replace({ text: 'from another process', images: [] });
    expect(desk.editor.text).toBe('from another process');
    const long = { text: 'a line\n'.repeat(5_000), images: [] };
    desk.editor.replace(long);
    expect(desk.editor.text).toBe('[paste 1: 5,000 lines]');
    expect(desk.editor.take()).toEqual(long);
  });

  it('stays one when a queued message is put before the text', async () => {
    const desk = await openDesk();
    await desk.paste('q\r'.repeat(10));
    const queued = desk.editor.take();
    await desk.press('new ');
    await desk.paste('x\r'.repeat(20));
    desk.editor.prepend(queued);
    expect(desk.drawn()).toEqual(['› [paste 1: 10 lines]', '  new [paste 1: 20 lines]|']);
    expect(desk.editor.take().text).toBe(`${'q\n'.repeat(10)}\nnew ${'x\n'.repeat(20)}`);
    desk.editor.prepend(queued);
    expect(desk.drawn()).toEqual(['› [paste 1: 10 lines]|']);
  });

  it('keeps its place when the text comes back from an external editor', async () => {
    const desk = await openDesk();
    await desk.press('see ');
    await desk.paste('x\r'.repeat(10));
    desk.editor.importText(`first\n${desk.editor.text} [paste 9: 1 lines]`);
    expect(desk.editor.take().text).toBe(`first\nsee ${'x\n'.repeat(10)} [paste 9: 1 lines]`);
  });
});

describe('an image', () => {
  it('whose path is pasted, as terminals write it when it is dropped on them, is sent as an image', async () => {
    await mkdir(join(folder, 'my pictures'));
    const file = join(folder, 'my pictures', 'a.png');
    await writeFile(file, PNG);
    await writeFile(join(folder, 'text.png'), 'no image');
    const images = { ...createImageFiles(folder, folder), clipboard: async () => ({ problem: '' }) };
    for (const written of [
      file,
      `${file.replaceAll(' ', '\\ ')} `,
      `'${file}'`,
      `file://${file.replaceAll(' ', '%20')}`,
      '~/my\\ pictures/a.png',
    ]) {
      const desk = await openDesk({ images });
      await desk.paste(written);
      await desk.press('what is this?');
      expect(desk.editor.text, written).toBe('[image 1: a.png 1×1] what is this?');
      expect(desk.editor.take()).toEqual({
        text: '[image 1: a.png 1×1] what is this?',
        images: [{ mediaType: 'image/png', data: PNG.toString('base64') }],
      });
    }
    const desk = await openDesk({ images });
    for (const written of [join(folder, 'text.png'), join(folder, 'missing.png'), `see ${file}`]) {
      await desk.paste(written);
      expect(desk.editor.take()).toEqual({ text: written, images: [] });
    }
    expect(pathsIn(`/a/b.png '/c d/e.jpg'`)).toEqual(['/a/b.png', '/c d/e.jpg']);
    expect(pathsIn('C:\\pictures\\a.png')).toEqual(['C:\\pictures\\a.png']);
  });

  it('of the clipboard comes by Ctrl+V, and by an empty paste', async () => {
    const image = { mediaType: 'image/png', data: PNG.toString('base64'), width: 1, height: 1 };
    const desk = await openDesk({ images: { named: () => undefined, clipboard: async () => ({ image }) } });
    await desk.press('a ', '\x16');
    await desk.paste('');
    expect(desk.editor.text).toBe('a [image 1: 1×1] [image 2: 1×1] ');
    const draft = desk.editor.take();
    const elsewhere = await openDesk();
    elsewhere.editor.replace(draft);
    expect(elsewhere.editor.take()).toEqual(draft);
    const without = await openDesk();
    await without.press('\x16');
    expect(without.problems).toEqual(['no clipboard']);
  });

  it('is read by the tools of the platform, and without them there is a sentence', async () => {
    const bin = join(folder, 'bin');
    await mkdir(bin);
    await writeFile(join(folder, 'a.png'), PNG);
    await writeFile(join(bin, 'xclip'), `#!/bin/sh\nexec /bin/cat '${join(folder, 'a.png')}'\n`, {
      mode: 0o755,
    });
    const env = { PATH: bin, DISPLAY: ':0', WAYLAND_DISPLAY: 'wayland-0' };
    expect(await clipboardImage({ platform: 'linux', env })).toMatchObject({
      image: { width: 1, mediaType: 'image/png' },
    });
    await writeFile(join(bin, 'wl-paste'), '#!/bin/sh\nexit 1\n', { mode: 0o755 });
    await writeFile(join(bin, 'xclip'), '#!/bin/sh\necho nothing\n', { mode: 0o755 });
    expect(await clipboardImage({ platform: 'linux', env })).toEqual({
      problem: 'The clipboard holds no image.',
    });
    expect(await clipboardImage({ platform: 'linux', env: { PATH: folder, DISPLAY: ':0' } })).toEqual({
      problem: 'Install xclip to paste images, or paste the path of an image file.',
    });
    expect(await clipboardImage({ platform: 'linux', env: {} })).toEqual({
      problem: 'This terminal has no clipboard with images. Paste the path of an image file instead.',
    });
  });
});

describe('the external editor', () => {
  const place = () => {
    const calls: string[] = [];
    return {
      calls,
      platform: process.platform,
      cwd: folder,
      release: () => calls.push('release'),
      take: () => calls.push('take'),
    };
  };
  const path = { PATH: process.env['PATH'] };

  it('gets the terminal and the text, and its text comes back', async () => {
    const editor = join(folder, 'my editor');
    await writeFile(
      editor,
      '#!/bin/sh\nprintf \'%s\\n\' "$1" "$2" "$(cat "$2")" > seen\necho "edited\r" > "$2"\n',
      {
        mode: 0o755,
      },
    );
    const at = place();
    const env = { ...path, VISUAL: `'${editor}' --wait`, EDITOR: 'false' };
    expect(await editExternally({ ...at, text: 'one\ntwo', env })).toEqual({ text: 'edited' });
    expect(at.calls).toEqual(['release', 'take']);
    const [flag, file, ...text] = (await readFile(join(folder, 'seen'), 'utf8')).trim().split('\n');
    expect([flag, ...text]).toEqual(['--wait', 'one', 'two']);
    expect(file).toMatch(/prompt\.md$/);
    await expect(stat(file!)).rejects.toThrow('ENOENT');
  });

  it.each([
    ['exit 3', 'ended with exit code 3; the text is as it was.'],
    ['no-such-editor-here', 'is not installed. Set VISUAL or EDITOR to your editor.'],
  ])(
    'that fails (%s) leaves the text as it was, and the terminal is taken again',
    async (command, sentence) => {
      const at = place();
      const edited = await editExternally({ ...at, text: 'one', env: { ...path, EDITOR: command } });
      expect(edited).toEqual({ problem: `${command} ${sentence}` });
      expect(at.calls).toEqual(['release', 'take']);
    },
  );
});

/** What was typed and not sent, on disk. */
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { draftFile, draftPath, readDraft, takeOrphanedDraft } from '../../src/conversation/session/drafts.ts';

const ended = 2 ** 22 + 1;
const png = { mediaType: 'image/png', data: Buffer.from('not really a picture').toString('base64') };
const gif = { mediaType: 'image/gif', data: Buffer.from('another one').toString('base64') };
const never = (sentence: string) => {
  throw new Error(sentence);
};
const place = () => {
  const sessions = mkdtempSync(join(tmpdir(), 'turnwright-drafts-'));
  const path = draftPath(sessions, 'session-1');
  const images = join(dirname(path), 'draft-images');
  return { sessions, path, images };
};
const aside = { text: 'for later [image 1: a.png]', images: [png] };
const queued = { uuid: 'q', text: 'see [image 1]', images: [gif], place: 'session' } as const;

test('a draft comes back with its images, and those of the queue', () => {
  const { path, images } = place();
  draftFile(path, never).keep({
    text: 'look at [image 1: a.png]',
    images: [png],
    queue: [queued],
    stash: [aside],
  });
  expect(readDraft(path)).toEqual({
    pid: process.pid,
    text: 'look at [image 1: a.png]',
    images: [png],
    queue: [{ ...queued, place: 'here' }],
    stash: [aside],
  });
  for (const file of [path, ...readdirSync(images).map((name) => join(images, name))])
    expect(statSync(file).mode & 0o777).toBe(0o600);
});

test('an image is written once, and removed with the last draft that has it', () => {
  const { path, images } = place();
  const file = draftFile(path, never);
  file.keep({ text: 'a', images: [png], queue: [queued], stash: [] });
  const files = readdirSync(images).map((name) => join(images, name));
  expect(files).toHaveLength(2);
  for (const each of files) utimesSync(each, 1, 1);
  file.keep({ text: 'a longer text', images: [png], queue: [queued], stash: [] });
  expect(files.map((each) => statSync(each).mtimeMs)).toEqual([1_000, 1_000]);
  expect(readFileSync(path, 'utf8')).not.toContain(png.data);
  file.keep({ text: 'a longer text', images: [], queue: [queued], stash: [] });
  expect(readdirSync(images)).toHaveLength(1);
  file.keep({ text: '', images: [], queue: [], stash: [] });
  expect(readdirSync(dirname(path))).toEqual([]);
});

test('the draft of a killed process is taken with its images', () => {
  const { sessions, path } = place();
  draftFile(path, never).keep({ text: 'look at [image 1]', images: [png], queue: [], stash: [] });
  const content = JSON.parse(readFileSync(path, 'utf8')) as object;
  writeFileSync(path, JSON.stringify({ ...content, pid: ended }));
  expect(takeOrphanedDraft(sessions)).toMatchObject({ text: 'look at [image 1]', images: [png] });
  expect(readdirSync(dirname(path))).toEqual([]);
});

test('a draft of the first version is read: its images were in it, and only those of the queue', () => {
  const { path } = place();
  mkdirSync(dirname(path));
  writeFileSync(path, JSON.stringify({ version: 1, pid: ended, text: 'typed', queue: [queued] }));
  expect(readDraft(path)).toMatchObject({
    text: 'typed',
    images: [],
    queue: [{ text: queued.text, images: [gif] }],
  });
});

test('a draft names no other file than an image of its own', () => {
  const { path } = place();
  mkdirSync(dirname(path));
  writeFileSync(join(dirname(path), 'other'), 'secret');
  const images = ['../other', 'absent', '0'.repeat(32), 5].map((file) => ({ mediaType: 'image/png', file }));
  writeFileSync(
    path,
    JSON.stringify({ version: 2, pid: ended, text: 'typed', images: [...images, null], queue: [null] }),
  );
  expect(readDraft(path)).toMatchObject({ text: 'typed', images: [], queue: [] });
});

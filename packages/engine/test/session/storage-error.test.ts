/** F71: what went wrong with storage is said with the reason of the system and what to do. */
import { expect, it } from 'vitest';
import { storageError } from '../../src/session/journal/storage-error.ts';

it('without a cause it says its sentence alone', () => {
  const error = storageError('The journal is closed.');
  expect(error.message).toBe('The journal is closed.');
  expect('cause' in error).toBe(false);
});

it('with a cause it says what to do, and keeps the cause', () => {
  const cause = Object.assign(new Error('write failed'), { code: 'ENOSPC' });
  const error = storageError('The journal was not written.', cause);
  expect(error.message).toMatch(
    /^The journal was not written\. The disk is full \(ENOSPC\): free some space/,
  );
  expect(error.cause).toBe(cause);
});

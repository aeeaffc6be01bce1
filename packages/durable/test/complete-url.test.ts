import { expect, test } from 'vitest';
import { completeUrl } from '../src/postgres/database.ts';

test.each([
  ['postgresql:///db?host=/run/pg', 'postgresql://me@localhost/db?host=/run/pg'],
  ['postgresql://localhost/db', 'postgresql://me@localhost/db'],
  ['postgres://you@/db?host=/run/pg', 'postgres://you@localhost/db?host=/run/pg'],
  [
    'postgresql://you:p%40ss@host:5433/db?sslmode=require',
    'postgresql://you:p%40ss@host:5433/db?sslmode=require',
  ],
  ['postgresql://@host/db', 'postgresql://me@host/db'],
  ['not a url', 'not a url'],
])('%s', (url, completed) => {
  expect(completeUrl(url, 'me')).toBe(completed);
});

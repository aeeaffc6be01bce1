/** A matcher comes from a file, and the name that it is held against from a server or a model. */
import { expect, it } from 'vitest';
import { compileMatcher, matchesNothing } from '../../src/hooks/compile-matcher.ts';

it.each([
  ['^(mcp__)+a$', 'mcp__a', true],
  ['^(mcp__)+a$', 'mcp__b', false],
  ['^(?:Edit|Write)+$', 'EditWrite', true],
  ['.*a.*b.*c.*d', 'a-b-c-d', true],
  ['.*a.*b.*c.*d', 'a-b-c', false],
])('the matcher %s is held against %s', (matcher, name, matches) => {
  expect(compileMatcher(matcher, 'PreToolUse')(name)).toBe(matches);
});

it.each(['(a+)+$', '(a|a)*$', '(?:a{1,9})+$', '.*.*.*.*.*.*.*.*.*.*x', '([a-z]+)*1'])(
  'a hook runs where its matcher %s takes too long to say whether it does',
  (matcher) => {
    expect(compileMatcher(matcher, 'PreToolUse')(`${'a'.repeat(200)}!`)).toBe(true);
    expect(matchesNothing(matcher, 'PreToolUse', () => [`${'a'.repeat(200)}!`])).toBe(false);
  },
);

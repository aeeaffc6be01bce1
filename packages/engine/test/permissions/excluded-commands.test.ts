import { expect, it } from 'vitest';
import { allowsCommand, commandExcludedBy } from '../../src/permissions/commands/command-rule.ts';
import { Steps } from '../../src/permissions/decide/steps.ts';
import { readCommandLine } from '../../src/shell/reading/command-line.ts';

it.each([
  ['git status', 'git status', true],
  ['git status', 'git status -s', false],
  ['git status:*', 'git status -s', true],
  ['git status *', 'git log', false],
  ['git status:*', 'git status && git status', false],
  ['git status:*', 'git status > a.txt', false],
  ['git status:*', 'A=1 git status', false],
  ['git status:*', 'git status $WORD', false],
  ['git status:*', '', false],
  ['git status:*', 'git status "', false],
])('the rule %j covers %j: %j', async (specifier, command, covered) => {
  expect(allowsCommand(specifier, await readCommandLine(command), new Steps().take)).toBe(covered);
});

it.each([
  ['docker ps', true],
  ['docker ps && git status', true],
  ['docker ps | docker ps; git status', true],
  ['docker ps && ls', false],
  ['cd /tmp && docker ps', false],
  ['docker ps > a.txt', false],
  ['A=1 docker ps', false],
  ['docker $WHAT', false],
  ['', false],
  ['docker ps "', false],
])('%j consists only of excluded commands: %j', async (command, excluded) => {
  expect(await commandExcludedBy(['docker:*', 'git status', 'cd:*'], command)).toBe(excluded);
});

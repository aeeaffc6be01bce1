/** Command rules by their form: stars, whole lines, here-documents, variables in front, loops over words. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { nodeFiles } from '@turnwright/base/files/node-files.ts';
import { question, TOOLS, tempFolder } from '@turnwright/test/permissions/ask-doubles.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createPermissions, type PermissionOptions } from '../../src/permissions/permission-engine.ts';

const folder = await tempFolder();
const cwd = join(folder.path, 'p');
beforeAll(async () => {
  for (const git of ['.git', 'sub/.git']) {
    for (const name of ['objects', 'refs']) await mkdir(join(cwd, git, name), { recursive: true });
    await writeFile(join(cwd, git, 'HEAD'), 'ref: refs/heads/main\n');
  }
  await writeFile(join(cwd, 'a'), 'text');
});
afterAll(() => folder.remove());

const verdictOn = (command: string, options: Partial<PermissionOptions>) =>
  createPermissions({ files: nodeFiles, allowDangerouslySkipPermissions: true, ...options }).decide(
    question(TOOLS.Bash, { command }, cwd),
  );
const kindOf = async (command: string, options: Partial<PermissionOptions>) =>
  (await verdictOn(command, options)).kind;

/** What the rule covers as allow rule, and what it must not. */
const COVERED: readonly [rule: string, covered: readonly string[], asked: readonly string[]][] = [
  [
    '* --version',
    ['foo --version', 'foo bar --version', '"foo" --version'],
    [
      'foo; mk x --version',
      'mk --version x',
      'foo "a --version"',
      'foo $X --version',
      'foo --version > x',
      '$(mk) --version',
      'env PATH=. foo --version',
      'touch x --version',
      'foo --version & mk',
    ],
  ],
  [
    'docker compose exec * pytest',
    ['docker compose exec web pytest', 'docker compose exec -T web x pytest'],
    [
      'docker compose exec pytest',
      'docker compose exec web pytest -x',
      'docker compose exec "web pytest"',
      'docker compose exec web; mk pytest',
      'docker compose exec $(mk) pytest',
      'docker compose exec web && mk pytest',
    ],
  ],
  [
    'mkls*',
    ['mkls', 'mklsof', 'mkls -x y'],
    [
      'mkls; mk',
      'mkls && mk',
      'mkls $(mk)',
      'mkls > out',
      'amkls',
      './mkls',
      'mkls | mk',
      'mkls\nmk',
      '(mkls; mk)',
    ],
  ],
  ['ls*', ['lsof'], ['ls; mk', 'mk ls']],
  [
    'curl https://x.y/*',
    ['curl https://x.y/a', "curl 'https://x.y/a?b=c'", 'curl https://x.y/a b'],
    [
      'curl https://x.y',
      'curl https://x.yz/a',
      'curl https://x.y/a -o M',
      'curl -o M https://x.y/a',
      'curl https://x.y/a -KM',
      'curl https://x.y/$A',
    ],
  ],
  ['npm run *:fix', ['npm run lint:fix'], ['npm run lint', 'npm run lint:fix --x', 'npm run "$X:fix"']],
  ['mk a*', ['mk a', 'mk ab', 'mk a b'], ['mk b', 'mk', 'mka']],
  ['mk * --x *', ['mk a --x b', 'mk a b --x c d'], ['mk --x b', 'mk a --x', 'mk a --x b; rm c']],
  ['*mk', ['mk', 'amk'], ['mk a']],
  ['mk "*"', ['mk a', 'mk "a b"'], ['mk a b', 'mk "a" b']],
  ["mk 'a *' z", ['mk "a b" z'], ['mk a b z', 'mk "a" "b" z']],
  ['mk a\\*', ["mk 'a*'"], ['mk ab', 'mk a']],
  ['mk *', ['mk', 'mk a "b c"'], ['mk; x', 'mka', 'mk $X', 'mk *.txt']],
  [
    'git *',
    ['git frob'],
    ['git x; rm', 'git x | sh', 'git -c core.pager=x log', 'git $X', 'git log --output=x'],
  ],
  [
    'git log --output=*',
    ['git log --output=x', 'git log --output=x --oneline'],
    ['git log -o x --ext-diff', 'git log --output=x --ext-diff'],
  ],
  ['sort -* a', ['sort -r a'], ['sort -oM a', 'sort -o M a']],
  ['find * -name x', ['find . -name x'], ['find . -delete -name x', 'find . -exec mk {} ; -name x']],
  ['m*k:*', [], ['mk', 'mak b']],
  ['mk a && mk b', ['mk a && mk b'], ['mk a', 'mk a && mk b && mk c', 'mk a && mk b > x']],
  ['for i in $(mk); do mk $i; done', ['for i in $(mk); do mk $i; done'], ['mk 1']],
  ['FOO=1 mk', ['FOO=1 mk', 'FOO=1 mk && pwd'], ['FOO=2 mk', 'mk', 'FOO=1 mk a']],
  ['cd sub && git status', [], ['cd sub && git status']],
  ['echo x > .mcp.json', [], ['echo x > .mcp.json']],
];

describe.each(COVERED)('allow Bash(%s)', (rule, covered, asked) => {
  it.each(covered)('covers %j', async (command) => {
    expect(await kindOf(command, { allow: [`Bash(${rule})`] })).toBe('allow');
  });
  it.each(asked)('does not cover %j', async (command) => {
    expect(await kindOf(command, { allow: [`Bash(${rule})`] })).toBe('ask');
  });
});

it.each<[rule: string, forbidden: readonly string[], left: readonly string[]]>([
  ['*evil*', ['echo evil', 'pwd; xevilx'], ['echo good']],
  [
    'm1 * x',
    ['m1 a x', 'm1 a b x', '/bin/m1 a x', 'm1 a x y', 'bash -c "m1 a x"', 'M1 a x'],
    ['m1 x', 'zm1 a x', 'm1 a xy'],
  ],
  [
    'mk*',
    ['mk', 'mkx', 'pwd && mkx y', '"m"k', 'm\\k x', 'timeout 5 mkx', 'echo $(mk)', '/usr/bin/mkx'],
    ['zmk', 'echo mk', 'git commit -m "mk"'],
  ],
  [
    '* --force',
    ['foo --force', 'pwd && foo --force x', 'git push --force origin'],
    ['foo', 'git commit -m "x --force"'],
  ],
  [
    'git push*',
    ['git push', 'git push -f', 'git -C x push', 'git push-x'],
    ['git status', 'git commit -m "git push"'],
  ],
  ['git push *--force*', ['git push origin --force', 'git push --force-with-lease'], ['git push origin']],
])('a rule that forbids Bash(%s)', async (rule, forbidden, left) => {
  for (const behavior of ['deny', 'ask'] as const) {
    const options = { allow: ['Bash'], [behavior]: [`Bash(${rule})`] };
    for (const command of forbidden) expect(await kindOf(command, options), command).toBe(behavior);
    for (const command of left) expect(await kindOf(command, options), command).toBe('allow');
  }
});

const document = (start: string, body: string, end: string) => `"$(cat ${start}\n${body}\n${end}\n)"`;
const BODY = 'fix(a): don\'t `x` $(mk) "q" $Y';
it.each<[word: string, kind: 'allow' | 'ask']>([
  [document("<<'EOF'", BODY, 'EOF'), 'allow'],
  [document('<<"EOF"', BODY, 'EOF'), 'allow'],
  [document('<<\\EOF', BODY, 'EOF'), 'allow'],
  [document("<<-'EOF'", `\t${BODY}`, '\tEOF'), 'allow'],
  [document("<<'E F'", BODY, 'E F'), 'allow'],
  [`"a "${document("<<'EOF'", BODY, 'EOF')}" b"`, 'allow'],
  [document('<<EOF', 'text', 'EOF'), 'ask'],
  [document('<<EOF', '$(mk)', 'EOF'), 'ask'],
  [document("- <<'EOF'", BODY, 'EOF'), 'ask'],
  [document("/etc/passwd <<'EOF'", BODY, 'EOF'), 'ask'],
  [document("<<'EOF'; mk", BODY, 'EOF'), 'ask'],
  [document("<<'EOF' | mk", BODY, 'EOF'), 'ask'],
  [document("<<'EOF' &", BODY, 'EOF'), 'ask'],
  [document("<<'EOF' > x", BODY, 'EOF'), 'ask'],
  [document("3<<'EOF'", BODY, 'EOF'), 'ask'],
  [`"$(cat <<'EOF'\n${BODY}\nEOF\nmk)"`, 'ask'],
  [`"$(mk <<'EOF'\n${BODY}\nEOF\n)"`, 'ask'],
  [`"$(A=1 cat <<'EOF'\n${BODY}\nEOF\n)"`, 'ask'],
  [`$(cat <<'EOF'\n${BODY}\nEOF\n)`, 'ask'],
])('a here-document in a substitution is text where nothing expands it: %j → %s', async (word, kind) => {
  for (const [rule, line] of [
    ['gh pr create:*', `gh pr create --title t --body ${word}`],
    ['mk:*', `mk -m ${word}`],
    ['git commit:*', `git commit -m ${word}`],
  ] as const)
    expect(await kindOf(line, { allow: [`Bash(${rule})`] }), line).toBe(kind);
});

const HARMLESS =
  'NODE_ENV CI TZ LANG LANGUAGE LC_ALL LC_TIME TERM COLORTERM COLUMNS LINES NO_COLOR FORCE_COLOR CLICOLOR LS_COLORS GREP_COLOR GREP_COLORS GCC_COLORS TIME_STYLE BLOCKSIZE BLOCK_SIZE RUST_LOG RUST_BACKTRACE PYTHONUNBUFFERED PYTHONDONTWRITEBYTECODE PYTEST_DEBUG GOOS GOARCH GOEXPERIMENT GO111MODULE CGO_ENABLED DEBIAN_FRONTEND CHARSET'.split(
    ' ',
  );
const STEERING =
  'FOO DEBUG PATH LD_PRELOAD LD_LIBRARY_PATH NODE_OPTIONS NODE_PATH GIT_DIR GIT_PAGER BASH_ENV ENV IFS PYTHONPATH PYTHONSTARTUP HOME SHELL PAGER EDITOR GOFLAGS RUSTFLAGS npm_config_x ANTHROPIC_API_KEY RAILS_ENV AWS_PROFILE PORT XNODE_ENV NODE_ENVX'.split(
    ' ',
  );
describe('variables in front of a command', () => {
  const allow = ['Bash(mk:*)'];
  it.each(HARMLESS)('%s does not keep a rule from covering it', async (name) => {
    expect(await kindOf(`${name}=x mk a`, { allow })).toBe('allow');
    expect(await kindOf(`CI=1 ${name}=x ls`, {})).toBe('allow');
  });
  it.each(STEERING)('%s does, and the question names it', async (name) => {
    expect(await verdictOn(`${name}=x mk a`, { allow })).toMatchObject({
      kind: 'ask',
      message: expect.stringContaining(name),
    });
    expect(await kindOf(`${name}=x ls`, {})).toBe('ask');
  });
  it.each<[command: string, kind: 'allow' | 'ask']>([
    ['NODE_ENV=a CI=1 mk', 'allow'],
    ['NODE_ENV="test" mk', 'allow'],
    ['NODE_ENV= mk', 'allow'],
    ['TZ=Europe/Berlin mk', 'allow'],
    ['RUST_LOG=a=debug,b::c mk', 'allow'],
    ['NODE_ENV=a; mk', 'allow'],
    ['NODE_ENV=a FOO=1 mk', 'ask'],
    ['NODE_ENV=$X mk', 'ask'],
    ['NODE_ENV=$(x) mk', 'ask'],
    ['NODE_ENV+=a mk', 'ask'],
    ['NODE_ENV[0]=a mk', 'ask'],
    ['NODE_ENV=(a) mk', 'ask'],
    ['NODE_ENV="a b" mk', 'ask'],
    ['TZ=/etc/passwd mk', 'ask'],
    ['TZ=:x/../y mk', 'ask'],
    ['NODE_ENV=../x mk', 'ask'],
    ['LANGUAGE=~/x mk', 'ask'],
    ['NODE_ENV=a other', 'ask'],
  ])('%j → %s', async (command, kind) => {
    expect(await kindOf(command, { allow })).toBe(kind);
  });
});

it.each<[command: string, kind: 'allow' | 'ask']>([
  ['exit 0', 'allow'],
  ['exit', 'allow'],
  ['true; :', 'allow'],
  ['ls || exit 1', 'allow'],
  ['for i in 1 2 3; do echo test $i; done', 'allow'],
  ['for i in a; do cat $i || break; done', 'allow'],
  ['for i in 1 2; do mk "x-$i" --n=$i; done', 'allow'],
  ['for i in 1 2; do for j in a b; do mk $i$j; done; done', 'allow'],
  ['for i in a /etc/passwd; do cat $i; done', 'ask'],
  ['for i in r oM; do sort -$i a; done', 'ask'],
  ['for i in 1 2; do other $i; done', 'ask'],
  ['for i in 1 "a b"; do mk $i; done', 'ask'],
  ['for i in *; do mk $i; done', 'ask'],
  ['for i in 1 2; do $i; done', 'ask'],
  ['exit $(mk)', 'ask'],
])('harmless words and loops over constants: %j → %s', async (command, kind) => {
  expect(await kindOf(command, { allow: ['Bash(mk:*)'] })).toBe(kind);
});

it.each<[command: string, word: string]>([
  ['mk $X', '"$X" holds a variable'],
  ['mk "a$(date)"', '"a$(date)" holds a substitution'],
  ['mk *.txt', '"*.txt" is a pattern'],
  ['FOO=1 mk', '"FOO=1" sets a variable'],
  ['mk a; rm b', '"rm b"'],
  ['curl u -o f', '"-o" writes a file or runs a program'],
  ['x() { ls; }', '"x() { ls; }"'],
  ['mk ${x:1}', '"${x:1}"'],
  ['$X y', '"$X"'],
  ['PATH=. mk', 'PATH'],
  ['eval x', 'eval'],
])('a question names the word that caused it: %j', async (command, word) => {
  expect(await verdictOn(command, { allow: ['Bash(mk:*)', 'Bash(curl:*)'] })).toMatchObject({
    kind: 'ask',
    message: expect.stringContaining(word),
  });
});

it.each<[command: string, word: string]>([
  ['cat $X', '"$X"'],
  ['tar cf - .', '"tar cf - ." reads or changes what lies below a folder'],
  ['ls && cat s*', '"s*"'],
])('and so does one that a deny rule may be about: %j', async (command, word) => {
  const options = { allow: ['Bash'], deny: ['Read(secret)', 'Read(a)'], mode: 'bypassPermissions' } as const;
  expect(await verdictOn(command, options)).toMatchObject({
    kind: 'ask',
    message: expect.stringContaining(word),
  });
});

it('a bare tool allows what cannot be read; rules that forbid and protected places still win', async () => {
  const allow = ['Bash'];
  for (const command of [
    'echo "$(date)"',
    'touch "$(date)"',
    'eval "$X"',
    '$X y',
    'x() { ls; }',
    'echo x > $F',
  ])
    expect(await kindOf(command, { allow }), command).toBe('allow');
  for (const command of ['eval "$X"', '$X y']) {
    expect(await kindOf(command, { allow, deny: ['Bash(rm:*)'] }), command).toBe('ask');
    expect(await kindOf(command, { allow, ask: ['Bash(rm:*)'] }), command).toBe('ask');
  }
  expect(await kindOf('rm x', { allow, deny: ['Bash(rm:*)'] })).toBe('deny');
  for (const command of [
    'echo x > .mcp.json',
    'f=.mcp.json; echo x > $f',
    'tee "$PWD/.claude/settings.json"',
  ])
    expect(await kindOf(command, { allow }), command).toBe('ask');
});

/** Options that write or run are not part of a command's name. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { nodeFiles } from '@turnwright/base/files/node-files.ts';
import { question, TOOLS, tempFolder } from '@turnwright/test/permissions/ask-doubles.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createPermissions, type PermissionOptions } from '../../src/permissions/permission-engine.ts';

const folder = await tempFolder();
const cwd = join(folder.path, 'proj');

beforeAll(async () => {
  for (const name of ['sub', '.claude']) await mkdir(join(cwd, name), { recursive: true });
  await writeFile(join(cwd, 'a.txt'), 'x\n');
});
afterAll(() => folder.remove());

const kindOf = async (command: string, options: Partial<PermissionOptions>) =>
  (await createPermissions({ files: nodeFiles, ...options }).decide(question(TOOLS.Bash, { command }, cwd)))
    .kind;

describe('a rule for the program does not cover', () => {
  it.each([
    ['git log', 'git log --output=M'],
    ['git log', 'git log --outp=M'],
    ['git log', 'git log --output M'],
    ['git diff', 'git diff --no-index --output=M /dev/null a.txt'],
    ['git diff', 'git diff --ext-diff'],
    ['git diff', 'git diff --ext'],
    ['git show', 'git show --textconv HEAD:a'],
    ['git', 'git -c core.pager=P log'],
    ['git', 'git --exec-path=. log'],
    ['git', 'git --config-env=core.pager=P log'],
    ['git', 'git -p log'],
    ['git', 'git archive -o M HEAD'],
    ['git', 'git archive -oM HEAD'],
    ['git', 'git format-patch -o M -1'],
    ['git', 'git grep -OP x'],
    ['git', 'git grep --open-files-in-pager=P x'],
    ['git', 'git rebase -x P HEAD~1'],
    ['git', 'git rebase --exec=P HEAD~1'],
    ['git', 'git fetch --upload-pack=P'],
    ['git', 'git fetch --upl=P'],
    ['git', 'git push --receive-pack=P'],
    ['git', 'git clone -u P a b'],
    ['git', 'git clone -c core.fsmonitor=P a b'],
    ['git', 'git clone "ext::P" b'],
    ['git', 'git bisect run P'],
    ['git', 'git submodule foreach P'],
    ['git', 'git difftool -x P'],
    ['git', 'git config core.fsmonitor P'],
    ['sed', "sed '1e P' a.txt"],
    ['sed', "sed -s '1W M' a.txt"],
    ['sed', 'sed -f s.sed a.txt'],
    ['sed', 'sed -n "1w M" a.txt'],
    ['sed', 'sed s/a/b/e a.txt'],
    ['sed', "sed 's/a/b/;s/b/c/w M' a.txt"],
    ['sed', "sed 's/[/]/x/;w M' a.txt"],
    ['sed', "sed '/a/{p;w M\n}' a.txt"],
    ['sed', "sed -e p -e 'w M' a.txt"],
    ['sed', "sed '-e' 'e P' a.txt"],
    ['sed', "sed --expression='e P' a.txt"],
    ['sed', 'sed -i s/a/b/ a.txt'],
    ['sed', 'sed --in-pl s/a/b/ a.txt'],
    ['sed', 'sed -ni p a.txt'],
    ['sort', 'sort -o M a.txt'],
    ['sort', 'sort -uoM a.txt'],
    ['sort', "sort '-o' M a.txt"],
    ['find', String.raw`find . -exec sort '-o{}' \;`],
    ['find', String.raw`find . -exec sort *{} \;`],
    ['sort', String.raw`sort \--output=M a.txt`],
    ['sort', 'sort --outp M a.txt'],
    ['sort', 'sort a.txt -o M'],
    ['sort', 'sort --compress-program=./c.sh -S 16b a.txt'],
    ['sort', 'sort -T sub a.txt'],
    ['uniq', 'uniq a.txt M'],
    ['awk', `awk 'BEGIN{system("P")}'`],
    ['awk', `awk '{print > "M"}' a.txt`],
    ['awk', `awk '{print | "P"}' a.txt`],
    ['awk', `awk 'BEGIN{"P" | getline}'`],
    ['awk', 'awk -f s.awk a.txt'],
    ['awk', `awk -F, '{print $1 > "M"}' a.txt`],
    ['gawk', 'gawk -i inplace 1 a.txt'],
    ['find', 'find . -delete'],
    ['find', 'find . -fprint M'],
    ['find', String.raw`find . -exec P {} \;`],
    ['rg', 'rg --pre P x'],
    ['rg', 'rg --pr P x'],
    ['tar', 'tar xf a.tar --to-command=P'],
    ['tar', 'tar cf a.tar --checkpoint=1 --checkpoint-action=exec=P .'],
    ['tar', 'tar -I P -cf a.tar .'],
    ['tar', 'tar cIf P a.tar .'],
    ['tar', 'tar --use-comp=P -cf a.tar .'],
    ['rsync', 'rsync -e P a b:'],
    ['rsync', 'rsync -ave P a b:'],
    ['ssh', 'ssh -o ProxyCommand=P a'],
    ['ssh', 'ssh -vo ProxyCommand=P a'],
    ['curl', 'curl -o M http://a.example'],
    ['curl', 'curl -sSLo M http://a.example'],
    ['curl', 'curl -K c http://a.example'],
    ['curl', 'curl --output M http://a.example'],
    ['wget', 'wget -O M http://a.example'],
    ['wget', 'wget --use-askpass=P http://a.example'],
    ['less', 'less "+!P" a.txt'],
    ['less', 'less -o M a.txt'],
    ['man', 'man -P P ls'],
    ['man', 'man -aP P ls'],
    ['vim', 'vim -c "!P" a.txt'],
    ['xargs', 'xargs P'],
    ['split', 'split --filter=P a.txt'],
    ['zip', 'zip -TT P a.zip a.txt'],
    ['xargs', 'xargs -I% sort %'],
  ])('Bash(%s:*): %s', async (name, command) => {
    const allow = [`Bash(${name}:*)`];
    expect(await kindOf(command, { allow })).toBe('ask');
    expect(await kindOf(command, { mode: 'dontAsk', allow })).toBe('deny');
    expect(await kindOf(command, { mode: 'acceptEdits', allow })).toBe('ask');
    expect(await kindOf(command, { allow: ['Bash(sort:*)', ...allow] })).toBe('ask');
  });
});

describe('but it covers', () => {
  it.each([
    ['git log', 'git log --oneline --graph --all -n 5 --date=short --output-indicator-new=x'],
    ['git', 'git commit -m "x > y" && git push origin main'],
    ['git', 'git --no-pager diff --stat'],
    ['git', 'git checkout -b x'],
    ['git', 'git clone http://a.example/b.git'],
    ['sed', "sed -n '/a/,/b/p' a.txt"],
    ['sed', "sed -E 's/(a|b)\\/c/\\1/g; 5,$d' a.txt"],
    ['sed', "sed -e 's|/usr|/opt|' -e '/^#/d' a.txt"],
    ['sort', 'sort -t: -k2,2n -u --parallel=2 a.txt'],
    ['awk', "awk -F: '$3 > 100 {print $1}' a.txt"],
    ['awk', "awk '{s += $1} END {print s}' a.txt"],
    ['find', 'find . -name "*.ts" -newer a.txt -print0'],
    ['tar', 'tar -czf a.tgz sub'],
    ['tar', 'tar tf a.tgz'],
    ['rsync', 'rsync -av --delete a/ b/'],
    ['curl', 'curl -sS -H "A: b" -d x http://a.example'],
    ['curl', 'curl -fsSL http://a.example'],
    ['make', 'make -j4 SHELL=x all'],
    ['npm', 'npm run build -- -o out'],
    ['ssh', 'ssh -p 22 -i key host ls'],
  ])('Bash(%s:*): %s', async (name, command) => {
    expect(await kindOf(command, { allow: [`Bash(${name}:*)`] })).toBe('allow');
  });

  it('what a rule names', async () => {
    expect(await kindOf('sort -o M a.txt', { allow: ['Bash(sort -o M a.txt)'] })).toBe('allow');
    expect(await kindOf('sort -o M a.txt', { allow: ['Bash(sort -o:*)'] })).toBe('allow');
    expect(await kindOf('sed -i s/a/b/ a.txt', { allow: ['Bash(sed -i:*)'] })).toBe('allow');
    expect(await kindOf("sed -i 's/a/b/w M' a.txt", { allow: ['Bash(sed -i:*)'] })).toBe('ask');
    expect(await kindOf('git config core.x y', { allow: ['Bash(git config:*)'] })).toBe('ask');
    expect(await kindOf('git config user.name y', { allow: ['Bash(git config:*)'] })).toBe('allow');
    expect(await kindOf('xargs grep x', { allow: ['Bash(xargs:*)', 'Bash(grep:*)'] })).toBe('allow');
  });
});

describe('files that decide what runs later are not written without a question, also with the rule Bash', () => {
  it.each([
    'cp a.txt $PWD/.mcp.json',
    'cp a.txt {.mcp.json,}',
    'cp a.txt "$x/.mcp.json"',
    'sort -o {.mcp.json,} a.txt',
    'sort -o ~+/.mcp.json a.txt',
    'sort --outp=.mcp.json a.txt',
    'git log --output=.mcp.json',
    'git log --outp .mcp.json',
    'git archive -o .mcp.json HEAD',
    'git format-patch -o .git/hooks -1',
    'git config core.fsmonitor x',
    'cp --targ=.claude settings.json',
    'tee .mcp.jso? < a.txt',
    'rm -f .mc*',
    'mv "$x" .mcp.json',
    'sed --in-pla s/a/b/ .mcp.json',
  ])('%j asks', async (command) => {
    expect(await kindOf(command, { allow: ['Bash'] })).toBe('ask');
    expect(await kindOf(command, { mode: 'acceptEdits', allow: ['Bash', 'Edit'] })).toBe('ask');
  });

  it.each([
    'cp *.txt sub',
    'rm -f *.o sub/*',
    'cp "$x" sub/y',
    'mkdir -p "$x"',
    'for f in a b; do touch "$f.txt"; done',
    'curl -s "$url"',
    'git config user.name x',
  ])('%j passes', async (command) => {
    expect(await kindOf(command, { allow: ['Bash'] })).toBe('allow');
  });
});

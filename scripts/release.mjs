// Releases what is checked out: npm run release -- [--dry-run]. Everything is checked first; with --dry-run nothing is
// tagged or published.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fragmentsIn } from './changes.mjs';
import { layOutPackage, pack } from './pack.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
process.chdir(root);
const given = process.argv.slice(2);
const isDryRun = given.includes('--dry-run');
const unknown = given.filter((flag) => !['--dry-run', '--skip-tests'].includes(flag));
if (unknown.length > 0) fail(`There is no ${unknown.join(' ')}: give --dry-run, --skip-tests or nothing.`);
if (given.includes('--skip-tests') && !isDryRun) fail('--skip-tests is for --dry-run alone.');

const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
const git = (...args) => execFileSync('git', args, { encoding: 'utf8' }).trim();
const problems = [];
if (git('status', '--porcelain') !== '') problems.push('Files are changed and not committed.');
if (git('tag', '--list', `v${version}`) !== '')
  problems.push(`The tag v${version} exists: raise the version.`);
const dated = new RegExp(`^## ${version.replaceAll('.', '\\.')} \\(\\d{4}-\\d{2}-\\d{2}\\)$`, 'm');
if (!dated.test(readFileSync('CHANGELOG.md', 'utf8')))
  problems.push(`CHANGELOG.md has no section "## ${version} (YYYY-MM-DD)".`);
const left = fragmentsIn('changes');
if (left.length > 0) problems.push(`${left.length} changes are not in CHANGELOG.md: npm run changes.`);
const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8'));
if (packages[''].version !== version) problems.push('package-lock.json has another version: npm install.');
for (const problem of problems) console.error(`✗ ${problem}`);
if (problems.length > 0 && !isDryRun) process.exit(1);

const gate = given.includes('--skip-tests') ? ['npm', ['run', '--silent', 'check:package']] : ['.ci/run', []];
// In the long form. What a command says is tested in the process of the tests; here the built command line says it.
const env = { ...process.env, TURNWRIGHT_LONG_TESTS: '1', TURNWRIGHT_TESTS_START_COMMANDS: '1' };
if (spawnSync(gate[0], gate[1], { stdio: 'inherit', env }).status !== 0) fail('The checks failed.');

const folder = mkdtempSync(join(tmpdir(), 'turnwright-release-'));
try {
  const staged = join(folder, 'package');
  layOutPackage(staged);
  const { filename, files, unpackedSize } = pack(staged, folder);
  console.log(`${filename}: ${files.length} files, ${(unpackedSize / 1e6).toFixed(2)} MB unpacked`);
  if (isDryRun) console.log(`Nothing is tagged or published. ${problems.length} problems.`);
  else {
    const publish = ['publish', join(folder, filename), '--provenance', '--access', 'public'];
    if (spawnSync('npm', publish, { stdio: 'inherit' }).status !== 0)
      fail('npm did not publish it, and nothing is tagged.');
    // Behind the publication: a tag names a version that can be had.
    git('tag', '--annotate', `v${version}`, '--message', `Turnwright ${version}`);
    console.log(`Published. Push the tag: git push origin v${version}`);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
if (problems.length > 0) process.exitCode = 1;

function fail(why) {
  console.error(why);
  process.exit(1);
}

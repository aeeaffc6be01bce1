// Which settings would hold in a folder, and where each of them comes from, without a session.
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { resolveSettings } from 'turnwright';

const cwd = await mkdtemp(join(tmpdir(), 'turnwright-example-'));
process.env['CLAUDE_CONFIG_DIR'] = join(cwd, 'home');
await mkdir(join(cwd, '.claude'));
await mkdir(join(cwd, 'home'));
await writeFile(join(cwd, 'home/settings.json'), '{ "model": "opus", "effortLevel": "low" }');
await writeFile(join(cwd, '.claude/settings.json'), '{ "model": "haiku" }');

const { effective, provenance, sources } = await resolveSettings({
  cwd,
  settingSources: ['user', 'project'],
});
await rm(cwd, { recursive: true });

assert.equal(effective.model, 'haiku');
assert.equal(provenance.model?.source, 'project');
assert.equal(sources.length >= 2, true);
console.log(effective.model);

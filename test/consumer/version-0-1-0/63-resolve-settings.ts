// Which settings would hold in a folder, and where each of them comes from, without a session.
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { resolveSettings } from 'turnwright';

const cwd = await mkdtemp(join(tmpdir(), 'turnwright-example-'));
await mkdir(join(cwd, '.claude'));
await writeFile(join(cwd, '.claude/settings.json'), '{ "model": "haiku", "effortLevel": "low" }');
await writeFile(join(cwd, '.claude/settings.local.json'), '{ "model": "sonnet" }');

const { effective, provenance } = await resolveSettings({ cwd, settingSources: ['project', 'local'] });
await rm(cwd, { recursive: true });

assert.deepEqual([effective.model, provenance.model?.source], ['sonnet', 'local']);
assert.deepEqual([effective.effortLevel, provenance.effortLevel?.source], ['low', 'project']);
console.log(`the model is ${effective.model}, by ${provenance.model?.source} settings`);

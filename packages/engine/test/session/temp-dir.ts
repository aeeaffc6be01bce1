import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export async function tempDir(): Promise<{ readonly path: string; dispose(): Promise<void> }> {
  const path = await mkdtemp(join(tmpdir(), 'turnwright-session-'));
  return { path, dispose: () => rm(path, { recursive: true, force: true }) };
}

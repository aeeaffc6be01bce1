/** For commands that name npm and run once a question is answered: what they do is no part of the test. */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';

const folder = mkdtempSync(join(tmpdir(), 'turnwright-npm-'));
writeFileSync(join(folder, 'npm'), '#!/bin/sh\n', { mode: 0o755 });

/** The PATH of this process, with an npm that does nothing and ends with 0. */
export const PATH_WITH_IDLE_NPM = [folder, process.env['PATH']].join(delimiter);

/** docs/recipes/deploy-in-a-container.md, followed literally, with the engine of `container.ts`. */
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { reply } from '@turnwright/testing/rehearsal';
import { expect, it, onTestFinished } from 'vitest';
import { build, type Image, run } from './container.ts';
import { freePort } from './free-port.ts';
import { stepsOf } from './page.ts';
import { packedPackage, reader } from './reader.ts';

const canIsolate =
  process.getuid?.() === 0 && spawnSync('bwrap', ['--ro-bind', '/', '/', 'true']).status === 0;

it.skipIf(!canIsolate)(
  'a reader of deploy-in-a-container.md gets an answer from a read-only image',
  { timeout: 240_000 },
  async () => {
    const someone = await reader(() => reply('Hello, good to see you.'), { installed: false });
    const tarball = basename(packedPackage());
    copyFileSync(packedPackage(), join(someone.folder, tarball));
    // A project with Turnwright in it, which the page begins with.
    await someone.follow({
      kind: 'commands',
      text: `npm init -y && npm install ./${tarball} zod`,
      prints: undefined,
    });
    rmSync(join(someone.folder, 'node_modules'), { recursive: true });

    const images = mkdtempSync(join(tmpdir(), 'images-'));
    mkdirSync(join(images, 'root'));
    const port = await freePort();
    let image: Image | undefined;
    let volume = '';
    for (const step of stepsOf('docs/recipes/deploy-in-a-container.md')) {
      if (step.kind === 'file') {
        await someone.follow(step);
        continue;
      }
      const lines = step.text.trim().split('\n');
      const further = lines.filter((line) => !line.startsWith('docker '));
      for (const line of lines.filter((each) => each.startsWith('docker '))) {
        const words = line.split(' ');
        if (words[1] === 'build') image = build(someone.folder, join(images, 'root'), someone.env);
        if (words[1] !== 'run' || image === undefined) continue;
        const added = { PORT: port, ANTHROPIC_BASE_URL: someone.server.url };
        const started = run(image, words, { named: someone.env, added });
        volume = started.volume;
        onTestFinished(async () => {
          const ended = new Promise((resolve) => started.child.once('close', resolve));
          started.child.kill('SIGKILL');
          await ended;
        });
        await new Promise((resolve) => started.child.stdout?.once('data', resolve));
      }
      await someone.follow({ ...step, text: further.join('\n').replaceAll('8080', port) });
    }
    expect(readdirSync(volume)).toContain('projects');
  },
);

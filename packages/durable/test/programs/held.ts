/** A worker of sessions that run until the file `released` is there. Its concurrency is `CONCURRENCY`. */
import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { pause, reply, say } from '@turnwright/testing';
import { scriptedWorker } from './scripted.ts';

async function released(): Promise<void> {
  while (!existsSync(`${process.env['HOME_FOLDER']}/released`)) await sleep(20);
}

await scriptedWorker(() => reply([pause(released()), say('Done.')]), {
  concurrency: Number(process.env['CONCURRENCY']),
});

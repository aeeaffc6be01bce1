/** Processes that run tests side by side; one that hangs is replaced. */
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const LANE = fileURLToPath(new URL('lane.mjs', import.meta.url));

export const openLanes = (count, setup) => Promise.all(Array.from({ length: count }, () => Lane.open(setup)));

class Lane {
  #child;
  #setup;

  static async open(setup) {
    const lane = new Lane();
    lane.#setup = setup;
    await lane.#start();
    return lane;
  }

  async #start() {
    this.#child = fork(LANE, {
      env: { ...process.env, MUTATE_LANE: JSON.stringify(this.#setup) },
      stdio: ['ignore', 'ignore', process.env.MUTATE_LOUD ? 'inherit' : 'ignore', 'ipc'],
    });
    await this.#answer(120_000);
  }

  /** What failed; a process that hangs or dies is what a mutant did. */
  async run(work, mostMs) {
    this.#child.send(work, () => {});
    const answer = await this.#answer(mostMs);
    if (answer !== undefined) return answer.failed;
    await this.#end();
    await this.#start();
    return ['it did not end'];
  }

  close() {
    this.#child.disconnect();
  }

  /** undefined: none in time. */
  #answer(mostMs) {
    const child = this.#child;
    return new Promise((resolve) => {
      const done = (answer) => {
        clearTimeout(timer);
        child.removeAllListeners();
        resolve(answer);
      };
      const timer = setTimeout(done, mostMs, undefined);
      child.once('message', done);
      child.once('exit', () => done(undefined));
    });
  }

  #end() {
    const child = this.#child;
    if (child.exitCode !== null || child.signalCode !== null) return undefined;
    return new Promise((resolve) => {
      child.once('exit', resolve);
      child.kill('SIGKILL');
    });
  }
}

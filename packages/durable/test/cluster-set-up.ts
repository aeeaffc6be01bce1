/** Starts the Postgres of a test run before its first test, and ends it after the last. */
import { startCluster } from '@turnwright/test/durable/cluster.ts';

let stop: () => void = () => undefined;

export function setup(): void {
  const cluster = startCluster();
  process.env['TURNWRIGHT_TEST_CLUSTER'] = cluster.socketFolder;
  stop = cluster.stop;
}

export function teardown(): void {
  stop();
}

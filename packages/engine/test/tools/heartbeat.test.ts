import { openScope } from '@turnwright/base/async/scope.ts';
import { deferred, virtualClock } from '@turnwright/testing';
import { expect, it } from 'vitest';
import type { ToolProgress } from '../../src/protocol/tools/tool.ts';
import { withHeartbeat } from '../../src/tools/heartbeat.ts';

const life = openScope();

it('a call without progress emits progress every 30 s, one with progress only its own', async () => {
  const clock = virtualClock();
  const heard: string[] = [];
  const end = deferred<string>();
  let speak = (_: ToolProgress) => {};
  const work = withHeartbeat(
    (say) => {
      speak = say;
      return end.promise;
    },
    ({ type }) => heard.push(type),
    { clock, life },
  );
  await clock.advance(30_000);
  speak({ type: 'own' });
  await clock.advance(30_000);
  await clock.advance(30_000);
  expect(heard).toEqual(['heartbeat', 'own', 'heartbeat']);
  end.resolve('done');
  expect(await work).toBe('done');
  expect(clock.pending).toBe(0);
});

it('an abandoned call emits no progress', async () => {
  const clock = virtualClock();
  const heard: string[] = [];
  const life = openScope();
  void withHeartbeat(
    () => new Promise(() => {}),
    ({ type }) => heard.push(type),
    { clock, life },
  );
  life.abort('over');
  expect(clock.pending).toBe(0);
  await clock.advance(30_000);
  expect(heard).toEqual([]);
});

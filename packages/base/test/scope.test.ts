import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { deferred } from '@turnwright/testing';
import { describe, expect, it } from 'vitest';
import { openScope } from '../src/async/scope.ts';

describe('a scope', () => {
  it('aborts its signal with the reason, then runs its cleanups, newest first', async () => {
    const scope = openScope();
    const seen: string[] = [];
    scope.onClose(() => void seen.push(`first, aborted: ${scope.signal.aborted}`));
    scope.onClose(() => void seen.push('second'));
    await scope.close('enough');
    expect(seen).toEqual(['second', 'first, aborted: true']);
    expect([scope.signal.reason, scope.closed]).toEqual(['enough', true]);
  });

  it('closes once: every close is the same close', async () => {
    const scope = openScope();
    let cleanups = 0;
    scope.onClose(() => void cleanups++);
    await Promise.all([scope.close(), scope.close(), scope.close()]);
    expect(cleanups).toBe(1);
  });

  it('forgets a cleanup that was removed', async () => {
    const scope = openScope();
    const forget = scope.onClose(() => expect.unreachable());
    forget();
    await scope.close();
  });

  it('waits for cleanups, but abandons one that never ends', async () => {
    const scope = openScope(undefined, 10);
    let slowDone = false;
    scope.onClose(() => new Promise(() => {}));
    scope.onClose(async () => {
      await Promise.resolve();
      slowDone = true;
    });
    await scope.close();
    expect(slowDone).toBe(true);
  });

  it('survives a cleanup that throws, at once or later', async () => {
    const scope = openScope();
    let ran = false;
    scope.onClose(() => {
      ran = true;
    });
    scope.onClose(() => {
      throw new Error('at once');
    });
    scope.onClose(() => Promise.reject(new Error('later')));
    await scope.close();
    expect(ran).toBe(true);
  });

  it('L10.9: runs a cleanup that comes too late at once', async () => {
    const scope = openScope();
    await scope.close();
    const ran = deferred();
    scope.onClose(() => ran.resolve());
    await ran.promise;
    scope.onClose(() => {
      throw new Error('nobody is there to hear it');
    });
  });

  it('L10.9: ends what is opened while it closes', async () => {
    const scope = openScope();
    const ended: string[] = [];
    scope.onClose(() => {
      scope.onClose(() => void ended.push('cleanup'));
      scope.child().onClose(() => void ended.push('child'));
    });
    await scope.close();
    expect(ended).toEqual(['cleanup', 'child']);
  });

  it('may be aborted and stay open', async () => {
    const scope = openScope();
    let cleaned = false;
    scope.onClose(() => {
      cleaned = true;
    });
    scope.abort('interrupt');
    scope.abort('again');
    expect([scope.signal.reason, scope.closed, cleaned]).toEqual(['interrupt', false, false]);
    await scope.close('later');
    expect([scope.signal.reason, cleaned]).toEqual(['interrupt', true]);
  });
});

describe('a child', () => {
  it('closes with its parent, and its parent waits for it', async () => {
    const parent = openScope();
    const grandchild = parent.child().child();
    let cleaned = false;
    grandchild.onClose(async () => {
      await Promise.resolve();
      cleaned = true;
    });
    await parent.close('done');
    expect([grandchild.closed, grandchild.signal.reason, cleaned]).toEqual([true, 'done', true]);
  });

  it('is aborted with its parent, with the same reason, and not the other way round', () => {
    const parent = openScope();
    const [a, b] = [parent.child(), parent.child()];
    a.abort('mine');
    expect([parent.signal.aborted, b.signal.aborted]).toEqual([false, false]);
    parent.abort('user');
    expect([a.signal.reason, b.signal.reason]).toEqual(['mine', 'user']);
  });

  it('leaves nothing behind in its parent when it closes first', async () => {
    const parent = openScope();
    for (let i = 0; i < 100; i++) await parent.child().close();
    const child = parent.child();
    await child.close();
    parent.abort('late');
    expect(child.signal.reason).toBe('closed');
  });

  it('of a closed or aborted parent is born so', async () => {
    const aborted = openScope();
    aborted.abort('user');
    expect(aborted.child().signal.reason).toBe('user');
    const closed = openScope();
    await closed.close('gone');
    const late = closed.child();
    const cleaned = deferred();
    late.onClose(() => cleaned.resolve());
    await cleaned.promise;
    expect([late.signal.reason, late.closed]).toEqual(['gone', true]);
  });

  it('that is closed is released by its parent', async () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    const parent = openScope();
    const refs = await Promise.all(
      Array.from({ length: 20 }, async () => {
        const child = parent.child();
        await child.close();
        return new WeakRef(child);
      }),
    );
    await new Promise((resolve) => setImmediate(resolve));
    collect();
    expect(refs.filter((ref) => ref.deref() !== undefined)).toEqual([]);
    await parent.close();
  });

  it('may have many sisters without a warning about listeners', async () => {
    const warnings: unknown[] = [];
    const listen = (warning: unknown) => warnings.push(warning);
    process.on('warning', listen);
    const parent = openScope();
    for (let i = 0; i < 50; i++) parent.child();
    await new Promise((resolve) => setImmediate(resolve));
    process.off('warning', listen);
    expect(warnings).toEqual([]);
    await parent.close();
  });
});

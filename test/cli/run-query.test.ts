import { expect, test, vi } from 'vitest';
import { runQuery } from '../../src/cli/run-query.ts';
import type { SDKResultMessage } from '../../src/index.ts';

const fake = vi.hoisted(() => ({ query: vi.fn() }));
vi.mock('../../src/index.ts', async (original) => ({ ...(await original<object>()), query: fake.query }));

const FULL = new Error('The last 5 records could not be written.');
const signals = {
  interrupted: false,
  leaving: false,
  attach: () => () => undefined,
  depart: async () => undefined,
  raiseInterrupt: () => undefined,
  stop: () => undefined,
};

test.each([true, false])(
  'a result (is_error: %j) is shown also when the session cannot be closed',
  async (failed) => {
    const result = { type: 'result', subtype: 'success', is_error: failed } as SDKResultMessage;
    const messages = (async function* () {
      yield result;
      throw FULL;
    })();
    fake.query.mockReturnValue(Object.assign(messages, { close: () => Promise.reject(FULL) }));
    const end = vi.fn(async () => undefined);
    const sink = { show: async () => undefined, end };
    await expect(runQuery({ prompt: 'x', options: {}, sink, signals })).rejects.toBe(FULL);
    expect(end.mock.calls).toEqual([[result]]);
  },
);

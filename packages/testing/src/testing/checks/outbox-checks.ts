/** Requirements of every `Outbox`. */
import type { Frame, JournalStore, Outbox, OutboxPage, Place } from '@turnwright/engine/protocol/ports.ts';
import type { JournalBody } from '@turnwright/engine/protocol/session/journal.ts';
import { type Check, makeChecks, type Open, type Requirements } from './check.ts';
import { equal, hasFields, holds, refuses } from './demand.ts';

/** An outbox, and the store of the journals that it is beside. */
export interface OutboxAndJournal {
  readonly outbox: Outbox;
  readonly journal: JournalStore;
}

const S = '0e4b1c52-58f3-4c13-9d2e-1f00a3b5c7d9';
const START: Place = { seq: 0, n: 0 };
const MANY = 1_200;

const titles = (from: number, count: number): readonly JournalBody[] =>
  Array.from({ length: count }, (_, at) => ({
    type: 'custom-title',
    id: `t${from + at}`,
    submission: 's1',
    customTitle: `title ${from + at}`,
  }));

const frame = (seq: number, n: number, isKept: boolean): Frame => ({
  at: { seq, n },
  data: { said: `${seq}.${n} "\u2028" \ud83d\ude00` },
  isKept,
});

const listPlaces = ({ frames }: OutboxPage) => frames.map(({ at, epoch }) => [epoch, at.seq, at.n]);
const listRecords = ({ entries }: OutboxPage) => entries.map(({ seq }) => seq);

/** What becomes of what an owner publishes. */
const PUBLISHING: Requirements<OutboxAndJournal> = {
  async 'what an owner publishes that has lost the session is not written'(opened) {
    const { outbox, journal } = opened;
    const former = await journal.takeOver(S);
    await outbox.publish(S, former.epoch, [frame(0, 1, true)], 0);
    const owner = await journal.takeOver(S);
    for (const isKept of [true, false])
      equal(await outbox.publish(S, former.epoch, [frame(0, 2, isKept)], 0), { fenced: true });
    equal('fenced' in (await outbox.publish(S, owner.epoch, [frame(0, 3, true)], 0)), false);
    const page = await outbox.read(S, START);
    equal(page.epoch, owner.epoch);
    equal(listPlaces(page), [
      [former.epoch, 0, 1],
      [owner.epoch, 0, 3],
    ]);
    equal(await outbox.publish('other', 1, [frame(0, 1, true)], 0), { fenced: true });
  },

  async 'a frame is written once, however often it is published'(opened) {
    const { outbox, journal } = opened;
    const { epoch } = await journal.takeOver(S);
    const frames = [frame(0, 1, true), frame(0, 2, false)];
    await outbox.publish(S, epoch, frames, 0);
    await outbox.publish(S, epoch, [...frames, frame(0, 3, false)], 0);
    equal(listPlaces(await outbox.read(S, START)), [
      [epoch, 0, 1],
      [epoch, 0, 2],
      [epoch, 0, 3],
    ]);
  },

  async 'a cut drops the earlier frames that are not kept'(opened) {
    const { outbox, journal } = opened;
    const { epoch } = await journal.takeOver(S);
    await outbox.publish(S, epoch, [frame(0, 1, false), frame(0, 2, true)], 0);
    await journal.append(S, epoch, 0, titles(1, 1));
    await outbox.publish(S, epoch, [frame(1, 1, false)], 0);
    await outbox.publish(S, epoch, [frame(1, 2, false)], 1);
    equal(listPlaces(await outbox.read(S, START)), [
      [epoch, 0, 2],
      [epoch, 1, 1],
      [epoch, 1, 2],
    ]);
  },

  async 'who publishes learns whether the session is followed'(opened) {
    const { outbox, journal } = opened;
    const { epoch } = await journal.takeOver(S);
    equal(await outbox.publish(S, epoch, [], 0), { followedMs: 0 });
    await outbox.follow(S);
    const published = await outbox.publish(S, epoch, [frame(0, 1, false)], 0);
    const ms = 'followedMs' in published ? published.followedMs : -1;
    holds(ms > 0 && ms <= 30_000, `up to 30 s, not ${ms} ms`);
  },
};

/** What a follower reads, and when it wakes. */
const FOLLOWING: Requirements<OutboxAndJournal> = {
  async 'a page has the records and the frames behind a place, in order'(opened) {
    const { outbox, journal } = opened;
    const { epoch } = await journal.takeOver(S);
    await journal.append(S, epoch, 0, titles(1, 2));
    equal('fenced' in (await outbox.publish(S, epoch, [frame(2, 2, true), frame(2, 1, false)], 0)), false);
    await journal.append(S, epoch, 2, titles(3, 1));
    await outbox.publish(S, epoch, [frame(3, 1, true)], 0);
    const all = await outbox.read(S, START);
    hasFields(all, { epoch, head: 3, upto: 3 });
    equal(listRecords(all), [1, 2, 3]);
    hasFields(all.entries[1], { type: 'custom-title', customTitle: 'title 2' });
    equal(
      all.frames.map(({ at, data, isKept }) => ({ at, data, isKept })),
      [frame(2, 1, false), frame(2, 2, true), frame(3, 1, true)],
    );
    const rest = await outbox.read(S, { seq: 2, n: 1 });
    equal(listRecords(rest), [3]);
    equal(listPlaces(rest), [
      [epoch, 2, 2],
      [epoch, 3, 1],
    ]);
    const end = await outbox.read(S, { seq: 3, n: 1 });
    equal([listRecords(end), listPlaces(end), end.head], [[], [], 3]);
    await refuses(() => outbox.read('other', START), 'session_not_found');
  },

  async 'a long session is read in pages, whose frames are behind their records'(opened) {
    const { outbox, journal } = opened;
    const { epoch } = await journal.takeOver(S);
    await journal.append(S, epoch, 0, titles(1, MANY));
    await outbox.publish(S, epoch, [frame(1, 1, true), frame(MANY, 1, true)], 0);
    const records: number[] = [];
    const frames: number[] = [];
    for (let at = START; ; ) {
      const page = await outbox.read(S, at);
      records.push(...listRecords(page));
      frames.push(...page.frames.map((one) => one.at.seq));
      holds(page.upto > at.seq, 'a page that gets on');
      holds(
        page.frames.every((one) => one.at.seq <= page.upto),
        'frames behind records of the page',
      );
      at = { seq: page.upto, n: 0 };
      if (page.upto === page.head) break;
    }
    equal(
      records,
      Array.from({ length: MANY }, (_, at) => at + 1),
    );
    equal(
      frames.toSorted((a, b) => a - b),
      [1, MANY],
    );
  },

  async 'followers wake for records and frames, and until they are not any more'(opened) {
    const { outbox, journal } = opened;
    const { epoch } = await journal.takeOver(S);
    await outbox.follow(S);
    const controller = new AbortController();
    const wakes = outbox.wake(S, controller.signal)[Symbol.asyncIterator]();
    const woken = async () => equal((await wakes.next()).done ?? false, false);
    await woken();
    await journal.append(S, epoch, 0, titles(1, 1));
    await woken();
    await outbox.publish(S, epoch, [frame(1, 1, false)], 0);
    await woken();
    controller.abort();
    // It may wake without a reason before it ends.
    while ((await wakes.next()).done !== true);
  },
};

/** The contract of an `Outbox`, as checks for any test runner. */
export function outboxChecks(open: Open<OutboxAndJournal>): readonly Check[] {
  return makeChecks('outbox', open, { ...FOLLOWING, ...PUBLISHING });
}

/** What the compiler knows of the messages that the doors beside `query()` give. */

import type { DurableClient, Followed } from '@turnwright/durable';
import type { SDKMessage } from '@turnwright/engine';
import type { PageEvent } from '@turnwright/web';
import type { RunView } from '@turnwright/web/client';
import { expectTypeOf, test } from 'vitest';

/** Where a type is `any`, to a depth of six. */
type AnyIn<T, Path extends string = '', Depth extends readonly unknown[] = []> = 0 extends 1 & T
  ? Path
  : Depth['length'] extends 6
    ? never
    : T extends (...given: never) => unknown
      ? never
      : T extends readonly (infer Item)[]
        ? AnyIn<Item, `${Path}[]`, [...Depth, 0]>
        : T extends object
          ? { [Key in keyof T & string]-?: AnyIn<T[Key], `${Path}.${Key}`, [...Depth, 0]> }[keyof T & string]
          : never;

test('follow() and pages give the messages of query(), and no field of them is any', () => {
  type Yielded = ReturnType<DurableClient['follow']> extends AsyncIterable<infer Item> ? Item : never;
  expectTypeOf<Yielded>().toEqualTypeOf<Followed>();
  expectTypeOf<Followed['message']>().toEqualTypeOf<SDKMessage>();
  expectTypeOf<RunView['messages']>().toEqualTypeOf<readonly SDKMessage[]>();
  expectTypeOf<AnyIn<Followed>>().toEqualTypeOf<never>();
  expectTypeOf<AnyIn<RunView | PageEvent>>().toEqualTypeOf<never>();
  type Wrong = { readonly list: readonly { readonly field: ReturnType<typeof JSON.parse> }[] };
  expectTypeOf<AnyIn<Wrong>>().toEqualTypeOf<'.list[].field'>();
});

/** A view as a model without images gets it. Loaded when such a model is asked first. */

import { PersistentList } from '@turnwright/base/collections/persistent-list.ts';
import type { ViewMessage } from '../../protocol/model/messages.ts';
import type { View } from '../../protocol/model/view.ts';
import { replaceMedia } from './media.ts';

/** By the root of the view: it grows as the view does, so that its bytes can be kept too. */
const rendered = new WeakMap<object, PersistentList<ViewMessage>>();

/** The same messages with a line of text in the place of each image. O(what is new in this view). */
export function withoutImages(view: View): View {
  const known = rendered.get(view.root) ?? PersistentList.from<ViewMessage>([]);
  if (known.length > view.length) return known.first(view.length);
  const grown = known.append(view.slice(known.length).map(withNotes));
  rendered.set(view.root, grown);
  return grown;
}

function withNotes(message: ViewMessage): ViewMessage {
  const why = ({ type }: { readonly type: string }) =>
    type === 'image' ? 'left out, because this model takes no images' : undefined;
  return replaceMedia(message, why, () => undefined) ?? message;
}

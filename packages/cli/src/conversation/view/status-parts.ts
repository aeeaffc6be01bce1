/** What the status line can show, in its order. */
export const STATUS_PARTS = [
  'model',
  'mode',
  'context',
  'cost',
  'cache',
  'turn',
  'background',
  'place',
] as const;
export type StatusPart = (typeof STATUS_PARTS)[number];

/** What most panels are given. */
import type { SessionInspection } from '@turnwright/engine';
import type { PageView } from './page-view.ts';

export type ChangeView = (change: Partial<PageView>) => void;

export interface PanelProps {
  readonly data: SessionInspection;
  readonly view: PageView;
  readonly change: ChangeView;
  /** Key of the iteration that is shown. */
  readonly selected: string | undefined;
}

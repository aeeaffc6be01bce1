/** A row of tabs that keys walk along. */
interface TabsProps<T extends string> {
  readonly label: string;
  readonly names: Readonly<Record<T, string>>;
  readonly chosen: T;
  readonly panel: string;
  readonly onChoose: (name: T) => void;
}

export function Tabs<T extends string>({ label, names, chosen, panel, onChoose }: TabsProps<T>) {
  const all = Object.keys(names) as T[];
  const walk = (event: KeyboardEvent) => {
    const by = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
    const next = all[all.indexOf(chosen) + by];
    if (by === 0 || next === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    onChoose(next);
    (event.currentTarget as HTMLElement).querySelector<HTMLElement>(`[data-tab="${next}"]`)?.focus();
  };
  return (
    <div class="tabs" role="tablist" aria-label={label} onKeyDown={walk}>
      {all.map((name) => (
        <button
          key={name}
          type="button"
          role="tab"
          data-tab={name}
          id={`${panel}-${name}`}
          aria-selected={name === chosen}
          aria-controls={panel}
          tabIndex={name === chosen ? 0 : -1}
          onClick={() => onChoose(name)}
        >
          {names[name]}
        </button>
      ))}
    </div>
  );
}

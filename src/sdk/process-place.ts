/** What the library takes from its process when its caller names nothing else: the one look at both. */
export interface Place {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export function placeOf({
  cwd,
  env,
}: {
  readonly cwd?: string | undefined;
  readonly env?: Place['env'] | undefined;
}): Place {
  return { cwd: cwd ?? process.cwd(), env: env ?? process.env };
}

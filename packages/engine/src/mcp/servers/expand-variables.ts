const VARIABLE = /\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/g;

/**
 * Replaces `${VAR}` and `${VAR:-default}` once, left to right; names without a value and a default are added
 * to `unset`.
 */
export function expandVariables(
  text: string,
  env: Readonly<Record<string, string | undefined>>,
  unset: Set<string>,
): string {
  return text.replace(VARIABLE, (whole, name: string, fallback: string | undefined) => {
    const value = env[name];
    // As in a shell, `:-` also replaces an empty value.
    if (value !== undefined && (value !== '' || fallback === undefined)) return value;
    if (fallback !== undefined) return fallback;
    unset.add(name);
    return whole;
  });
}

/** What a script of awk does besides showing text. */

/** awk runs and writes by few words of its language. */
export const awkDoesMore = (script: string): boolean =>
  /system|getline|@|\|(?!\|)|\\\n|\bclose\b/.test(script.replaceAll('||', '')) ||
  /print[\s\S]*>/.test(script);

/** Whether it does no more than show what it is given: no environment, and no files of its own choice. */
export const onlyShowsText = (script: string): boolean =>
  !awkDoesMore(script) && !/ENVIRON|PROCINFO|SYMTAB|FUNCTAB|ARG[VC]/.test(script);

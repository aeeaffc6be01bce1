/**
 * Whether the judge of mode `auto` may decide about a call. `open`: it may. The other kinds are what a person
 * decides about, whatever a model says of it.
 */
export interface JudgeBound {
  readonly kind:
    | 'open'
    /** A rule, a hook, the mode or the tool itself wants a person. */
    | 'asked'
    /** It decides over what runs or is allowed later. */
    | 'protected'
    | 'outside'
    /** Not everything that it does can be read off it. */
    | 'unread'
    /** It reaches a place on the network that no person named. */
    | 'network'
    /** A program, or a use of one, that is not known to stay within the project. */
    | 'program'
    /** A tool of a server or host that is not known to only read. */
    | 'tool'
    /** It holds what looks like a secret, or is too long to be looked at. */
    | 'secret'
    | 'size';
  /** A clause: `it writes outside the working directories`. Empty: open. */
  readonly why: string;
}

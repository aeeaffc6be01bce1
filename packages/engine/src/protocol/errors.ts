/** Errors that callers receive. Each has a stable `code` and a message that says what to do. */
export type TurnwrightErrorCode =
  /** An option, argument or answer has the wrong shape, or contradicts another one. Nothing was started. */
  | 'invalid_option'
  /** The text is not a permission mode. */
  | 'invalid_mode'
  /** `bypassPermissions` was asked for in a session that was started without it. */
  | 'bypass_not_launched'
  /** The session cannot do what a method or a control request asks for. */
  | 'unsupported_request'
  /** `callMcpTool()`: the tool did not run, or its server returned an error. */
  | 'mcp_call_failed'
  /** `startup()`: the session was not open in time. */
  | 'startup_timeout'
  /** A settings file, a rule or a variable of the environment cannot be used; the message names it. */
  | 'invalid_settings'
  /** No model is configured: there is no key and no address. */
  | 'not_configured'
  /** `turnwright/rehearsal`: the scenario cannot be read, or has a field of the wrong shape. */
  | 'invalid_scenario'
  /** There is no session with this id in the home or store that was searched. */
  | 'session_not_found'
  /** The settings require a sandbox, which this machine does not offer. */
  | 'sandbox_unavailable'
  /** The id that the new session was given belongs to a session that exists. */
  | 'session_exists'
  /** Another process writes to this session. */
  | 'session_in_use'
  /** The journal has records of a later version. */
  | 'session_unreadable'
  /** `turnwright/durable`: the session ended its workers several times and is set aside. */
  | 'session_poisoned'
  /** `turnwright/durable`: the tenant has as many sessions as it may have. */
  | 'limit_reached'
  /** `turnwright/durable`: the session, or a part of its stream, was removed; the message says what to do. */
  | 'session_removed'
  /** The session cannot be resumed at the message, or in the way, that was asked for. */
  | 'resume_rejected'
  /** A file of the session could not be read or written; `cause` is the error of the system. */
  | 'storage_error'
  /** Another process has taken the session over; this one writes nothing more to it. */
  | 'fenced'
  /** The last result was an error. The result came first, as a message; this error ends the iterator. */
  | 'error_result'
  /** The `abortController` of the caller fired. The error is an `AbortError`. */
  | 'aborted'
  /** The engine was closed, or its conversation was cleared. */
  | 'engine_closed'
  /** `submitMessage()` was called while an earlier submission of the same engine was running. */
  | 'submission_running'
  /** A budget was given for a model whose price is not known. */
  | 'unpriced_model'
  /** A hook refused what a method was called for, such as a switch of the model. */
  | 'blocked_by_hook'
  /** `reloadPlugins()` was called during a turn. */
  | 'reload_plugins_busy'
  /** There is no background task with this id. */
  | 'unknown_task'
  /** As many tasks run in the background as may at the same time (`maxBackgroundTasks`). */
  | 'too_many_tasks'
  /** The background task is not running any more. */
  | 'task_ended'
  /** Background tasks are switched off in this session. */
  | 'tasks_disabled'
  /** A package that this feature needs is not installed; the message names it. */
  | 'not_installed';

/**
 * An error of the library. `code` says what failed, `message` what to do, `cause` has the original error.
 *
 * @example
 * ```ts
 * try {
 *   for await (const { type } of query({ prompt: 'Hello.', options: { maxTurns: 1 } })) console.log(type);
 * } catch (error) {
 *   if (error instanceof TurnwrightError) console.error(error.code, error.message);
 * }
 * ```
 */
export class TurnwrightError extends Error {
  readonly code: TurnwrightErrorCode;
  constructor(code: TurnwrightErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'TurnwrightError';
    this.code = code;
  }
}

/** The caller's `abortController` fired. */
export class AbortError extends TurnwrightError {
  constructor(message = 'The operation was aborted by its caller.') {
    super('aborted', message);
    this.name = 'AbortError';
  }
}

/** Errors that callers receive. Each has a stable `code` and a message that says what to do. */
export type TurnwrightErrorCode =
  | 'invalid_option'
  | 'invalid_mode'
  | 'bypass_not_launched'
  | 'unsupported_request'
  | 'mcp_call_failed'
  | 'startup_timeout'
  | 'invalid_settings'
  | 'not_configured'
  | 'invalid_scenario'
  | 'session_not_found'
  | 'sandbox_unavailable'
  | 'session_exists'
  | 'session_in_use'
  | 'session_unreadable'
  | 'session_poisoned'
  | 'resume_rejected'
  | 'storage_error'
  | 'fenced'
  | 'error_result'
  | 'aborted'
  | 'engine_closed'
  | 'submission_running'
  | 'unpriced_model'
  | 'blocked_by_hook'
  | 'reload_plugins_busy'
  | 'unknown_task'
  | 'task_ended'
  | 'tasks_disabled'
  | 'not_installed';

/** An error of the library. `code` says what failed, `message` what to do, `cause` has the original error. */
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
